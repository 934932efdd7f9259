#include "control/server_features.h"

#include "control/test_cluster.h"
#include "json/editor.h"

namespace allot::control {
namespace {

using ::testing::HasSubstr;

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Removes a field of every request that a ResourceClaim has, or of every device of a ResourceSlice, when the object is created: as a
// server does whose feature is off.
Gatekeeper::Change Drops(std::string_view plural, std::string_view field) {
  return [=](const apiserver::AdmissionRequest& request, json::Editor& edit, const json::Value& object) {
    if (request.kind.type.plural != plural || request.operation != apiserver::Operation::kCreate) return object;
    const auto dropped = [&](const json::Value& one) { return edit.Without(one, field); };
    if (plural == "resourceslices") {
      return edit.SetAt(object, {"spec", "devices"}, edit.Map(object["spec"]["devices"], dropped));
    }
    const json::Value requests = edit.Map(object["spec"]["devices"]["requests"], [&](const json::Value& one) {
      return one["exactly"].IsNull() ? dropped(one) : edit.Set(one, "exactly", dropped(one["exactly"]));
    });
    return edit.SetAt(object, {"spec", "devices", "requests"}, requests);
  };
}

std::string Off(const alloc::Features& features) {
  std::string off;
  const auto add = [&](bool on, std::string_view name) { off += on ? "" : StrCat(off.empty() ? "" : " ", name); };
  add(features.admin_access, "admin");
  add(features.prioritized_list, "list");
  add(features.partitionable_devices, "partitions");
  add(features.device_taints, "taints");
  add(features.binding_conditions, "conditions");
  add(features.consumable_capacity, "capacity");
  return off;
}

std::string OffAt(TestCluster& cluster) {
  const Result<alloc::Features> features = AskFeatures(cluster.client(), {});
  return features.ok() ? Off(*features) : features.status().message();
}

TEST(ServerFeatures, TheEmbeddedApiHasWhatKubernetes136HasByDefault) {
  TestCluster cluster(1, 24);
  EXPECT_EQ(OffAt(cluster), "");
  EXPECT_TRUE(cluster.List(kube::types::kResourceClaims).empty());  // a dry run stores nothing
  EXPECT_EQ(cluster.List(kube::types::kResourceSlices).size(), 1u);
}

TEST(ServerFeatures, AFieldThatTheServerDropsShowsItsFeatureOff) {
  TestCluster cluster(1, 24);
  const auto off = [&](std::string_view plural, std::string_view field) {
    cluster.gatekeeper().SetChange(Drops(plural, field));
    return OffAt(cluster);
  };
  EXPECT_EQ(off("resourceclaims", "capacity"), "capacity");
  EXPECT_EQ(off("resourceclaims", "tolerations"), "taints");
  EXPECT_EQ(off("resourceclaims", "firstAvailable"), "list");
  EXPECT_EQ(off("resourceslices", "allowMultipleAllocations"), "capacity");
  EXPECT_EQ(off("resourceslices", "taints"), "taints");
  EXPECT_EQ(off("resourceslices", "consumesCounters"), "partitions");
  EXPECT_EQ(off("resourceslices", "nothing"), "");
}

TEST(ServerFeatures, WhatMayNotBeAskedCountsAsOn) {
  TestCluster cluster(1, 24);
  cluster.gatekeeper().Set(
      [](const apiserver::AdmissionRequest& request, const json::Value&) { return request.dry_run ? Invalid("not for you") : Status(); });
  EXPECT_EQ(OffAt(cluster), "");
}

TEST(ServerFeatures, AServerThatDoesNotAnswerIsNoAnswer) {
  kube::Config config;
  config.server = "http://127.0.0.1:1";
  ASSERT_OK_AND_ASSIGN(const auto client, kube::Client::Make(config));
  EXPECT_THAT(AskFeatures(*client, {std::chrono::steady_clock::now() + std::chrono::milliseconds(200), nullptr}),
              IsStatus(Code::kUnavailable, HasSubstr("features of the API server")));
}

TEST(ServerFeatures, TheSchedulerDecidesByWhatTheServerHasNow) {
  TestCluster cluster(1, 24);
  cluster.AddClaim("half", "12Gi");  // from the time when the feature was on
  cluster.gatekeeper().SetChange(Drops("resourceclaims", "capacity"));
  cluster.StartScheduler();
  cluster.AddPod("a", "resourceClaimName: half");
  EXPECT_TRUE(cluster.Await([&] { return Contains(cluster.Scheduled("a"), "DRAConsumableCapacity feature is disabled"); }))
      << cluster.Scheduled("a");
  // The server is started with the feature. The scheduler asks again after some minutes.
  cluster.gatekeeper().SetChange(nullptr);
  cluster.PassTime(std::chrono::minutes(10));
  cluster.Create("{kind: Namespace, apiVersion: v1, metadata: {name: wakes-the-scheduler}}");
  EXPECT_TRUE(cluster.AwaitBound("a")) << cluster.Scheduled("a") << cluster.log();
}

}  // namespace
}  // namespace allot::control
