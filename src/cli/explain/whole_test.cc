// Pods that ask for whole GPUs, mostly as amounts of a resource: nvidia.com/gpu: 1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain/test_world.h"

namespace allot::cli {
namespace {

using sched::GpuNode;
using sched::PlainPod;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// As kube-scheduler leaves it: no claim is made before there is a place.
TEST(Explain, AmountsThatAClassStandsForAreExplainedAsTheClaimThatTheyBecome) {
  const std::string pod =
      "kind: DeviceClass\nmetadata: {name: whole}\nspec: {extendedResourceName: nvidia.com/gpu}\n---\n"
      "kind: Pod\nmetadata: {name: p, namespace: lab, uid: pod-p}\nspec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: "
      "'1'}, "
      "requests: {nvidia.com/gpu: '1'}}}]}\n---\n";
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), Running("holder", "n1", "gpu-0", "6Gi"), pod), "p", false),
              AllOf(StartsWith("Pod lab/p waits: "), HasSubstr("  lab/holder 6144 MiB"), HasSubstr("no GPU is free as a whole"),
                    HasSubstr("- lab/holder ending, on n1"), HasSubstr("at most 18432 MiB instead of a whole GPU"),
                    HasSubstr("a part of one is asked for by a claim:\n   allot demo")));
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), pod), "p", false), HasSubstr("it fits now, on n1, with gpu-0"));
  // Allot's own scheduler makes it first.
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), pod), "p"),
              AllOf(HasSubstr("its claim for nvidia.com/gpu is not made yet"), HasSubstr("allot describe pod p -n lab")));
  const std::string plugin = "{kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: '8', pods: '9', nvidia.com/gpu: '2'}}}\n---\n";
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), plugin, pod), "p", false),
              HasSubstr("nodes have by a device plugin and others as devices"));
  view::World blind = WorldOf(StrCat(GpuNode("n1", {24}), pod), false);
  blind.classes = view::Listing();
  blind.classes.status = Invalid("you may not");
  EXPECT_THAT(TextOf(blind, "p"), AllOf(HasSubstr("a class stands for that cannot be seen"), Not(HasSubstr("allot demo"))));
}

// A claim for whole devices of a class, as it is made of amounts, and a Pod that has it.
std::string WholePod(int count, std::string_view more = "") {
  return StrCat(
      "kind: ResourceClaim\nmetadata: {name: p-x, namespace: lab, uid: claim-x, ownerReferences: [{kind: Pod, name: p, controller: "
      "true}]}\n"
      "spec: {devices: {requests: [{name: container-0-request-0, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: ",
      count,
      "}}]}}\n---\nkind: Pod\nmetadata: {name: p, namespace: lab, uid: pod-p}\nspec: {containers: [{name: c, resources: {limits: "
      "{nvidia.com/gpu: '1'}}}]",
      more,
      "}\nstatus: {extendedResourceClaimStatus: {resourceClaimName: p-x, requestMappings: [{containerName: c, resourceName: "
      "nvidia.com/gpu, requestName: container-0-request-0}]}}\n---\n");
}

TEST(Explain, AWholeGpuIsNoAmountOfMemory) {
  EXPECT_THAT(
      ExplainIn(StrCat(GpuNode("n1", {24, 12}), Running("a", "n1", "gpu-0", "6Gi"), Running("b", "n1", "gpu-1", "6Gi"), WholePod(1)), "p"),
      StartsWith("Pod lab/p waits: no GPU is free as a whole\n"));
}

TEST(Explain, WhoWaitsBehindOthersForAWholeGpuIsToldWhatAPartWouldDo) {
  const std::string ahead =
      "kind: ResourceClaim\nmetadata: {name: a-x, namespace: lab, uid: claim-a}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}\n---\n" +
      PlainPod("ahead", ", resourceClaims: [{name: gpu, resourceClaimName: a-x}], priority: 10");
  EXPECT_THAT(
      ExplainIn(StrCat(GpuNode("n1", {24, 12}), Running("a", "n1", "gpu-0", "6Gi"), Running("b", "n1", "gpu-1", "2Gi"), ahead, WholePod(1)),
                "p"),
      HasSubstr("asking for at most 18432 MiB instead of a whole GPU, without delaying\n    another Pod"));
}

TEST(Explain, TwoClaimsOfOnePodThatAreInEachOthersWay) {
  const std::string share =
      "kind: ResourceClaim\nmetadata: {name: p-gpu, namespace: lab, uid: claim-gpu}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: 6Gi}}}}]}}\n---\n";
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), share, WholePod(1, ", resourceClaims: [{name: gpu, resourceClaimName: p-gpu}]")), "p"),
              HasSubstr("no node has enough devices that fit together"));
}

TEST(Explain, MoreThanAClaimCanHaveIsMendedInThePod) {
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), WholePod(33)), "p"),
              AllOf(HasSubstr("exceeds the claim limit of 32"), HasSubstr("Make the Pod again with"),
                    HasSubstr("allot describe class gpu\n"), Not(HasSubstr("template"))));
}

TEST(Explain, WhatDevicePluginsCountIsAskedForByAClaim) {
  const std::string asks =
      "kind: Pod\nmetadata: {name: p, namespace: lab}\nspec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}]}\n---\n";
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), asks), "p"),
              AllOf(HasSubstr("has no nvidia.com/gpu"), HasSubstr("by a claim:\n   allot demo --print\n")));
}

}  // namespace
}  // namespace allot::cli
