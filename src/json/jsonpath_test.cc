#include "json/jsonpath.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::json {
namespace {

using testing::HasSubstr;

constexpr std::string_view kList = R"({"items":[
  {"metadata":{"name":"a","labels":{"app.k8s.io/name":"x"}},"n":1,"conditions":[{"type":"Ready","status":"True"},{"type":"Other","status":"No"}]},
  {"metadata":{"name":"b"},"n":2.5,"ok":true}]})";

std::string Printed(std::string_view path) {
  const Document list = *Parse(kList);
  const Result<JsonPath> parsed = JsonPath::Parse(path);
  return parsed.ok() ? parsed->Text(list.root()) : parsed.status().ToString();
}

// What kubectl 1.36 prints for the same.
TEST(JsonPath, PathsTextAndRangesArePrinted) {
  EXPECT_EQ(Printed("{.items[0].metadata.name}"), "a");
  EXPECT_EQ(Printed("{.items[*].metadata.name}"), "a b");
  EXPECT_EQ(Printed("{.items[-1].metadata.name}{'\\n'}"), "b\n");
  EXPECT_EQ(Printed("names: {$.items[*].n}!"), "names: 1 2.5!");
  EXPECT_EQ(Printed("{range .items[*]}{.metadata.name}{\"\\t\"}{@.ok}{\"\\n\"}{end}"), "a\t\nb\ttrue\n");
  EXPECT_EQ(Printed("{.items[0].metadata.labels.app\\.k8s\\.io/name}"), "x");
  EXPECT_EQ(Printed("{.items[0].metadata.labels['app.k8s.io/name']}"), "x");
  EXPECT_EQ(Printed(R"({.items[0].conditions[?(@.type=="Ready")].status})"), "True");
  EXPECT_EQ(Printed("{.items[1].metadata}"), R"({"name":"b"})");
  EXPECT_EQ(Printed("{.items[7].x}{.nope.more}{.items[*].ok}"), "true");
}

TEST(JsonPath, WhatCannotBeReadNamesThePlace) {
  EXPECT_THAT(Printed("{.a"), HasSubstr("character 4: expected }"));
  EXPECT_THAT(Printed("{range .a}x"), HasSubstr("{range} without {end}"));
  EXPECT_THAT(Printed("{end}"), HasSubstr("{end} without {range}"));
  EXPECT_THAT(Printed("{a}"), HasSubstr("expected a path like .metadata.name"));
  EXPECT_THAT(Printed("{.a[x]}"), HasSubstr("expected a number"));
  EXPECT_THAT(Printed("{.a[0:2]}"), HasSubstr("slices and lists in [] are not supported"));
  EXPECT_THAT(Printed("{..a}"), HasSubstr("\"..\" is not supported"));
  EXPECT_THAT(Printed("{'x}"), HasSubstr("expected a closing '"));
}

TEST(JsonPath, OnePathMayBeWrittenInAnyForm) {
  const Document list = *Parse(kList);
  for (const std::string_view path : {"items[0].metadata.name", ".items[0].metadata.name", "{.items[0].metadata.name}"}) {
    ASSERT_OK_AND_ASSIGN(const JsonPath parsed, JsonPath::ParseRelaxed(path));
    ASSERT_EQ(parsed.Find(list.root()).size(), 1u) << path;
    EXPECT_EQ(OneValue(parsed.Find(list.root())[0]), "a");
  }
  EXPECT_THAT(JsonPath::ParseRelaxed(".a b"), IsStatus(Code::kInvalid));
}

}  // namespace
}  // namespace allot::json
