// What status calls free: only what a claim would get.

#include "base/test_util.h"
#include "cli/fake_cluster.h"
#include "json/json.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string TextOf(FakeCluster& cluster) { return cluster.Run({"status"}).out; }

// A field of the first device, as JSON; empty: it is not there.
std::string FieldOf(FakeCluster& cluster, std::string_view field) {
  const auto document = json::Parse(cluster.Run({"status", "-o", "json"}).out);
  if (!document.ok()) return document.status().message();
  const json::Value& value = document->root()["devices"].Items()[0][field];
  return value.IsNull() ? "" : json::Write(value);
}

// HealthyCluster whose first GPU has all this.
FakeCluster ClusterWith(std::string_view more, std::string_view capacity) {
  FakeCluster cluster = HealthyCluster();
  cluster.slices = FakeSlice("n1", StrCat(R"({"name":"gpu-0","capacity":{)", capacity, R"(},"allowMultipleAllocations":true)", more, "}"));
  return cluster;
}

TEST(StatusFree, NothingIsFreeWhereAllSharesAreTaken) {
  FakeCluster cluster = ClusterWith("", R"("memory":{"value":"24Gi"},"shares":{"value":"2"})");
  EXPECT_THAT(TextOf(cluster), AllOf(HasSubstr("no share left (2 of 2)"), HasSubstr("18432 of 24576 MiB used, 0 free\n")));
  EXPECT_EQ(FieldOf(cluster, "freeMiB"), "0");
  cluster = ClusterWith("", R"("memory":{"value":"24Gi"},"shares":{"value":"3"})");
  EXPECT_THAT(TextOf(cluster), AllOf(Not(HasSubstr("no share left")), HasSubstr("6144 free\n")));
  EXPECT_EQ(FieldOf(cluster, "freeMiB"), "6144");
}

TEST(StatusFree, NothingOfATaintedDeviceIsFree) {
  for (const std::string_view effect : {"NoSchedule", "NoExecute"}) {
    FakeCluster cluster = ClusterWith(StrCat(R"(,"taints":[{"key":"k","effect":")", effect, R"("}])"), R"("memory":{"value":"24Gi"})");
    EXPECT_THAT(TextOf(cluster), AllOf(HasSubstr("6144 left, but tainted\n"), Not(HasSubstr("free"))));
    EXPECT_EQ(FieldOf(cluster, "freeMiB"), "0");
  }
  FakeCluster cluster = ClusterWith(R"(,"taints":[{"key":"k","effect":"None"}])", R"("memory":{"value":"24Gi"})");
  EXPECT_EQ(FieldOf(cluster, "freeMiB"), "6144");
}

TEST(StatusFree, NothingIsFreeOnANodeThatTakesNoPods) {
  FakeCluster cluster = HealthyCluster();
  cluster.nodes = StrCat(FakeNode("n1", "containerd://2.1.4", "{}", "False"), ",", FakeNode("n2"));
  EXPECT_THAT(TextOf(cluster), AllOf(HasSubstr("n1/gpu-0  RTX 3090, node is not ready\n"), HasSubstr("6144 left, but not ready\n"),
                                     HasSubstr("n2/gpu-0  RTX 3090, healthy\n")));
  EXPECT_EQ(FieldOf(cluster, "freeMiB"), "0");
  cluster.nodes = StrCat(FakeNode("n1", "containerd://2.1.4", "{}", "True", true), ",", FakeNode("n2"));
  EXPECT_THAT(TextOf(cluster), AllOf(HasSubstr("RTX 3090, node is cordoned, healthy\n"), HasSubstr("6144 left, but cordoned\n")));
  EXPECT_EQ(FieldOf(cluster, "freeMiB"), "0");
}

TEST(StatusFree, NodesThatMayNotBeSeenAreSaid) {
  FakeCluster cluster = HealthyCluster();
  cluster.forbidden = "/nodes";
  EXPECT_THAT(TextOf(cluster), AllOf(HasSubstr("Not seen:\n  nodes, because you may not list them"), HasSubstr("6144 free\n")));
}

TEST(StatusFree, WhatIsNotSeenIsNotCalledHealthy) {
  FakeCluster cluster = HealthyCluster();
  EXPECT_EQ(FieldOf(cluster, "healthy"), "true");
  cluster.forbidden = "/resourceslices";
  EXPECT_EQ(FieldOf(cluster, "healthy"), "");
  EXPECT_EQ(FieldOf(cluster, "shared"), "");
}

TEST(StatusFree, PartsOfAMebibyteThatFitAreNoOvercommitment) {
  FakeCluster cluster = ClusterWith("", R"("memory":{"value":"3584Ki"})");
  cluster.claims = StrCat(FakeClaim("c1", "gpu-0", "1792Ki", "a"), ",", FakeClaim("c2", "gpu-0", "1792Ki", "b"));
  EXPECT_EQ(FieldOf(cluster, "overCommitted"), "false");
  EXPECT_THAT(TextOf(cluster), AllOf(Not(HasSubstr("OVER-COMMITTED")), HasSubstr("0 free")));
  cluster.claims += StrCat(",", FakeClaim("c3", "gpu-0", "1", "c"));
  EXPECT_EQ(FieldOf(cluster, "overCommitted"), "true");
}

}  // namespace
}  // namespace allot::cli
