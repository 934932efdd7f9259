#include "dialect/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_util.h"
#include "json/json.h"
#include "json/yaml.h"

namespace allot::dialect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A Pod of this spec, in YAML.
json::Document Pod(std::string_view spec) {
  auto documents = json::ParseYaml(StrCat("metadata: {name: train, namespace: lab}\nspec: ", spec, "\n"));
  EXPECT_OK(documents);
  return std::move(documents->front());
}

constexpr std::string_view kTwoContainers = "{containers: [{name: a}, {name: b}]}";

class TranslateTest : public testing::Test {
 protected:
  TranslateTest() : edit_(arena_) {}

  Translation Share(const dialect::Share& share, std::string_view spec = kTwoContainers) {
    pods_.push_back(Pod(spec));
    return Translate(edit_, pods_.back().root(), share, facts_);
  }
  Translation Plain(std::string_view spec) {
    pods_.push_back(Pod(spec));
    return Translate(pods_.back().root(), facts_);
  }

  json::Arena arena_;
  json::Editor edit_;
  std::vector<json::Document> pods_;
  Facts facts_;
};

TEST_F(TranslateTest, LeavesAPodThatAsksForAmountsAsItIs) {
  for (const char* spec : {"{containers: [{name: c}]}", "{nodeName: n1, containers: [{name: c, resources: {limits: {cpu: 1}}}]}",
                           "{containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}",
                           "{nodeName: n1, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 0}}}]}"}) {
    const Translation translation = Plain(spec);
    EXPECT_EQ(json::Write(translation.pod), json::Write(pods_.back().root()));
    EXPECT_THAT(translation.templates, IsEmpty());
    EXPECT_THAT(translation.warnings, IsEmpty());
    EXPECT_THAT(translation.refusals, IsEmpty()) << spec;
  }
}

TEST_F(TranslateTest, RefusesAnAmountOnANamedNodeAndSaysWhatToWrite) {
  constexpr std::string_view kSpec =
      "{nodeName: n1, initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: 1}}}], containers: [{name: c}]}";
  EXPECT_THAT(Plain(kSpec).refusals,
              ElementsAre(Refusal{"spec.nodeName",
                                  "a Pod with nodeName bypasses the scheduler, and only the scheduler allocates nvidia.com/gpu; use "
                                  "nodeSelector: {kubernetes.io/hostname: n1}"}));
  // kubelet asks the device plugin for it, without a scheduler.
  facts_.plugin_resources = {"nvidia.com/gpu"};
  EXPECT_THAT(Plain(kSpec).refusals, IsEmpty());
}

TEST_F(TranslateTest, AShareIsATemplateThatTheFirstContainerUses) {
  const Translation translation = Share({.memory = model::MiB(6144)});
  ASSERT_EQ(translation.templates.size(), 1u);
  EXPECT_THAT(translation.templates[0].name, StartsWith("gpu-share-"));
  EXPECT_EQ(
      json::Write(translation.templates[0].spec),
      R"({"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.nvidia.com","allocationMode":"ExactCount","count":1,)"
      R"("capacity":{"requests":{"memory":"6144Mi"}}}}]}})");
  EXPECT_EQ(json::Write(translation.pod["spec"]),
            StrCat(R"({"containers":[{"name":"a","resources":{"claims":[{"name":"gpu"}]}},{"name":"b"}],)",
                   R"("resourceClaims":[{"name":"gpu","resourceClaimTemplateName":")", translation.templates[0].name, "\"}]}"));
}

TEST_F(TranslateTest, KeepsTheClaimsThatThePodHas) {
  const Translation translation =
      Share({}, "{containers: [{name: a, resources: {claims: [{name: nic}]}}], resourceClaims: [{name: nic, resourceClaimName: mine}]}");
  EXPECT_EQ(json::Write(translation.pod["spec"]["containers"]), R"([{"name":"a","resources":{"claims":[{"name":"nic"},{"name":"gpu"}]}}])");
  EXPECT_THAT(json::Write(translation.pod["spec"]["resourceClaims"]),
              StartsWith(R"([{"name":"nic","resourceClaimName":"mine"},{"name":"gpu")"));
}

