#include "json/json.h"

#include "base/test_util.h"
#include "json/editor.h"

namespace allot::json {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string RoundTrip(std::string_view text) {
  const auto document = Parse(text);
  return document.ok() ? Write(document->root()) : document.status().ToString();
}

TEST(Json, WritesBackWhatItRead) {
  for (const std::string_view text :
       {"null", "true", "false", "0", "-0", "1.0", "1E5", "-1.50e-7", "18446744073709551615", "123456789012345678901234567890", R"("")",
        R"("é😀")", "[]", "{}", "[1,[2,[]],{}]", R"({"a":{"b":[null]},"":"empty key"})", R"("\"\\\b\f\n\r\t\u0000\u001f")"}) {
    EXPECT_EQ(RoundTrip(text), text);
  }
}

TEST(Json, SpaceIsIgnored) { EXPECT_EQ(RoundTrip(" \t\r\n{ \"a\" : [ 1 , 2 ] } \n"), R"({"a":[1,2]})"); }

TEST(Json, EscapesAreResolved) {
  EXPECT_EQ(Parse(R"("\u0041\/\u00e9\u20ac\ud83d\ude00")")->root().AsString(), "A/é€😀");
  EXPECT_EQ(Parse(R"("a\u0000b")")->root().AsString(), std::string_view("a\0b", 3));
  EXPECT_EQ(Parse(R"({"\u0061":"plain \n then"})")->root()["a"].AsString(), "plain \n then");
}

TEST(Json, ErrorsSayWhereAndWhatWasExpected) {
  struct {
    std::string_view text, place, expected;
  } const cases[] = {
      {"", "line 1, column 1", "a value and not the end"},
      {"{", "line 1, column 2", "a key in double quotes"},
      {"[1,]", "line 1, column 4", "a value and not \"]\""},
      {"{\"a\":1,}", "line 1, column 8", "a key"},
      {"{\"a\" 1}", "line 1, column 6", "':'"},
      {"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3", "',' or '}'"},
      {"[1 2]", "line 1, column 4", "',' or ']'"},
      {"[\"é\" x]", "line 1, column 6", "',' or ']'"},
      {"01", "line 1, column 2", "nothing more"},
      {"1 2", "line 1, column 3", "nothing more"},
      {"1.", "line 1, column 3", "a digit"},
      {".5", "line 1, column 1", "a value"},
      {"+1", "line 1, column 1", "a value"},
      {"-", "line 1, column 2", "a digit"},
      {"1e+", "line 1, column 4", "a digit"},
      {"nul", "line 1, column 1", "a value"},
      {"NaN", "line 1, column 1", "a value"},
      {"'a'", "line 1, column 1", "a value"},
      {"\"a", "line 1, column 3", "end of the string"},
      {"\"\\x\"", "line 1, column 3", "after the backslash"},
      {"\"\\u12g4\"", "line 1, column 4", "four hexadecimal digits"},
      {"\"\\u-123\"", "line 1, column 4", "four hexadecimal digits"},
      {"\"\\ud800\"", "line 1, column 8", "surrogate"},
      {"\"\\ud800\\u0041\"", "line 1, column 14", "surrogate"},
      {"\"\\udc00\"", "line 1, column 8", "surrogate"},
      {"\"\t\"", "line 1, column 2", "control character"},
      {"// c\n1", "line 1, column 1", "a value"},
      {"\xEF\xBB\xBF{}", "line 1, column 1", "a value"},
      {"]", "line 1, column 1", "a value"},
      {"[}", "line 1, column 2", "a value"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Parse(c.text), IsStatus(Code::kInvalid, AllOf(HasSubstr(StrCat(c.place, ": ")), HasSubstr(c.expected)))) << c.text;
  }
}

TEST(Json, RefusesWhatIsNotUtf8) {
  for (const std::string_view bytes :
       {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80"}) {
    EXPECT_THAT(Parse(StrCat("\"", bytes, "\"")), IsStatus(Code::kInvalid, HasSubstr("UTF-8")));
  }
  EXPECT_OK(Parse("\"\xf4\x8f\xbf\xbf\xef\xbf\xbf\xed\x9f\xbf\""));
}

TEST(Json, RefusesDuplicateKeysAndShowsTheSecond) {
  EXPECT_THAT(Parse("{\"a\":1,\n\"\\u0061\":2}"), IsStatus(Code::kInvalid, "line 2, column 1: duplicate key \"a\""));
}

TEST(Json, DuplicateKeysAreListedOnDemandAndTheLastValueCounts) {
  std::vector<Duplicate> duplicates;
  const auto document =
      Parse("{\"k\":1,\n\"a\":[0,[{\"b\":{\"x\":[],\"y\":2,\n\"x\":{\"z\":1}}}]],\"k\":{\"q\":1},\n\n\"k\":3}", {}, &duplicates);
  ASSERT_OK(document);
  EXPECT_EQ(Write(document->root()), R"({"k":3,"a":[0,[{"b":{"x":{"z":1},"y":2}}]]})");
  ASSERT_EQ(duplicates.size(), 3u);
  EXPECT_EQ(duplicates[0].path, "a[1][0].b.x");
  EXPECT_EQ(duplicates[0].line, 3u);
  EXPECT_EQ(duplicates[1].path, "k");
  EXPECT_EQ(duplicates[1].line, 3u);
  EXPECT_EQ(duplicates[2].line, 5u);
}

TEST(Json, ManyDuplicatesAreNeitherQuadraticNorAllListed) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += StrCat(i > 0 ? "," : "", "\"k", i % 1000, "\":", i);
  text += "}";
  std::vector<Duplicate> duplicates;
  const auto document = Parse(text, {}, &duplicates);
  ASSERT_OK(document);
  EXPECT_EQ(document->root().Members().size(), 1000u);
  EXPECT_EQ(document->root()["k7"].NumberText(), "199007");
  EXPECT_EQ(duplicates.size(), Duplicate::kMax);
}

TEST(Json, DeepNestingMeetsTheLimitAndNotTheStack) {
  EXPECT_THAT(Parse(std::string(1'000'000, '[')), IsStatus(Code::kExhausted, HasSubstr("more than 128 deep")));
  EXPECT_OK(Parse(std::string(128, '[') + std::string(128, ']')));
  EXPECT_OK(Parse(std::string(100'000, '[') + std::string(100'000, ']'), {.depth = 100'000}));
}

TEST(Json, SizeAndCountAreLimited) {
  EXPECT_THAT(Parse("[1,2,3]", {.bytes = 6}), IsStatus(Code::kExhausted));
  EXPECT_THAT(Parse("[1,2,3]", {.nodes = 3}), IsStatus(Code::kExhausted));
  EXPECT_OK(Parse("[1,2,3]", {.nodes = 4, .bytes = 7}));
}

TEST(Json, ManyKeysAreNotQuadratic) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += StrCat(i > 0 ? "," : "", "\"k", i, "\":", i);
  text += "}";
  const auto document = Parse(text);
  ASSERT_OK(document);
  EXPECT_EQ(document->root().Members().size(), 200'000u);
}

TEST(Json, IndentsOneLevelALine) {
  const auto document = Parse(R"({"a":[1,{"b":null}],"c":{},"d":[]})");
  ASSERT_OK(document);
  EXPECT_EQ(Write(document->root(), {.indent = 2}), R"({
  "a": [
    1,
    {
      "b": null
    }
  ],
  "c": {},
  "d": []
})");
}

TEST(Write, EscapesAByteWhereverItStands) {
  for (size_t length = 1; length < 40; ++length) {
    for (size_t at = 0; at < length; ++at) {
      for (const auto& [byte, escaped] :
           {std::pair('"', "\\\""), {'\\', "\\\\"}, {'\n', "\\n"}, {'\x1f', "\\u001f"}, {'\x7f', "\x7f"}, {'\xe9', "\xe9"}}) {
        std::string text(length, 'x');
        text[at] = byte;
        Arena arena;
        EXPECT_EQ(Write(Editor(arena).String(text)), StrCat("\"", std::string(at, 'x'), escaped, std::string(length - at - 1, 'x'), "\""))
            << at;
      }
    }
  }
}

}  // namespace
}  // namespace allot::json
