#include "dialect/extended_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_util.h"
#include "json/editor.h"
#include "json/json.h"
#include "json/yaml.h"

namespace allot::dialect {
namespace {

const ResourceClasses kGpu = {{"nvidia.com/gpu", "gpu.nvidia.com"}};

ExtendedClaim Made(std::string_view spec, const ResourceClasses& classes = kGpu, std::string_view name = "train") {
  const auto documents =
      json::ParseYaml(StrCat("metadata: {name: ", name, ", namespace: lab, uid: 019f-7000-8000-a1b2c3d4e5f6}\nspec: ", spec, "\n"));
  EXPECT_OK(documents);
  return ClaimForResources(documents->front().root(), classes);
}

// "container-0-request-1=2 | c:container-0-request-1": the requests with their counts, and the containers that use them.
std::string TextOf(const ExtendedClaim& made) {
  const auto claim = json::Parse(made.claim), status = json::Parse(made.pod_status);
  EXPECT_OK(claim);
  EXPECT_OK(status);
  std::string text;
  for (const json::Value& one : json::ItemsOf(claim->root()["spec"]["devices"]["requests"])) {
    text += StrCat(json::TextOf(one["name"]), "=", json::Write(one["exactly"]["count"]), " ");
  }
  text += "|";
  for (const json::Value& one : json::ItemsOf(status->root()["requestMappings"])) {
    text += StrCat(" ", json::TextOf(one["containerName"]), ":", json::TextOf(one["requestName"]));
  }
  return text;
}

std::string ToClaim(std::string_view limits, const std::vector<model::DeviceClass>& classes, std::string_view plugin = "") {
  const auto documents =
      json::ParseYaml(StrCat("{metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: ", limits, "}}]}}"));
  const Result<model::Pod> pod = model::Pod::Read(documents->front().root());
  EXPECT_OK(pod);
  Facts facts;
  for (const model::DeviceClass& one : classes) facts.classes.push_back(&one);
  if (!plugin.empty()) facts.plugin_resources.emplace(plugin);
  std::string text;
  for (const auto& [resource, class_name] : ResourcesToClaim(*pod, facts)) text += StrCat(resource, "=", class_name, " ");
  return text;
}

model::DeviceClass Class(std::string_view name, std::string_view created, std::string_view resource) {
  model::DeviceClass made;
  made.name = name;
  made.created = created;
  made.extended_resource_name = resource;
  return made;
}

TEST(ExtendedResources, TheNewestClassThenTheFirstByNameStandsForAResource) {
  const std::vector<model::DeviceClass> classes = {Class("a", "2026-01-02", "nvidia.com/gpu"), Class("b", "2026-01-02", "nvidia.com/gpu"),
                                                   Class("old", "2026-01-01", "nvidia.com/gpu"), Class("mig", "2026-01-03", "")};
  EXPECT_EQ(ToClaim("{nvidia.com/gpu: 1, cpu: 1, example.com/nic: 1}", classes), "nvidia.com/gpu=a ");
  EXPECT_EQ(ToClaim("{deviceclass.resource.kubernetes.io/mig: 1}", classes), "deviceclass.resource.kubernetes.io/mig=mig ");
  EXPECT_EQ(ToClaim("{nvidia.com/gpu: 0}", classes), "");
  EXPECT_EQ(ToClaim("{nvidia.com/gpu: 1}", {}), "");
}

TEST(ExtendedResources, WhatADevicePluginOffersIsNotClaimed) {
  const std::vector<model::DeviceClass> classes = {Class("a", "", "nvidia.com/gpu")};
  EXPECT_EQ(ToClaim("{nvidia.com/gpu: 1}", classes, "example.com/nic"), "nvidia.com/gpu=a ");
  EXPECT_EQ(ToClaim("{nvidia.com/gpu: 1}", classes, "nvidia.com/gpu"), "");
}

TEST(ExtendedResources, AResourceNeedsAClaimUntilOneIsMadeForTheClassOfNow) {
  const Result<std::vector<json::Document>> documents = json::ParseYaml(
      "{metadata: {name: train}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n---\n"
      "{metadata: {name: x, uid: u}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: a}}]}}}\n---\n"
      "{metadata: {name: train}, spec: {containers: [{name: c}]}}\n");
  ASSERT_TRUE(documents.ok()) << documents.status().message();
  const Result<model::Pod> pod = model::Pod::Read(documents->at(0).root());
  const Result<model::ResourceClaim> claim = model::ResourceClaim::Read(documents->at(1).root());
  const Result<model::Pod> plain = model::Pod::Read(documents->at(2).root());
  ASSERT_TRUE(pod.ok() && claim.ok() && plain.ok());
  std::vector<model::DeviceClass> classes = {Class("a", "2026-01-01", "nvidia.com/gpu")};
  const auto facts = [&] {
    Facts all;
    for (const model::DeviceClass& one : classes) all.classes.push_back(&one);
    return all;
  };
  const model::Amounts claimed = {{"nvidia.com/gpu", 1}};
  const auto unclaimed = [&](const MadeClaim& made) { return UnclaimedResources(*pod, claimed, made, facts); };
  EXPECT_EQ(unclaimed({}), (ResourceClasses{{"nvidia.com/gpu", "a"}}));
  EXPECT_EQ(unclaimed({&*claim, "train", false}), ResourceClasses());
  classes.push_back(Class("b", "2026-01-02", "nvidia.com/gpu"));
  EXPECT_EQ(unclaimed({&*claim, "train", false}), (ResourceClasses{{"nvidia.com/gpu", "b"}}));
  EXPECT_EQ(unclaimed({&*claim, "train", true}), ResourceClasses()) << "it is being deleted";
  EXPECT_EQ(unclaimed({&*claim, "other", false}), ResourceClasses()) << "it belongs to another Pod";
  EXPECT_EQ(UnclaimedResources(*plain, {}, {}, [] { return ADD_FAILURE(), Facts(); }), ResourceClasses());
}

TEST(ExtendedResources, AnAmountIsARequestOfTheClassForItsContainer) {
  const ExtendedClaim made = Made("{containers: [{name: c, resources: {requests: {cpu: 1, nvidia.com/gpu: '2'}}}, {name: d}]}");
  EXPECT_EQ(made.name, "train-extended-resources-c3d4e5f6");
  EXPECT_EQ(made.claim,
            R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"train-extended-resources-c3d4e5f6",)"
            R"("namespace":"lab","annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},"ownerReferences":[)"
            R"({"apiVersion":"v1","kind":"Pod","name":"train","uid":"019f-7000-8000-a1b2c3d4e5f6","controller":true}]},)"
            R"("spec":{"devices":{"requests":[{"name":"container-0-request-1","exactly":{"deviceClassName":"gpu.nvidia.com",)"
            R"("allocationMode":"ExactCount","count":2}}]}}})");
  EXPECT_EQ(made.pod_status,
            R"({"requestMappings":[{"containerName":"c","resourceName":"nvidia.com/gpu","requestName":"container-0-request-1"}],)"
            R"("resourceClaimName":"train-extended-resources-c3d4e5f6"})");
}

