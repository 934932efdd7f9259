#include "json/yaml.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::json {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// All documents as JSON, one a line; or the error.
std::string Y(std::string_view text) {
  const auto documents = ParseYaml(text);
  if (!documents.ok()) return documents.status().ToString();
  std::string all;
  for (const Document& document : *documents) all += StrCat(all.empty() ? "" : "\n", Write(document.root()));
  return all;
}

TEST(Yaml, ReadsAManifest) {
  EXPECT_EQ(
      Y(R"(# a claim
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: half, labels: {"app": train}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        count: 1
        capacity:
          requests: {memory: 6Gi}
        selectors:
        - cel:
            expression: |
              device.driver == "gpu.nvidia.com" &&
              true
)"),
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"half","labels":{"app":"train"}},)"
      R"("spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.nvidia.com","count":1,)"
      R"("capacity":{"requests":{"memory":"6Gi"}},"selectors":[{"cel":{"expression":"device.driver == \"gpu.nvidia.com\" &&\ntrue\n"}}]}}]}}})");
}

TEST(Yaml, PlainScalarsMeanWhatTheyMeanToKubectl) {
  EXPECT_EQ(Y("[1, '1', \"yes\", yes, '', ~, 0777, 1.0, 2001-01-01, 12:30:45]"),
            R"([1,"1","yes",true,"",null,511,1,"2001-01-01","12:30:45"])");
  EXPECT_EQ(Y("a:\nb: |\n  12\nc: >-\n  x\n  y\n"), R"({"a":null,"b":"12\n","c":"x y"})");
}

TEST(Yaml, ScalarKeysBecomeText) { EXPECT_EQ(Y("1: a\nyes: b\n1.50: c\n'1.5 ': d\n"), R"({"1":"a","true":"b","1.5":"c","1.5 ":"d"})"); }

TEST(Yaml, EscapesAreCharacters) {
  EXPECT_EQ(Y(R"("a\N\_\L\x41\u00e9\U0001F600z")"), "\"a\xC2\x85\xC2\xA0\xE2\x80\xA8\x41\xC3\xA9\xF0\x9F\x98\x80z\"");
}

TEST(Yaml, TagsForceTheKind) {
  EXPECT_EQ(Y("[!!str 5, !!int '5', !!float 5, !!bool 'no', !!null '', !!str , !!seq [], !!map {}]"), R"(["5",5,5,false,null,"",[],{}])");
  EXPECT_THAT(Y("!!int x"), HasSubstr("line 1, column 1: expected a int as its tag says"));
  EXPECT_THAT(Y("a: !secret x"), HasSubstr("line 1, column 4: unknown tag \"!secret\""));
  EXPECT_THAT(Y("a: !!binary aGk="), HasSubstr("unknown tag"));
  EXPECT_THAT(Y("a: !!set {x}"), HasSubstr("unknown tag"));
}

TEST(Yaml, DocumentsAreSplitAndEmptyOnesLeftOut) {
  EXPECT_EQ(Y("---\n---\na: 1\n---\n# nothing\n---\n~\n---\n- b\n...\n"), "{\"a\":1}\n[\"b\"]");
  EXPECT_EQ(Y(""), "");
  EXPECT_EQ(Y("\n# only a comment\n"), "");
  EXPECT_THAT(Y("{} {}"), HasSubstr("expected the end of the document"));
  EXPECT_THAT(Y("- a\nb: c\n"), HasSubstr("line 2, column 1: expected the end of the document"));
}

TEST(Yaml, JsonIsReadAsJson) {
  EXPECT_EQ(Y(" {\"a\": 1.0, \"b\": \"\\ud83d\\ude00\"}"), R"({"a":1.0,"b":"😀"})");
  EXPECT_EQ(Y("{a: 1.0}"), R"({"a":1})");
  EXPECT_EQ(Y("[{\"a\":1}]"), R"([{"a":1}])");
}

