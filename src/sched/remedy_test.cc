#include "sched/remedy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"
#include "sched/words.h"

namespace allot::sched {
namespace {

using testing::Contains;
using testing::ElementsAre;

std::vector<std::string> Remedies(World& world, std::string_view pod) {
  const PodWithClaims asking = world.cluster().WithClaims(world.cluster().FindPod(StrCat("lab/", pod)));
  std::vector<std::string> texts;
  for (const Remedy& remedy : FindRemedies(world.decider(), *world.cluster().Take(), asking)) texts.push_back(Words(remedy));
  return texts;
}

TEST(Remedy, LessMemoryOthersEndingOrHardware) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("train-1", "10Gi"));
  world.Add(GpuPod("train-2", "8Gi"));
  EXPECT_EQ(world.Run(), "train-1>n1/gpu-0 train-2>n1/gpu-0");
  world.Add(GpuPod("late", "8Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(Remedies(world, "late"),
              ElementsAre("2048 MiB less (6144 instead of 8192)", "lab/train-2 ending", "a node with a free 24 GiB GPU"));
}

TEST(Remedy, SeveralHaveToEnd) {
  World world(GpuNode("n1", {24}));
  for (const char* name : {"a", "b", "c"}) world.Add(GpuPod(name, "8Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0 b>n1/gpu-0 c>n1/gpu-0");
  world.Add(GpuPod("late", "16Gi"));
  EXPECT_THAT(Remedies(world, "late"), ElementsAre("lab/b and lab/c ending", "a node with a free 24 GiB GPU"));
}

TEST(Remedy, GpusThatAreNotAlikeAreNamedOneByOne) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(GpuPod("holder", "20Gi"));
  EXPECT_EQ(world.Run(), "holder>n1/gpu-0");
  world.Add(
      "kind: ResourceClaim\nmetadata: {name: p-gpu, namespace: lab, uid: claim-p}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 2}}]}}\n---\n" +
      PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: p-gpu}]"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(Remedies(world, "p"), Contains("a node with free GPUs: 12 GiB, 24 GiB"));
}

TEST(Remedy, OneThatIsLargeRatherThanManyThatAreSmall) {
  World world(GpuNode("n1", {24, 24}));
  for (const char* name : {"a", "b", "c", "d"}) world.Add(GpuPod(name, "6Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0 b>n1/gpu-0 c>n1/gpu-0 d>n1/gpu-0");
  world.Add(GpuPod("whole", "24Gi"));
  EXPECT_EQ(world.Run(), "whole>n1/gpu-1");
  world.Add(GpuPod("late", "24Gi"));
  EXPECT_THAT(Remedies(world, "late"), ElementsAre("lab/whole ending", "a node with a free 24 GiB GPU"));
}

TEST(Remedy, ForWhatCanNeverFitOnlyLessOrLargerHardware) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(GpuPod("giant", "30Gi"));
  EXPECT_THAT(Remedies(world, "giant"), ElementsAre("6144 MiB less (24576 instead of 30720)", "a node with a free 32 GiB GPU"));
}

TEST(Remedy, LiftsARule) {
  World world(GpuNode("n1", {24}, "spec: {unschedulable: true}\n"));
  world.Add(GpuPod("p", "6Gi"));
  EXPECT_THAT(Remedies(world, "p"), ElementsAre("kubectl uncordon n1", "a node with a free 24 GiB GPU"));
  World tainted(GpuNode("n1", {24}, "spec: {taints: [{key: k, value: v, effect: NoSchedule}]}\n"));
  tainted.Add(GpuPod("p", "6Gi"));
  EXPECT_THAT(Remedies(tainted, "p"), ElementsAre("a toleration for k:NoSchedule (node n1)", "a node with a free 24 GiB GPU"));
  World labelled(GpuNode("n1", {24}));
  labelled.Add(GpuPod("p", "6Gi", ", nodeSelector: {zone: a}"));
  EXPECT_THAT(Remedies(labelled, "p"), ElementsAre("label zone=a on node n1"));
}

TEST(Remedy, LessCpu) {
  World world(GpuNode("n1", {24}));
  world.Add(PlainPod("p", ", overhead: {cpu: '10'}"));
  EXPECT_THAT(Remedies(world, "p"), ElementsAre("2 CPUs less (8 instead of 10)"));
}

TEST(Remedy, LessCpuWhereTheNodeWithTheMostWillNotDo) {
  World world(GpuNode("n1", {24}));
  world.Add(
      "kind: Node\nmetadata: {name: n2}\nspec: {unschedulable: true}\nstatus: {allocatable: {cpu: '9', memory: 64Gi, pods: '110'}}\n");
  world.Add(PlainPod("p", ", overhead: {cpu: '10'}"));
  EXPECT_THAT(Remedies(world, "p"), ElementsAre("2 CPUs less (8 instead of 10)"));
}

TEST(Remedy, DevicesOfOneNameAreSeveralWhereTheirDriversDiffer) {
  World world(GpuNode("n1", {24}));
  world.Add(
      "kind: ResourceSlice\nmetadata: {name: n1-more}\nspec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, "
      "resourceSliceCount: 1}, devices: [{name: gpu-0, capacity: {memory: {value: 24Gi}}}]}\n");
  world.Add(
      "kind: ResourceClaim\nmetadata: {name: p-gpu, namespace: lab, uid: claim-p}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 2}}]}}\n");
  world.Add(PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: p-gpu}]"));
  EXPECT_THAT(Remedies(world, "p"), Contains("a node with 2 free GPUs of 24 GiB"));
}

TEST(Remedy, NoneForAPodThatIsHeldBack) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("p", "6Gi", ", schedulingGates: [{name: g}]"));
  EXPECT_THAT(Remedies(world, "p"), ElementsAre());
}

}  // namespace
}  // namespace allot::sched