TEST(ExtendedResources, ContainersThatRunTogetherHaveTheirOwn) {
  EXPECT_EQ(TextOf(Made("{initContainers: [{name: side, restartPolicy: Always, resources: {requests: {nvidia.com/gpu: 1}}}], "
                        "containers: [{name: a, resources: {requests: {nvidia.com/gpu: 1}}}, {name: b, resources: {requests: "
                        "{nvidia.com/gpu: 3}}}]}")),
            "container-0-request-0=1 container-1-request-0=1 container-2-request-0=3 | side:container-0-request-0 "
            "a:container-1-request-0 b:container-2-request-0");
}

TEST(ExtendedResources, AnInitContainerUsesWhatOthersWillHave) {
  EXPECT_EQ(TextOf(Made("{initContainers: [{name: i, resources: {requests: {nvidia.com/gpu: 2}}}], containers: [{name: a, resources: "
                        "{requests: {nvidia.com/gpu: 1}}}, {name: b, resources: {requests: {nvidia.com/gpu: 1}}}]}")),
            "container-1-request-0=1 container-2-request-0=1 | a:container-1-request-0 b:container-2-request-0 "
            "i:container-1-request-0 i:container-2-request-0");
}

TEST(ExtendedResources, ASidecarThatRunsBesideAnInitContainerKeepsItsOwn) {
  EXPECT_EQ(TextOf(Made("{initContainers: [{name: side, restartPolicy: Always, resources: {requests: {nvidia.com/gpu: 1}}}, {name: i, "
                        "resources: {requests: {nvidia.com/gpu: 1}}}], containers: [{name: a}]}")),
            "container-0-request-0=1 container-1-request-0=1 | side:container-0-request-0 i:container-1-request-0");
}

TEST(ExtendedResources, WhatInitContainersNeedBeyondThatTheyShare) {
  EXPECT_EQ(TextOf(Made("{initContainers: [{name: i, resources: {requests: {nvidia.com/gpu: 2}}}, {name: j, resources: {requests: "
                        "{nvidia.com/gpu: 4}}}, {name: k, resources: {requests: {nvidia.com/gpu: 1}}}], containers: [{name: a, resources: "
                        "{requests: {nvidia.com/gpu: 1}}}]}")),
            "container-1-request-0=3 container-3-request-0=1 | a:container-3-request-0 i:container-3-request-0 "
            "i:container-1-request-0 j:container-3-request-0 j:container-1-request-0 k:container-3-request-0");
}

TEST(ExtendedResources, SeveralResourcesAreOneClaimAndOthersAreLeftAlone) {
  const ExtendedClaim made = Made(
      "{containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1, example.com/nic: 1, "
      "deviceclass.resource.kubernetes.io/mig.nvidia.com: 2, nvidia.com/zero: 0}}}]}",
      {{"nvidia.com/gpu", "gpu.nvidia.com"},
       {"nvidia.com/zero", "gpu.nvidia.com"},
       {"deviceclass.resource.kubernetes.io/mig.nvidia.com", "mig.nvidia.com"}});
  EXPECT_EQ(TextOf(made), "container-0-request-0=2 container-0-request-2=1 | c:container-0-request-0 c:container-0-request-2");
}

TEST(ExtendedResources, ALongNameOfAPodLeavesAName) {
  const std::string spec = "{containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}";
  EXPECT_EQ(Made(spec, kGpu, StrCat(std::string(199, 'a'), ".b")).name, StrCat(std::string(199, 'a'), "-extended-resources-c3d4e5f6"));
}

}  // namespace
}  // namespace allot::dialect