TEST(Yaml, CrlfAndByteOrderMarkAreFine) {
  EXPECT_EQ(Y("\xEF\xBB\xBF"
              "a: 1\r\nb:\r\n- x\r\n"),
            R"({"a":1,"b":["x"]})");
}

TEST(Yaml, DuplicateKeysAreRefusedWhereTheSecondStands) {
  EXPECT_EQ(Y("a: 1\nb: 2\na: 3\n"), "invalid: line 3, column 1: duplicate key \"a\"");
  EXPECT_THAT(Y("1: a\n'1': b\n"), HasSubstr("duplicate key \"1\""));
}

TEST(Yaml, DuplicateKeysAreListedOnDemandAndTheLastValueCounts) {
  for (const std::string_view text : {"data:\n  k: '1'\n  l: [{}, {a: 1, a: 2}]\n  k: '2'\n",
                                      "{\"data\": {\n \"k\": \"1\",\n \"l\": [{}, {\"a\": 1, \"a\": 2}],\n \"k\": \"2\"}}"}) {
    std::vector<Duplicate> duplicates;
    const auto documents = ParseYaml(text, {}, &duplicates);
    ASSERT_OK(documents);
    EXPECT_EQ(Write(documents->front().root()), R"({"data":{"k":"2","l":[{},{"a":2}]}})");
    ASSERT_EQ(duplicates.size(), 2u);
    EXPECT_EQ(duplicates[0].path, "data.l[1].a");
    EXPECT_EQ(duplicates[0].line, 3u);
    EXPECT_EQ(duplicates[1].path, "data.k");
    EXPECT_EQ(duplicates[1].line, 4u);
  }
}

TEST(Yaml, AMergeThatIsReplacedIsNoDuplicate) {
  std::vector<Duplicate> duplicates;
  ASSERT_OK(ParseYaml("a: &x {k: 1}\nb: {<<: *x, k: 2}\n", {}, &duplicates));
  EXPECT_TRUE(duplicates.empty());
}

TEST(Yaml, AliasesRepeatTheirAnchor) {
  EXPECT_EQ(Y("a: &x {b: [1]}\nc: *x\nd: [*x, *x]\n"), R"({"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]},{"b":[1]}]})");
  EXPECT_EQ(Y("a: &k key\n*k : 1\n"), R"({"a":"key","key":1})");
  EXPECT_EQ(Y("- &x 1\n- &x 2\n- *x\n"), "[1,2,2]");
  EXPECT_THAT(Y("a: *x\n"), HasSubstr("line 1, column 4: the referenced anchor is not defined"));
  EXPECT_THAT(Y("a: &x\n  b: *x\n"), HasSubstr("contains itself"));
  EXPECT_THAT(Y("a: &x 1\n---\nb: *x\n"), HasSubstr("not defined"));
}

TEST(Yaml, MergeKeysSetMembersInTheOrderOfTheText) {
  EXPECT_EQ(Y("b: &b {x: 1, z: 2}\nc:\n  <<: *b\n  x: 3\n"), R"({"b":{"x":1,"z":2},"c":{"x":3,"z":2}})");
  EXPECT_EQ(Y("b: &b {x: 1}\nc:\n  x: 3\n  <<: *b\n"), R"({"b":{"x":1},"c":{"x":1}})");
  EXPECT_EQ(Y("<<: [{a: 1}, {a: 2, b: 3}]\n"), R"({"a":1,"b":3})");
  EXPECT_EQ(Y("<<: {<<: {a: 1}, b: 2}\n"), R"({"a":1,"b":2})");
  EXPECT_EQ(Y("'<<': {a: 1}\n"), R"({"<<":{"a":1}})");
  EXPECT_EQ(Y("a: <<\n"), R"({"a":"<<"})");
  EXPECT_THAT(Y("<<: 1\n"), HasSubstr("expected a mapping"));
  EXPECT_THAT(Y("<<: [1]\n"), HasSubstr("expected mappings"));
  EXPECT_THAT(Y("<<: {a: 1}\na: 2\na: 3\n"), HasSubstr("line 3, column 1: duplicate key"));
}

