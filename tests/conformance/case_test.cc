#include "tests/conformance/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace allot::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Compare(Kind kind, std::string_view text) {
  const auto document = json::Parse(text);
  EXPECT_TRUE(document.ok()) << document.status().message();
  return CompareCase(kind, document->root());
}

std::string CaseWith(std::string_view device, std::string_view expect) {
  return StrCat(
      R"({"node":{"metadata":{"name":"n"}},"deviceClasses":[{"metadata":{"name":"c"},"spec":{}}],"resourceSlices":[{"metadata":{"name":"s"},)",
      R"("spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"allNodes":true,"devices":[)", device,
      R"(]}}],"claims":[{"metadata":{"name":"x"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c",)",
      R"("allocationMode":"ExactCount","count":1}}]}}}],"expect":)", expect, "}");
}

TEST(Case, ADisagreementIsFound) {
  const std::string right =
      R"({"allocated":true,"results":[{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"a"}]}}]})";
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith(R"({"name":"a"})", right)), IsEmpty());
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith(R"({"name":"b"})", right)), ElementsAre(HasSubstr("results[0].device: expected")));
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith(R"({"name":"a"})", R"({"allocated":false})")),
              ElementsAre(HasSubstr("expected does not fit")));
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith(R"({"name":"a"})", R"({"error":"no"})")), ElementsAre(HasSubstr("expected error: no")));
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith("", right)), ElementsAre(HasSubstr("got does not fit")));
}

TEST(Case, AnInterruptedSearchMustGiveUp) {
  const std::string expect = R"({"allocated":false,"error":"filter operation aborted: context canceled","allocateOneCalls":1})";
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith(R"({"name":"a"})", expect)), IsEmpty());
}

TEST(Case, AMalformedCaseNamesTheField) {
  EXPECT_THAT(Compare(Kind::kAllocator, R"({"expect": {}, "claims": 1})"), ElementsAre("claims: expected a list, not a number"));
  EXPECT_THAT(Compare(Kind::kAllocator, R"({"expect": {}, "features": ["DRANothing"]})"),
              ElementsAre(HasSubstr("features: feature gate \"DRANothing\"")));
  EXPECT_THAT(Compare(Kind::kAllocator, CaseWith(R"({"name": 7})", "{}")),
              ElementsAre("resourceSlices[0]: spec.devices[0].name: expected a string, not a number"));
  EXPECT_THAT(Compare(Kind::kCel, "{}"), ElementsAre(HasSubstr("not a CEL case")));
  EXPECT_THAT(Compare(Kind::kQuantity, "{}"), ElementsAre(HasSubstr("not a quantity case")));
}

TEST(Case, ACaseWithoutAnExpectationFails) {
  EXPECT_THAT(Compare(Kind::kAllocator, R"({"node": {}})"), ElementsAre(HasSubstr("expected \"expect\"")));
  EXPECT_THAT(Compare(Kind::kCel, R"({"expression": "true"})"), ElementsAre(HasSubstr("expected \"compiles\"")));
}

TEST(Case, FilesHoldOneCaseAListOrOneALine) {
  Cases cases;
  EXPECT_TRUE(cases.AddText(Kind::kCel, R"({"expression": "true"})", "a.json", false).ok());
  EXPECT_TRUE(cases.AddText(Kind::kCel, R"([{"expression": "true"}, {"expression": "false"}])", "b.json", false).ok());
  EXPECT_TRUE(cases.AddText(Kind::kCel, "{\"expression\": \"true\"}\n\n{\"expression\": \"false\"}\n", "c.jsonl", true).ok());
  EXPECT_TRUE(cases.AddText(Kind::kQuantity, R"({"parse": [{"in": "1"}], "pairs": [{"a": "1", "b": "2"}]})", "d.json", false).ok());
  std::vector<std::string> where;
  for (const Case& one : cases.cases) where.push_back(one.where);
  EXPECT_THAT(where, ElementsAre("a.json", "b.json[0]", "b.json[1]", "c.jsonl:1", "c.jsonl:3", "d.json.parse[0]", "d.json.pairs[0]"));
}

TEST(Case, InvalidJsonNamesTheFileAndThePlace) {
  Cases cases;
  EXPECT_THAT(cases.AddText(Kind::kCel, "{", "a.json", false).message(), HasSubstr("a.json: "));
  EXPECT_THAT(cases.AddText(Kind::kCel, "{}\n{", "b.jsonl", true).message(), HasSubstr("b.jsonl:2: "));
  EXPECT_FALSE(LoadCases(Kind::kCel, "does-not-exist.json").ok());
}

}  // namespace
}  // namespace allot::conformance
