#include "node/nvidia/policy.h"

#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot::node::nvidia {
namespace {

using testing::HasSubstr;

constexpr Policy kShared{}, kExclusive{Mode::kExclusive}, kCordoned{Mode::kShared, 0, true};
constexpr Policy SharedBy(int n) { return {Mode::kShared, n}; }

device::nvidia::Gpu Gpu(int minor, std::string uuid, std::string product) {
  device::nvidia::Gpu gpu;
  gpu.minor = minor;
  gpu.uuid = std::move(uuid);
  gpu.product_name = std::move(product);
  return gpu;
}

const device::nvidia::Gpu k3090 = Gpu(0, "GPU-a", "NVIDIA GeForce RTX 3090"), k3060 = Gpu(1, "GPU-b", "NVIDIA GeForce RTX 3060");

std::string Config(std::string_view rest) { return StrCat("apiVersion: allot/v1\nkind: NodeConfig\n", rest); }

Policy Of(std::string_view rest, std::string_view node, const device::nvidia::Gpu& gpu) {
  const Result<NodeConfig> config = NodeConfig::Parse(Config(rest));
  EXPECT_OK(config);
  return config.ok() ? PolicyFor(*config, node, gpu) : Policy();
}

TEST(Policy, IsSharedWhereNobodySaysOtherwise) {
  EXPECT_EQ(PolicyFor(NodeConfig(), "n1", k3090), kShared);
  EXPECT_EQ(Of("", "n1", k3090), kShared);
  EXPECT_EQ(Of("default:\ngpus:\nnodes:\n", "n1", k3090), kShared);
}

TEST(Policy, TheFirstRuleThatMatchesTheGpuDecides) {
  const std::string_view rules = R"(
default: {mode: exclusive}
gpus:
  - {uuid: GPU-b, mode: cordoned}
  - {productName: "*RTX 30*", minor: 1, mode: shared}
  - {productName: NVIDIA GeForce RTX 3090, mode: shared, maxSharers: 4}
)";
  EXPECT_EQ(Of(rules, "n1", k3060), kCordoned);
  EXPECT_EQ(Of(rules, "n1", k3090), SharedBy(4));
  EXPECT_EQ(Of(rules, "n1", Gpu(1, "GPU-c", "NVIDIA GeForce RTX 3070")), kShared);
  EXPECT_EQ(Of(rules, "n1", Gpu(2, "GPU-c", "NVIDIA A100")), kExclusive);
}

TEST(Policy, ANodesOwnRulesAndDefaultComeBeforeThoseOfAllNodes) {
  const std::string_view rules = R"(
gpus: [{productName: "*3090", mode: exclusive}]
nodes:
  - name: lab-1
    gpus: [{minor: 0, mode: cordoned}]
  - name: lab-*
    default: {mode: shared, maxSharers: 2}
)";
  EXPECT_EQ(Of(rules, "other", k3090), kExclusive);
  EXPECT_EQ(Of(rules, "lab-1", k3090), kCordoned);
  EXPECT_EQ(Of(rules, "lab-1", k3060), kShared) << "the first node that matches is the only one";
  EXPECT_EQ(Of(rules, "lab-2", k3090), SharedBy(2));
}

