// Limits of ResourceSlices beyond the contract cases (dra_contract_test.cc).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/kinds/dra/device.h"
#include "apiserver/kinds/kind_rules.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string SliceWith(std::string_view devices, std::string_view nodes = R"("nodeName": "n")") {
  return StrCat(R"({"spec": {"driver": "d.example.com", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, )", nodes,
                R"(, "devices": [)", devices, "]}}");
}

json::Document Read(std::string_view text) {
  auto document = json::Parse(text);
  CHECK(document.ok());
  return *std::move(document);
}

std::vector<std::string> Refusals(std::string_view slice, std::string_view old = "") {
  json::Document document = Read(slice);
  json::Editor edit(document.arena());
  const auto rules = ResourceSliceKindRules();
  const json::Value object = rules->PrepareCreate(edit, rules->Default(edit, document.root()));
  FieldErrors errors;
  if (old.empty()) {
    rules->Validate(object, errors);
  } else {
    rules->ValidateUpdate(object, Read(old).root(), errors);
  }
  std::vector<std::string> causes;
  for (const FieldError& error : errors.all()) causes.push_back(StrCat(error.field, " ", error.reason));
  return causes;
}

std::string Shareable(std::string_view policy) {
  return SliceWith(
      StrCat(R"({"name": "a", "allowMultipleAllocations": true, "capacity": {"m": {"value": "10", "requestPolicy": )", policy, "}}}"));
}

TEST(Slice, HasListAttributesAndMappingsDroppedBecauseTheirGatesAreOff) {
  json::Document document = Read(SliceWith(StrCat(R"({"name": "a", "attributes": {"x": {"ints": [1], "int": 1}, "y": {"bool": true}}, )",
                                                  R"("nodeAllocatableResourceMappings": {"cpu": {}}})")));
  json::Editor edit(document.arena());
  for (const json::Value& object : {ResourceSliceKindRules()->PrepareCreate(edit, document.root()),
                                    ResourceSliceKindRules()->PrepareUpdate(edit, document.root(), document.root())}) {
    EXPECT_EQ(json::Write(object["spec"]["devices"]), R"([{"name":"a","attributes":{"x":{"int":1},"y":{"bool":true}}}])");
  }
  EXPECT_THAT(Refusals(SliceWith(R"({"name": "a", "attributes": {"x": {"strings": ["s"]}}})")),
              ElementsAre("spec.devices[0].attributes[x] FieldValueInvalid"));
}

TEST(Slice, WithMoreThan48AttributesBreaksTwoLimits) {
  std::string attributes;
  for (int i = 0; i < 49; ++i) attributes += StrCat(i == 0 ? "" : ",", "\"a", i, R"(": {"int": 1})");
  EXPECT_THAT(Refusals(SliceWith(StrCat(R"({"name": "a", "attributes": {)", attributes, "}}"))),
              ElementsAre("spec.devices[0] FieldValueInvalid", "spec.devices[0] FieldValueInvalid"));
}

TEST(Slice, MayHave65DevicesWithoutTaintsAndCounters) {
  std::string devices;
  for (int i = 0; i < 65; ++i) devices += StrCat(i == 0 ? "" : ",", R"({"name": "d)", i, "\"}");
  EXPECT_THAT(Refusals(SliceWith(devices)), IsEmpty());
  devices += R"(,{"name": "x", "consumesCounters": [{"counterSet": "c", "counters": {"x": {"value": "1"}}}]})";
  EXPECT_THAT(Refusals(SliceWith(devices)), ElementsAre("spec.devices FieldValueTooMany"));
}

TEST(Slice, HasANodeSelectorWithOneTermOnly) {
  const std::string_view term = R"({"matchExpressions": [{"key": "x", "operator": "Exists"}]})";
  EXPECT_THAT(Refusals(SliceWith("", StrCat(R"("nodeSelector": {"nodeSelectorTerms": [)", term, "]}"))), IsEmpty());
  EXPECT_THAT(Refusals(SliceWith("", StrCat(R"("nodeSelector": {"nodeSelectorTerms": [)", term, ",", term, "]}"))),
              ElementsAre("spec.nodeSelector.nodeSelectorTerms FieldValueInvalid"));
}

TEST(Slice, ShowsLongAttributeNamesCutInPaths) {
  const std::string name = StrCat("example.com/", std::string(100, 'x'));
  const auto refusals = Refusals(SliceWith(StrCat(R"({"name": "a", "attributes": {")", name, R"(": {}}})")));
  ASSERT_EQ(refusals.size(), 2u);
  EXPECT_EQ(refusals[0], "spec.devices[0].attributes FieldValueTooLong");
  EXPECT_EQ(refusals[1].size(), StrCat("spec.devices[0].attributes[] FieldValueInvalid").size() + 96);
  EXPECT_THAT(refusals[1], HasSubstr("xxx...xxx"));
}