TEST(Yaml, ErrorsSayWhereAndWhat) {
  struct {
    std::string_view text, place, what;
  } const cases[] = {
      {"a: b\n  c: d\n", "line 2, column 4", "map value"},
      {"a:\n\t- b\n", "line 2, column 2", "block entry"},
      {"\ta: 1\n", "line 1, column 3", "map value"},
      {"a: @x\n", "line 1, column 4", "token"},
      {"a: [1, 2\nb: 3\n", "line 2, column 2", "end of sequence flow not found"},
      {"[1, 2\n", "line 1, column 1", "closing bracket is missing"},
      {"[a, , b]\n", "line 1, column 5", "expected an item"},
      {"? [a]\n: b\n", "line 1, column 3", "cannot be a key"},
      {"~: b\n", "line 1, column 1", "as the key of a mapping, and not null"},
      {"a: .inf\n", "line 1, column 4", "not a number in JSON"},
      {"a: 'x\nb: 1\n", "line 1, column 4", "closing '"},
      {"a: 'it''s\n", "line 1, column 4", "closing '"},
      {"a: &x \"x\\\"\n", "line 1, column 4", "closing \""},
      {"a: \x01\n", "line 1, column 4", "control character"},
      {"b: 1\na: \xc2\x80\n", "line 2, column 4", "control character"},
      {"a: \xff\n", "line 1, column 4", "UTF-8"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseYaml(c.text), IsStatus(Code::kInvalid, AllOf(HasSubstr(StrCat(c.place, ": ")), HasSubstr(c.what)))) << c.text;
  }
  EXPECT_THAT(ParseYaml(std::string_view("a: \0b\n", 7)), IsStatus(Code::kInvalid, HasSubstr("control character")));
  EXPECT_THAT(ParseYaml(std::string_view("\xff\xfe"
                                         "a\0:\0 \0b\0",
                                         10)),
              IsStatus(Code::kInvalid, HasSubstr("UTF-8")));
}

TEST(Yaml, AliasBombsMeetTheLimit) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string alias = StrCat("*a", i - 1);
    bomb += StrCat("a", i, ": &a", i, " [", Join(std::vector<std::string>(10, alias), ","), "]\n");
  }
  EXPECT_THAT(ParseYaml(bomb), IsStatus(Code::kExhausted, HasSubstr("values and keys")));
  EXPECT_THAT(ParseYaml("[&a [1, 2], *a, *a]", {.nodes = 9}), IsStatus(Code::kExhausted));
  EXPECT_OK(ParseYaml("[&a [1, 2], *a, *a]", {.nodes = 10}));
}

TEST(Yaml, DepthIsLimitedThroughAliasesToo) {
  std::string text = "- &a0 [x]\n";
  for (int i = 1; i < 300; ++i) text += StrCat("- &a", i, " [*a", i - 1, "]\n");
  EXPECT_THAT(ParseYaml(text), IsStatus(Code::kExhausted, HasSubstr("128 deep")));
}

TEST(Yaml, DeepNestingMeetsTheLimitAndNotTheStack) {
  std::string flow(100'000, '['), blocks, indented;
  flow += std::string(100'000, ']');
  for (int i = 0; i < 100'000; ++i) blocks += "- ";
  for (int i = 0; i < 1000; ++i) indented += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  for (const std::string* text : {&flow, &blocks, &indented}) {
    EXPECT_THAT(ParseYaml(*text), IsStatus(Code::kExhausted, HasSubstr("128 deep")));
    EXPECT_THAT(ParseYaml(*text, {.depth = 1'000'000}), IsStatus(Code::kExhausted));
  }
}

TEST(Yaml, SizeIsLimited) { EXPECT_THAT(ParseYaml("a: 1\n", {.bytes = 4}), IsStatus(Code::kExhausted)); }

}  // namespace
}  // namespace allot::json
