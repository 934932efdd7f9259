#include "json/yaml_write.h"

#include <algorithm>

#include "base/random.h"
#include "base/test_util.h"
#include "json/json.h"
#include "json/yaml.h"

namespace allot::json {
namespace {

std::string Yaml(std::string_view json) { return WriteYaml(json::Parse(json)->root()); }

TEST(WriteYaml, IsInKubectlsStyle) {
  EXPECT_EQ(Yaml(R"({"metadata":{"name":"x","labels":{}},"items":[{"b":1,"a":[1,[2,3]]},"s"],"empty":[],"nothing":null,"yes":true})"),
            "empty: []\n"
            "items:\n"
            "- a:\n"
            "  - 1\n"
            "  - - 2\n"
            "    - 3\n"
            "  b: 1\n"
            "- s\n"
            "metadata:\n"
            "  labels: {}\n"
            "  name: x\n"
            "nothing: null\n"
            "\"yes\": true\n");
}

TEST(WriteYaml, QuotesWhatWouldBeReadAsSomethingElse) {
  EXPECT_EQ(
      Yaml(R"(["","true","no","12","1e3","0x1F","null","~","2026-11-16T00:38:43Z","2026-11-16","12:30","<<",".inf"])"),
      "- \"\"\n- \"true\"\n- \"no\"\n- \"12\"\n- \"1e3\"\n- \"0x1F\"\n- \"null\"\n- \"~\"\n- \"2026-11-16T00:38:43Z\"\n- \"2026-11-16\"\n"
      "- \"12:30\"\n- \"<<\"\n- \".inf\"\n");
  EXPECT_EQ(Yaml(R"(["a: b","a #b","- a","#a","it's: x","a:b","a#b","-a","@a"," a","a ","---"])"),
            "- 'a: b'\n- 'a #b'\n- '- a'\n- '#a'\n- 'it''s: x'\n- a:b\n- a#b\n- -a\n- '@a'\n- ' a'\n- 'a '\n- '---'\n");
  EXPECT_EQ(Yaml(R"(["a\tb","\u0001","\u00e4","\u2028"])"), "- \"a\\tb\"\n- \"\\x01\"\n- \u00e4\n- \"\\L\"\n");
}

TEST(WriteYaml, SeveralLinesAreABlock) {
  EXPECT_EQ(Yaml(R"({"a":"one\ntwo\n","b":"one\ntwo","c":"one\n\n","d":" one\ntwo\n","e":"\n","f":"one \ntwo","g":"a\n\tb\n"})"),
            "a: |\n  one\n  two\n"
            "b: |-\n  one\n  two\n"
            "c: |+\n  one\n\n"
            "d: |2\n   one\n  two\n"
            "e: |2+\n\n"
            "f: \"one \\ntwo\"\n"
            "g: \"a\\n\\tb\\n\"\n");
}

TEST(WriteYaml, WrapsAfterColumn80) {
  const std::string word(30, 'w');
  EXPECT_EQ(Yaml(StrCat(R"({"k":")", word, " ", word, " ", word, " ", word, R"("})")),
            StrCat("k: ", word, " ", word, " ", word, "\n  ", word, "\n"));
}

TEST(KeyLess, CountsNumbersAndPutsLettersLast) {
  std::vector<std::string> keys = {"b", "a10", "a2", "a-b", "ab", "a", "a/b", "A"};
  std::sort(keys.begin(), keys.end(), KeyLess);
  EXPECT_THAT(keys, testing::ElementsAre("A", "a", "a-b", "a/b", "a2", "a10", "ab", "b"));
}

TEST(WriteSortedJson, IsWhatKubectlPrints) {
  const auto document = json::Parse(R"({"b":"<&>","a":[],"c":{"x":1}})");
  EXPECT_EQ(WriteSortedJson(document->root()),
            "{\n    \"a\": [],\n    \"b\": \"\\u003c\\u0026\\u003e\",\n    \"c\": {\n        \"x\": 1\n    }\n}\n");
}

// Strings that are hard to quote, and trees of them.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  void Build(json::Builder& b, int depth) {
    switch (random_.Below(depth > 3 ? 4 : 6)) {
      case 0: b.String(Text()); break;
      case 1: b.Int(static_cast<int64_t>(random_.Next64())); break;
      case 2: b.Bool(random_.Below(2) == 0); break;
      case 3: random_.Below(2) == 0 ? b.Null() : b.Number("0.5"); break;
      case 4:
        b.StartArray();
        for (uint64_t i = random_.Below(4); i > 0; --i) Build(b, depth + 1);
        b.EndArray();
        break;
      default: Object(b, depth);
    }
  }

  void Object(json::Builder& b, int depth) {
    b.StartObject();
    for (uint64_t i = random_.Below(4); i > 0; --i) b.Key(StrCat(Text(), i)), Build(b, depth + 1);
    b.EndObject();
  }

 private:
  std::string Text() {
    static constexpr std::string_view kPieces[] = {"a",          "b c",
                                                   " ",          "\n",
                                                   "\n\n",       ":",
                                                   ": ",         " #",
                                                   "#",          "- ",
                                                   "-",          "'",
                                                   "\"",         "\\",
                                                   "\t",         "1",
                                                   "0x",         "true",
                                                   "null",       "~",
                                                   "{",          "}",
                                                   "[",          "]",
                                                   ",",          "&",
                                                   "*",          "!",
                                                   "|",          ">",
                                                   "%",          "@",
                                                   "`",          "?",
                                                   "=",          "\u00e4",
                                                   "\u2028",     "\uFEFF",
                                                   "\U0001F600", "\u0085",
                                                   "\x01",       "---",
                                                   "...",        "<<",
                                                   "2026-01-01", "a word and another word and a third one ",
                                                   "1:30",       "e",
                                                   "."};
    std::string text;
    for (uint64_t i = random_.Below(6); i > 0; --i) text += kPieces[random_.Below(std::size(kPieces))];
    return text;
  }

  SeededRandom random_;
};

TEST(WriteYaml, IsReadBackAsItWas) {
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    json::Arena arena;
    json::Builder builder(arena);
    Generator(seed).Object(builder, 0);
    ASSERT_OK(builder.status());
    const json::Value value = builder.Finish();
    const std::string text = WriteYaml(value);
    const auto documents = json::ParseYaml(text);
    ASSERT_TRUE(documents.ok()) << "seed " << seed << ": " << documents.status().message() << "\n" << text << json::Write(value);
    ASSERT_EQ(documents->size(), 1u) << "seed " << seed << "\n" << text;
    ASSERT_TRUE(json::Equal((*documents)[0].root(), value)) << "seed " << seed << "\n"
                                                            << text << json::Write(value) << "\n"
                                                            << json::Write((*documents)[0].root());
  }
}

}  // namespace
}  // namespace allot::json