TEST(Slice, TakesNamesWithTwoSlashesAsKubernetesDoes) {
  EXPECT_THAT(Refusals(SliceWith(R"({"name": "a", "attributes": {"a/b/c": {"int": 1}}})")), IsEmpty());
}

TEST(Slice, ChecksTaintsAgainOnlyWhereTheyChanged) {
  const std::string bad = SliceWith(R"({"name": "a", "taints": [{"key": "k", "effect": "Odd", "timeAdded": "2026-01-01T00:00:00Z"}]})");
  EXPECT_THAT(Refusals(bad), ElementsAre("spec.devices[0].taints[0].effect FieldValueNotSupported"));
  EXPECT_THAT(Refusals(bad, bad), IsEmpty());
  EXPECT_THAT(Refusals(bad, SliceWith(R"({"name": "a"})")), ElementsAre("spec.devices[0].taints[0].effect FieldValueNotSupported"));
}

TEST(Slice, HasBindingConditionsThatDoNotOverlap) {
  const auto refusals = [](std::string_view conditions, std::string_view failures) {
    return Refusals(
        SliceWith(StrCat(R"({"name": "a", "bindingConditions": )", conditions, R"(, "bindingFailureConditions": )", failures, "}")));
  };
  EXPECT_THAT(refusals(R"(["a", "b", "c", "d"])", R"(["e", "f", "g", "h"])"), IsEmpty());
  EXPECT_THAT(refusals(R"(["a", "a"])", R"(["b", "b"])"), ElementsAre("spec.devices[0].bindingConditions[1] FieldValueDuplicate",
                                                                      "spec.devices[0].bindingFailureConditions[1] FieldValueDuplicate"));
  EXPECT_THAT(refusals(R"(["a"])", R"(["b", "a"])"), ElementsAre("spec.devices[0].bindingFailureConditions[1] FieldValueInvalid"));
  EXPECT_THAT(refusals(R"(["a", "b", "c", "d", "e"])", R"(["x"])"), ElementsAre("spec.devices[0].bindingConditions FieldValueTooMany"));
  EXPECT_THAT(refusals("[]", R"(["x"])"), ElementsAre("spec.devices[0].bindingConditions FieldValueInvalid"));
}

TEST(Slice, WarnsOfDriversInUpperCase) {
  std::vector<std::string> warnings;
  ResourceSliceKindRules()->Warn(Read(R"({"spec": {"driver": "d.example.com"}})").root(), warnings);
  EXPECT_THAT(warnings, IsEmpty());
  ResourceSliceKindRules()->Warn(Read(R"({"spec": {"driver": "D.example.com"}})").root(), warnings);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("\"D.example.com\" contains uppercase")));
}

TEST(RequestPolicy, ComparesValuesRoundedUpToIntegers) {
  EXPECT_THAT(Refusals(Shareable(R"({"default": "1", "validValues": ["500m", "1"]})")),
              ElementsAre("spec.devices[0].capacity[m].requestPolicy.validValues[1] FieldValueDuplicate"));
  EXPECT_THAT(Refusals(Shareable(R"({"default": "1500m", "validRange": {"min": "500m", "step": "500m"}})")), IsEmpty());
}

TEST(RequestPolicy, SurvivesStepsThatCannotBeDividedBy) {
  const std::string at = "spec.devices[0].capacity[m].requestPolicy.validRange.step FieldValueInvalid";
  EXPECT_THAT(Refusals(Shareable(R"({"default": "1", "validRange": {"min": "1", "step": "0"}})")), ElementsAre(at));
  EXPECT_THAT(Refusals(Shareable(R"({"default": "1", "validRange": {"min": "1", "step": "-1"}})")), IsEmpty());
  EXPECT_THAT(Refusals(Shareable(R"({"default": "9223372036854775807", "validRange": {"min": "-9223372036854775808", "step": "-1"}})")),
              IsEmpty());
}

TEST(SemanticVersion, IsThatOfSemverOrg) {
  for (const std::string_view good :
       {"0.0.0", "1.2.3", "1.2.3-alpha.1+b.01", "1.2.3-0a", "1.2.3--", "1.2.3+-", "99999999999999999999.0.0", "1.2.3+a-b", "1.2.3-a-b.0"}) {
    EXPECT_TRUE(IsSemanticVersion(good)) << good;
  }
  for (const std::string_view bad : {"", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3+", "1.2.3-01", "1.2.3-a..b", "1.2.3+a+b",
                                     "v1.2.3", "1.2.3\n", "-1.2.3", "1.2.3-\xc3\xa9", "..", "+", "-"}) {
    EXPECT_FALSE(IsSemanticVersion(bad)) << bad;
  }
}

}  // namespace
}  // namespace allot::apiserver