TEST(Policy, AnErrorNamesTheField) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "expected one document of kind NodeConfig, not 0"},
      {"- a", "the document: expected an object, not a list"},
      {"kind: NodeConfig", "apiVersion: must be allot/v1"},
      {"{apiVersion: allot/v2, kind: NodeConfig}", "apiVersion: must be allot/v1"},
      {"{apiVersion: allot/v1, kind: Config}", "kind: must be NodeConfig"},
      {Config("defaults: {mode: shared}"), "defaults: unknown field; there are apiVersion, kind, default, gpus, nodes"},
      {Config("default: shared"), "default: expected an object, not a string"},
      {Config("default: {}"), "default.mode: is missing"},
      {Config("default: {mode: share}"), "default.mode: \"share\" is not shared, exclusive or cordoned"},
      {Config("gpus: [{productName: \"[abc\", mode: shared}]"), "gpus[0].productName: \"[abc\" has a [ without a ]"},
      {Config("default: {mode: exclusive, maxSharers: 2}"), "default.maxSharers: only with mode shared, not exclusive"},
      {Config("default: {mode: shared, maxSharers: 0}"), "default.maxSharers: expected a whole number from 1"},
      {Config("default: {mode: shared, maxSharers: many}"), "default.maxSharers: expected a whole number from 1"},
      {Config("default: {uuid: GPU-a, mode: shared}"), "default.uuid: unknown field"},
      {Config("gpus: {mode: shared}"), "gpus: expected a list, not an object"},
      {Config("gpus: [{mode: shared}]"), "gpus[0]: names no GPU"},
      {Config("gpus: [{minor: 0, mode: shared}, {minor: -1, mode: shared}]"), "gpus[1].minor: expected a whole number from 0"},
      {Config("gpus: [{uuid: 7, mode: shared}]"), "gpus[0].uuid: expected a string, not a number"},
      {Config("gpus: [{uuid: '', mode: shared}]"), "gpus[0].uuid: must not be empty"},
      {Config("nodes: [{default: {mode: shared}}]"), "nodes[0].name: is missing"},
      {Config("nodes: [{name: a, gpus: [{minor: 0, mode: on}]}]"), "nodes[0].gpus[0].mode: expected a string, not a bool"},
      {Config("nodes: [{name: a, mode: shared}]"), "nodes[0].mode: unknown field; there are name, default, gpus"},
      {Config("gpus: [{minor: 0, minor: 1, mode: shared}]"), "minor"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(NodeConfig::Parse(text), IsStatus(Code::kInvalid, HasSubstr(message))) << text;
}

TEST(Policy, AChangeWaitsUntilNoClaimHoldsTheGpuButACordonDoesNot) {
  const Policy cordoned_exclusive{Mode::kExclusive, 0, true};
  EXPECT_EQ(Settle(kExclusive, nullptr, true), kExclusive) << "nothing was offered before";
  EXPECT_EQ(Settle(kExclusive, &kShared, false), kExclusive);
  EXPECT_EQ(Settle(kExclusive, &kShared, true), kShared);
  const Policy two = SharedBy(2);
  EXPECT_EQ(Settle(SharedBy(1), &two, true), two);
  EXPECT_EQ(Settle(kCordoned, &kExclusive, true), cordoned_exclusive);
  EXPECT_EQ(Settle(kCordoned, &kExclusive, false), cordoned_exclusive) << "the mode is as it was";
  EXPECT_EQ(Settle(kShared, &cordoned_exclusive, true), kExclusive) << "a cordon ends at once, the mode waits";
  EXPECT_EQ(Settle(kShared, &cordoned_exclusive, false), kShared);
}

TEST(PolicyFile, ABrokenFileChangesNothingAndIsReportedUntilItIsMended) {
  FakeFileSystem files;
  ASSERT_OK(files.MakeDirs("/etc/allot"));
  PolicyFile file(files, "/etc/allot/node.yaml");
  ASSERT_OK(file.Refresh());
  EXPECT_EQ(file.current(), NodeConfig());

  ASSERT_OK(files.WriteFileAtomic("/etc/allot/node.yaml", Config("default: {mode: exclusive}")));
  ASSERT_OK(file.Refresh());
  EXPECT_EQ(PolicyFor(file.current(), "n1", k3090), kExclusive);

  ASSERT_OK(files.WriteFileAtomic("/etc/allot/node.yaml", Config("default: {mode: none}")));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(file.Refresh(), IsStatus(Code::kInvalid, HasSubstr("/etc/allot/node.yaml: default.mode: \"none\"")));
    EXPECT_EQ(PolicyFor(file.current(), "n1", k3090), kExclusive);
  }

  ASSERT_OK(files.WriteFileAtomic("/etc/allot/node.yaml", Config("default: {mode: cordoned}")));
  ASSERT_OK(file.Refresh());
  EXPECT_EQ(PolicyFor(file.current(), "n1", k3090), kCordoned);

  ASSERT_OK(files.Remove("/etc/allot/node.yaml"));
  ASSERT_OK(file.Refresh());
  EXPECT_EQ(file.current(), NodeConfig());
}

TEST(PolicyFile, NeedsNoPath) {
  const FakeFileSystem files;
  PolicyFile file(files, "");
  EXPECT_OK(file.Refresh());
  EXPECT_EQ(file.current(), NodeConfig());
}

}  // namespace
}  // namespace allot::node::nvidia