TEST_F(TranslateTest, EqualSharesHaveOneTemplateAndOthersHaveOthers) {
  const auto name = [&](const dialect::Share& share) { return Share(share).templates.at(0).name; };
  EXPECT_EQ(name({.memory = model::MiB(6144)}), name({.memory = model::MiB(6144)}));
  EXPECT_NE(name({.memory = model::MiB(6144)}), name({.memory = model::MiB(6145)}));
  EXPECT_NE(name({.memory = model::MiB(6144)}), name({.memory = model::MiB(6144), .gpus = 2}));
  EXPECT_NE(name({.memory = model::MiB(6144)}), name({}));
  // The sizes are a part of the content.
  facts_.gpu_sizes = {model::MiB(24576)};
  const std::string half = name({.fraction = *model::Fraction::Parse("0.5")});
  EXPECT_EQ(half, name({.fraction = *model::Fraction::Parse("1/2")}));
  facts_.gpu_sizes = {model::MiB(24576), model::MiB(12288)};
  EXPECT_NE(half, name({.fraction = *model::Fraction::Parse("0.5")}));
}

TEST_F(TranslateTest, ARefusalNamesTheFieldAndTheWayOut) {
  facts_.gpu_sizes = {model::MiB(100)};
  const struct {
    dialect::Share share;
    std::string_view field, message;
  } cases[] = {
      {{.memory = model::MiB(1), .fraction = *model::Fraction::Parse("0.5")}, "fraction", "exclude each other; give one of them"},
      {{.gpus = 0}, "gpus", "0 is not from 1 to 32"},
      {{.model = "a\"b"}, "model", "is not the name of a GPU; give a part of one, like rtx3090"},
      {{.fraction = *model::Fraction::Parse("0.001")}, "fraction", "0.001 of 100 MiB is less than a MiB; give a larger part"},
  };
  for (const auto& one : cases) {
    const Translation translation = Share(one.share);
    ASSERT_EQ(translation.refusals.size(), 1u) << one.message;
    EXPECT_EQ(translation.refusals[0].field, one.field);
    EXPECT_THAT(translation.refusals[0].message, HasSubstr(one.message));
    EXPECT_FALSE(translation.refusals[0].retry);
    EXPECT_THAT(translation.templates, IsEmpty());
  }
  EXPECT_EQ(Share({}, "{containers: [{name: a}], resourceClaims: [{name: gpu, resourceClaimName: mine}]}").refusals[0].field,
            "spec.resourceClaims");
}

TEST_F(TranslateTest, AFractionWaitsForASizeOfAGpu) {
  const Translation translation = Share({.fraction = *model::Fraction::Parse("0.5")});
  ASSERT_EQ(translation.refusals.size(), 1u);
  EXPECT_TRUE(translation.refusals[0].retry);
  EXPECT_THAT(translation.refusals[0].message, HasSubstr("no GPU has reported its memory yet"));
}

TEST_F(TranslateTest, WarnsOfGpusThatAFractionIsTooLargeFor) {
  for (int i = 1; i <= 7; ++i) facts_.gpu_sizes.emplace_back(i * 1024);
  EXPECT_THAT(Share({.fraction = *model::Fraction::Parse("0.5")}).warnings, IsEmpty());
  facts_.gpu_sizes.emplace_back(8192);
  EXPECT_THAT(Share({.fraction = *model::Fraction::Parse("0.5")}).warnings,
              ElementsAre("a claim can tell 7 sizes of GPUs apart: on a GPU of less than 2048 MiB, 0.5 takes 4096 MiB"));
}

}  // namespace
}  // namespace allot::dialect
