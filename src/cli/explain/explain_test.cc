#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain/test_world.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

using sched::GpuNode;
using sched::GpuPod;
using sched::PlainPod;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// One GPU of 24 GiB, of which 6 GiB are free.
std::string Busy() {
  return StrCat(GpuNode("n1", {24}), Running("train-1", "n1", "gpu-0", "10Gi"), Running("train-2", "n1", "gpu-0", "8Gi"));
}

TEST(Explain, MemoryThatOthersHold) {
  EXPECT_EQ(ExplainIn(StrCat(Busy(), GpuPod("late", "8Gi")), "late"),
            R"(Pod lab/late waits: no GPU has 8192 MiB free (the most is 6144)
Its turn comes at the latest when lab/train-2 has ended on n1.

n1: 1 device asked, and the only one does not fit
  DEVICE  MODEL   MEMORY     FREE      HELD BY
  gpu-0   GPU-24  24576 MiB  6144 MiB  lab/train-1 10240 MiB,
                                       lab/train-2 8192 MiB
      8192 MiB asked, 2048 MiB short

It would start with any one of:
  - 2048 MiB less (6144 instead of 8192), on n1
  - lab/train-2 ending, on n1
  - a node with a free 24 GiB GPU
)");
}

TEST(Explain, AWideScreenHasADeviceInOneLine) {
  EXPECT_THAT(
      ExplainIn(StrCat(Busy(), GpuPod("late", "8Gi")), "late", true, {140, false, false}),
      HasSubstr("  DEVICE  MODEL   MEMORY     FREE      HELD BY                                      WHY NOT\n"
                "  gpu-0   GPU-24  24576 MiB  6144 MiB  lab/train-1 10240 MiB, lab/train-2 8192 MiB  8192 MiB asked, 2048 MiB short\n"));
}

TEST(Explain, MemoryThatIsTooMuchForEveryNodeWithEqualNodesTogether) {
  EXPECT_EQ(ExplainIn(StrCat(Busy(), GpuNode("n2", {12}), GpuNode("n3", {12}), GpuPod("late", "16Gi")), "late", false),
            R"(Pod lab/late waits: no GPU has 16384 MiB free (the most is 12288)

n1: 1 device asked, and the only one does not fit
  DEVICE  MODEL   MEMORY     FREE      HELD BY
  gpu-0   GPU-24  24576 MiB  6144 MiB  lab/train-1 10240 MiB,
                                       lab/train-2 8192 MiB
      16384 MiB asked, 10240 MiB short

n2, n3: 1 device asked, and the only one does not fit
  DEVICE  MODEL   MEMORY     FREE       HELD BY
  gpu-0   GPU-12  12288 MiB  12288 MiB  none
      16384 MiB asked, more than it has

It would start with any one of:
  - 4096 MiB less (12288 instead of 16384), on n2
  - lab/train-1 ending, on n1
  - a node with a free 24 GiB GPU
)");
}

TEST(Explain, WhatCanNeverFitIsSaidAtOnce) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24, 12}), GpuPod("giant", "30Gi")), "giant"),
            R"(Pod lab/giant can never start here: it asks for 30720 MiB of one GPU, and the
  largest has 24576 MiB

n1: 1 device asked, none of the 2 fits
  DEVICE  MODEL   MEMORY     FREE       HELD BY
  gpu-0   GPU-24  24576 MiB  24576 MiB  none
  gpu-1   GPU-12  12288 MiB  12288 MiB  none
  each of them: 30720 MiB asked, more than it has

It would start with any one of:
  - 6144 MiB less (24576 instead of 30720), on n1
  - a node with a free 32 GiB GPU
)");
}

TEST(Explain, BugTaintsAndCordonsWereReasonsOfAPodThatCanNeverStart) {
  const std::string text =
      ExplainIn(StrCat(GpuNode("n1", {24}), GpuNode("n2", {24}, "spec: {unschedulable: true}\n"),
                       GpuNode("n3", {24}, "spec: {taints: [{key: k, effect: NoSchedule}]}\n"), GpuPod("giant", "30Gi")),
                "giant");
  EXPECT_THAT(text, StartsWith("Pod lab/giant can never start here: it asks for 30720 MiB of one GPU, and the\n  largest has 24576 MiB\n\n"
                               "n1, n2, n3: 1 device asked, and the only one does not fit\n"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("taint")), Not(HasSubstr("cordon"))));
}

TEST(Explain, BugOtherPodsWereReasonsOfAPodThatCanNeverStart) {
  const std::string busy = PlainPod("busy", ", nodeName: n1, overhead: {cpu: '7'}");
  const std::string text = ExplainIn(StrCat(GpuNode("n1", {24}), busy, GpuPod("giant", "30Gi", ", overhead: {cpu: '2'}")), "giant");
  EXPECT_THAT(text, AllOf(StartsWith("Pod lab/giant can never start here: it asks for 30720 MiB of one GPU"), Not(HasSubstr("cpu"))));

  const std::string two = WithClaim(OneDevice(", capacity: {requests: {memory: 24Gi}}", "gpu", 2));
  const std::string held = ExplainIn(StrCat(GpuNode("n1", {24}), Running("first", "n1", "gpu-0", "24Gi"), two), "p");
  EXPECT_THAT(held, AllOf(HasSubstr("can never start here"), HasSubstr("lab/first 24576 MiB"), HasSubstr("would fit if it were free")));
}

TEST(Explain, RoomThatIsKeptForSomebodyAhead) {
  const std::string world =
      StrCat(GpuNode("n1", {24}), Running("first", "n1", "gpu-0", "20Gi"), GpuPod("large", "22Gi"), GpuPod("small", "4Gi"));
  EXPECT_EQ(ExplainIn(world, "small"),
            R"(Pod lab/small waits: node n1 has room, but is kept for lab/large, which is ahead
  of it
It is 2nd of 2 that wait.
lab/large starts when lab/first has ended on n1; with this Pod in its place it
  would have to wait longer.

It would start with any one of:
  - 2048 MiB less (2048 instead of 4096), without delaying another Pod, on n1
  - lab/large no longer waiting (allot delete pod large -n lab)
)");
  // Another scheduler keeps nothing for anybody: it only has not looked yet.
  EXPECT_THAT(ExplainIn(world, "small", false), StartsWith("Pod lab/small waits, though it fits now, on n1, with gpu-0\n"));
}

TEST(Explain, WhoIsBehindOthersHearsOfThemAndOfWhatHelpsAllTheSame) {
  const std::string world =
      StrCat(GpuNode("n1", {24}), Running("first", "n1", "gpu-0", "20Gi"), GpuPod("large", "22Gi"), GpuPod("more", "8Gi"));
  EXPECT_THAT(ExplainIn(world, "more"), HasSubstr(R"(It is 2nd of 2 that wait.
Its turn comes after those ahead of it: by their plans, when lab/first and
  lab/large have ended on n1.
)"));
  EXPECT_THAT(ExplainIn(world, "more"), HasSubstr(R"(It would start with any one of:
  - 6144 MiB less (2048 instead of 8192), without delaying another Pod, on n1
  - lab/first and lab/large ending
  - a node with a free 24 GiB GPU, unless a Pod ahead starts there first
)"));
}

TEST(Explain, WithinASecondTheTimeInTheirUidsSaysWhoIsAhead) {
  const auto pod = [](std::string_view name, std::string_view uid) {
    std::string yaml = sched::GpuPod(name, "20Gi");
    const std::string made = StrCat("uid: pod-", name);
    return yaml.replace(yaml.find(made), made.size(), StrCat("uid: ", uid, ", creationTimestamp: '2026-01-02T03:04:05Z'"));
  };
  const std::string text = ExplainIn(
      sched::GpuNode("n1", {24}) + pod("a", "019a7c5e-0003-7001-8000-000000000001") + pod("z", "019a7c5e-0002-7001-8000-000000000002"),
      "a");
  EXPECT_THAT(text, testing::HasSubstr("lab/z is ahead of it, and can start now."));
}

TEST(Explain, ANodeThatIsCordoned) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}, "spec: {unschedulable: true}\n"), GpuPod("p", "6Gi")), "p"),
            R"(Pod lab/p waits: node n1 is cordoned (unschedulable)

It would start with any one of:
  - kubectl uncordon n1
  - a node with a free 24 GiB GPU
)");
}

TEST(Explain, NodesThatAreTainted) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}, "spec: {taints: [{key: team, value: b, effect: NoSchedule}]}\n"),
                             GpuNode("n2", {24}, "spec: {unschedulable: true}\n"), GpuPod("p", "6Gi")),
                      "p"),
            R"(Pod lab/p waits: none of the 2 nodes fits

n1: is tainted team=b:NoSchedule, which the Pod does not tolerate
n2: is cordoned (unschedulable)

It would start with any one of:
  - a toleration for team:NoSchedule (node n1)
  - a node with a free 24 GiB GPU
)");
}

TEST(Explain, ANodeThatIsNotReadyIsNotToBeTolerated) {
  const std::string text = ExplainIn(
      StrCat(GpuNode("n1", {24}, "spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]}\n"), GpuPod("p", "6Gi")), "p");
  EXPECT_THAT(text, AllOf(HasSubstr("  - node n1 being ready\n"), Not(HasSubstr("a toleration for"))));
}

TEST(Explain, ANodeSelectorThatNoNodeMatches) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}), GpuNode("n2", {24}), GpuPod("p", "6Gi", ", nodeSelector: {zone: a}")), "p"),
            R"(Pod lab/p waits: each of the 2 nodes has no label zone, and the Pod's
  nodeSelector wants zone=a

n1, n2: has no label zone, and the Pod's nodeSelector wants zone=a

It would start with any one of:
  - label zone=a on node n1
)");
}

TEST(Explain, NodeAffinityThatNoNodeMatches) {
  const std::string affinity =
      ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, "
      "operator: In, values: [a]}]}]}}}";
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), GpuPod("p", "6Gi", affinity)), "p"),
              AllOf(HasSubstr("node n1 does not match the Pod's node affinity: zone In a"),
                    HasSubstr("  - the Pod without its node affinity, on n1\n")));
}

TEST(Explain, TooLittleCpu) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}), PlainPod("hog", ", nodeName: n1, overhead: {cpu: '7'}"),
                             GpuPod("p", "6Gi", ", overhead: {cpu: '2'}")),
                      "p"),
            R"(Pod lab/p waits: node n1 has too little cpu: 2 asked, 1 of 8 free
Its turn comes at the latest when lab/hog has ended on n1.

It would start with any one of:
  - 1 CPU less (1 instead of 2), on n1
  - lab/hog ending, on n1
  - a node with a free 24 GiB GPU
)");
}

TEST(Explain, ASchedulingGate) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}), GpuPod("p", "6Gi", ", schedulingGates: [{name: example.com/quota}]")), "p"),
            R"(Pod lab/p is blocked: it has a scheduling gate: example.com/quota
-> no scheduler looks at it until the owner of the gate has removed it. By hand:
   kubectl patch pod p -n lab --type=json -p '[{"op":"remove","path":"/spec/schedulingGates"}]'
)");
}

TEST(Explain, AVolumeThatOurSchedulerDoesNotPlace) {
  const std::string world =
      StrCat(GpuNode("n1", {24}), PlainPod("p", ", volumes: [{name: data, persistentVolumeClaim: {claimName: models}}]"));
  EXPECT_THAT(ExplainIn(world, "p"), StartsWith("Pod lab/p is blocked: its volume data is PersistentVolumeClaim models, and\n  allot's"));
  // Another scheduler may place it.
  EXPECT_THAT(ExplainIn(world, "p", false), Not(HasSubstr("volume")));
}

TEST(Explain, AClaimThatDoesNotExist) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}), PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: shered}]"),
                             "kind: ResourceClaim\nmetadata: {name: shared, namespace: lab, uid: u}\n---\n"),
                      "p"),
            R"(Pod lab/p is blocked: claim lab/shered does not exist (did you mean shared?)
-> make a claim of this name; the Pod starts as soon as it can be allocated.
   Claims that exist:
   allot get claims -n lab
)");
}

TEST(Explain, AClaimThatIsBeingDeleted) {
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: shared}]"),
                               "kind: ResourceClaim\nmetadata: {name: shared, namespace: lab, uid: u, deletionTimestamp: "
                               "'2026-11-16T00:00:00Z'}\n---\n"),
                        "p"),
              AllOf(StartsWith("Pod lab/p is blocked: claim lab/shared is being deleted\n-> it goes when no Pod uses it"),
                    HasSubstr("\n   allot describe claim shared -n lab\n")));
}

TEST(Explain, ATemplateThatDoesNotExistAndOneOfWhichTheClaimIsNotMadeYet) {
  const std::string world = StrCat(GpuNode("n1", {24}), PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]"));
  EXPECT_EQ(ExplainIn(world, "p"),
            R"(Pod lab/p is blocked: its claim gpu is made from template t, which does not
  exist in namespace lab
-> make a template of this name, and the Pod goes on by itself; or delete the
   Pod, and make it again with the name of a template that exists:
   allot get templates -n lab
)");
  EXPECT_THAT(ExplainIn(StrCat(world, "kind: ResourceClaimTemplate\nmetadata: {name: t1, namespace: lab}\n---\n"), "p"),
              HasSubstr("which does not\n  exist in namespace lab (did you mean t1?)\n"));
  EXPECT_EQ(ExplainIn(StrCat(world, "kind: ResourceClaimTemplate\nmetadata: {name: t, namespace: lab}\n---\n"), "p", false),
            R"(Pod lab/p is blocked: its claim gpu is not made yet
-> template t exists, and kube-controller-manager makes the claim from it in a
   moment. If it stays so, the Pod's events say why:
   allot describe pod p -n lab
)");
}

TEST(Explain, AClassThatDoesNotExist) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}), WithClaim(OneDevice("", "gpus"))), "p"),
            R"(Pod lab/p waits, and no scheduler can decide where it fits: class gpus, which
  request gpu of claim lab/c names, does not exist (did you mean gpu?)
-> install what brings the class, or name one that exists:
   allot get classes
)");
}

TEST(Explain, ASelectorThatMatchesNoDevice) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24, 12}),
                             WithClaim(OneDevice(
                                 R"(, selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].productName == 'H100'"}}])"))),
                      "p"),
            R"(Pod lab/p can never start here: no device matches the selectors of its claim

n1: 1 device asked, none of the 2 fits
  DEVICE  MODEL   MEMORY     FREE       HELD BY
  gpu-0   GPU-24  24576 MiB  24576 MiB  none
      selector 1 is false: productName is "GPU-24"
  gpu-1   GPU-12  12288 MiB  12288 MiB  none
      selector 1 is false: productName is "GPU-12"

It would start with any one of:
  - request gpu of claim lab/c without its selectors, on n1
)");
}

TEST(Explain, ASelectorThatFails) {
  EXPECT_EQ(
      ExplainIn(
          StrCat(GpuNode("n1", {24}),
                 WithClaim(OneDevice(R"(, selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].model == 'H100'"}}])"))),
          "p"),
      R"(Pod lab/p waits, and no scheduler can decide where it fits: claim lab/c:
  selector #0: CEL runtime error: no such key: model
-> no scheduler can decide it until this is corrected. A claim cannot be
   changed: delete it and make it again, or correct the template and make the
   Pod again.
   allot describe claim c -n lab
)");
}

TEST(Explain, ANarrowScreenBreaksBetweenHoldersOnly) {
  const std::string text = ExplainIn(StrCat(Busy(), GpuPod("late", "8Gi")), "late", true, {40, false, false});
  EXPECT_THAT(text, HasSubstr(R"(  DEVICE  MODEL   MEMORY     FREE
  gpu-0   GPU-24  24576 MiB  6144 MiB
      held by lab/train-1 10240 MiB,
              lab/train-2 8192 MiB
      8192 MiB asked, 2048 MiB short
)"));
  for (const std::string_view line : Split(text, '\n')) EXPECT_LE(line.size(), 40u) << line;
}

TEST(Explain, AGpuWithAFault) {
  const std::string node =
      "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n---\nkind: ResourceSlice\nmetadata: "
      "{name: n1-gpus}\nspec: {driver: gpu.nvidia.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: "
      "[{name: gpu-0, allowMultipleAllocations: true, attributes: {productName: {string: RTX 3090}}, capacity: {memory: {value: 24Gi}}, "
      "taints: [{key: gpu.nvidia.com/xid, value: '48', effect: NoSchedule}]}]}\n---\n";
  EXPECT_EQ(ExplainIn(StrCat(node, GpuPod("p", "6Gi")), "p"),
            R"(Pod lab/p waits: every device is tainted, which its claim does not tolerate

n1: 1 device asked, and the only one does not fit
  DEVICE  MODEL     MEMORY     FREE       HELD BY
  gpu-0   RTX 3090  24576 MiB  24576 MiB  none
      tainted gpu.nvidia.com/xid=48:NoSchedule, which the request does not
      tolerate

It would start with any one of:
  - taint gpu.nvidia.com/xid=48:NoSchedule of gpu-0 gone, or tolerated by the
    claim, on n1
  - a node with a free 24 GiB GPU
)");
}

TEST(Explain, AClaimThatIsHeldOnANodeWhichIsFull) {
  // `user` shares the claim of `first`, on n1, whose CPU is taken.
  const std::string world =
      StrCat(GpuNode("n1", {24}), GpuNode("n2", {24}), Running("first", "n1", "gpu-0", "8Gi", ", overhead: {cpu: '7'}"),
             PlainPod("user", ", overhead: {cpu: '2'}, resourceClaims: [{name: gpu, resourceClaimName: first-gpu}]"));
  EXPECT_EQ(ExplainIn(world, "user"),
            R"(Pod lab/user waits: none of the 2 nodes fits
Its turn comes at the latest when lab/first has ended on n1.

n1: cpu: 2 asked, 1 of 8 free
n2: claim lab/first-gpu is allocated on another node

It would start with any one of:
  - 1 CPU less (1 instead of 2), on n1
  - lab/first ending, on n1
)");
}

TEST(Explain, APodThatRunsWithWhatItHasWhoElseIsThereAndWhereItCouldBe) {
  EXPECT_EQ(ExplainIn(StrCat(Busy(), GpuNode("n2", {24, 12}), GpuNode("n3", {8}), GpuNode("n4", {24}, "spec: {unschedulable: true}\n")),
                      "train-2"),
            R"(Pod lab/train-2 runs on n1

gpu-0  GPU-24
  ########=======.....  8192 of 24576 MiB are its own (33 %), 6144 free
    # 10240 MiB  lab/train-1
    =  8192 MiB  lab/train-2 (this Pod)

allot does not record why it was placed there. Today it would be placed on
  n3/gpu-0, which leaves 0 MiB over, the least of 4 that fit.

Today:
  n3/gpu-0  fits, and leaves 0 MiB
  n2/gpu-1  fits, and leaves 4096 MiB
  n1/gpu-0  fits, and leaves 6144 MiB <- it is here
  n2/gpu-0  fits, and leaves 16384 MiB
  n4        is cordoned (unschedulable)
)");
}

TEST(Explain, APodThatWouldBePlacedThereAgain) {
  EXPECT_THAT(ExplainIn(StrCat(Busy(), GpuNode("n2", {24})), "train-2"),
              HasSubstr("Today it would be placed there,\n  too: n1/gpu-0, which leaves 6144 MiB over, the least of 2 that fit.\n"));
  EXPECT_THAT(ExplainIn(Busy(), "train-2"), HasSubstr("there,\n  too: nothing else fits.\n"));
  EXPECT_THAT(ExplainIn(StrCat(Busy(), GpuNode("n2", {24})), "train-2", false),
              HasSubstr("Today allot's scheduler would\n  place it there, too"));
}

TEST(Explain, APodThatFitsAndIsNotPlacedHasItsSchedulersWords) {
  const std::string world = StrCat(GpuNode("n1", {24}), GpuPod("p", "6Gi"));
  EXPECT_EQ(ExplainIn(world, "p", false),
            "Pod lab/p waits, though it fits now, on n1, with gpu-0\nNo scheduler has looked at it yet: does one "
            "run that is named default-scheduler?\n");
  const std::string said =
      StrCat(GpuNode("n1", {24}), PlainPod("q", ", schedulerName: mine"),
             "kind: Pod\nmetadata: {name: r, namespace: lab, uid: r}\nspec: {schedulerName: mine, containers: [{name: "
             "c}]}\nstatus: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no luck}]}\n");
  EXPECT_THAT(ExplainIn(said, "q", false), HasSubstr("does one run that is named mine?"));
  EXPECT_THAT(ExplainIn(said, "r", false), HasSubstr("mine said last: Unschedulable: no luck\n"));
}

TEST(Explain, APodThatHasEnded) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24}),
                             "kind: Pod\nmetadata: {name: p, namespace: lab, uid: p}\nspec: {nodeName: n1, containers: "
                             "[{name: c}]}\nstatus: {phase: Failed, message: out of memory}\n"),
                      "p"),
            "Pod lab/p has ended: Failed: out of memory\n");
}

TEST(Explain, WithoutSlicesNothingIsClaimed) {
  view::World world = WorldOf(StrCat(GpuNode("n1", {24}), GpuPod("p", "6Gi")));
  world.slices.status = Invalid("you may not");
  EXPECT_THAT(TextOf(world, "p"), StartsWith("Pod lab/p waits, and why cannot be told: what its claims need cannot be seen\n"));
}

TEST(Explain, APodWhoseGpuIsGone) {
  std::string busy = Busy();
  const size_t device = busy.find("name: gpu-0");
  ASSERT_NE(device, std::string::npos);
  EXPECT_THAT(ExplainIn(busy.replace(device, 11, "name: gpu-7"), "train-2"), HasSubstr("Its device gpu-0, of claim lab/"));
}

TEST(Explain, NothingInItControlsTheTerminal) {
  view::World world = WorldOf(StrCat(Busy(), GpuPod("late", "8Gi")));
  PutObjects(
      "kind: Node\nmetadata: {name: \"n\\e[2J\", labels: {kubernetes.io/hostname: x}}\nstatus: {allocatable: {cpu: '8', pods: '110'}}\n",
      world);
  EXPECT_THAT(TextOf(world, "late"), Not(HasSubstr("\x1b")));
}

TEST(Explain, ManyNodesAreNotAllPrinted) {
  std::string yaml = GpuPod("late", "20Gi");
  for (int i = 0; i < 12; ++i) {
    const std::string node = StrCat("n", i);
    yaml += GpuNode(node, {24});
    yaml += Running(StrCat("train-", i), node, "gpu-0", StrCat(5 + i, "Gi"));
  }
  const std::string text = ExplainIn(yaml, "late");
  EXPECT_THAT(text, AllOf(HasSubstr("n0: 1 device asked"), Not(HasSubstr("n11: ")), HasSubstr("and 4 more nodes, on which less is free")));
}

// Alternatives of a request (firstAvailable): each device has the reason of the alternative that came farthest.
TEST(Explain, AlternativesOfARequestAreExplainedLikeAnyOther) {
  const auto ask = [](std::string_view name, std::string_view memory) {
    return StrCat("{name: ", name, ", deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: ", memory,
                  "}}}");
  };
  const std::string claim = WithClaim(StrCat("{name: gpu, firstAvailable: [", ask("large", "20Gi"), ", ", ask("small", "8Gi"), "]}"));
  const std::string text = ExplainIn(StrCat(Busy(), claim), "p");
  EXPECT_THAT(text, AllOf(StartsWith("Pod lab/p waits: no GPU has 8192 MiB free (the most is 6144)\n"),
                          HasSubstr("alternative small: 8192 MiB asked, 2048 MiB short"),
                          HasSubstr("- 2048 MiB less in alternative small (6144 instead of 8192), on n1"),
                          HasSubstr("- lab/train-2 ending, on n1")));
  view::World world = WorldOf(StrCat(Busy(), claim));
  const sched::Cluster cluster = view::ClusterOf(world);
  EXPECT_THAT(json::WriteYaml(ExplainJson({view::Explain(world, cluster, "lab/p")}, {}).root()), HasSubstr("alternative: small"));
}

TEST(Explain, BugOnlyTheAlternativeThatIsNamedAsksForLess) {
  const auto ask = [](std::string_view name, std::string_view model, std::string_view memory) {
    return StrCat("{name: ", name, ", deviceClassName: gpu, allocationMode: ExactCount, count: 1, selectors: [{cel: {expression: \"",
                  "device.attributes['gpu.nvidia.com'].productName == '", model, "'\"}}], capacity: {requests: {memory: ", memory, "}}}");
  };
  // 7 GiB of the large GPU are free, 2 GiB of the small one.
  const std::string world =
      StrCat(GpuNode("n1", {24}), GpuNode("n2", {12}), Running("a", "n1", "gpu-0", "17Gi"), Running("b", "n2", "gpu-0", "10Gi"));
  const std::string claim =
      StrCat("{name: gpu, firstAvailable: [", ask("large", "GPU-24", "20Gi"), ", ", ask("small", "GPU-12", "5Gi"), "]}");
  const std::string text = ExplainIn(StrCat(world, WithClaim(claim)), "p");
  EXPECT_THAT(text, AllOf(StartsWith("Pod lab/p waits: no GPU that matches its claim has 5120 MiB free (the most is\n  2048)\n"),
                          HasSubstr("- 3072 MiB less in alternative small (2048 instead of 5120), on n2")));
}

TEST(Explain, BugAWrongCapacityWasHiddenBehindAnotherAlternative) {
  const std::string claim = WithClaim(
      "{name: gpu, firstAvailable: [{name: a, deviceClassName: gpu, allocationMode: ExactCount, count: 1, selectors: [{cel: {expression: "
      "'false'}}]}, {name: b, deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {vram: 1Gi}}}]}");
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), claim), "p"), HasSubstr("alternative b: has no capacity \"vram\""));
}

TEST(Explain, BugAnAlternativeOfSeveralDevicesWasCountedAsAnother) {
  const std::string claim = WithClaim(
      "{name: gpu, firstAvailable: [{name: huge, deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: "
      "80Gi}}}, {name: three, deviceClassName: gpu, allocationMode: ExactCount, count: 3, capacity: {requests: {memory: 20Gi}}}]}");
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24, 24}), claim), "p"),
              AllOf(HasSubstr("n1: 3 devices asked"), HasSubstr("alternative three: picked for this request already")));
}

TEST(Explain, JsonHasTheSameFacts) {
  view::World world = WorldOf(StrCat(Busy(), GpuPod("late", "8Gi")));
  const sched::Cluster cluster = view::ClusterOf(world);
  const std::string text =
      json::WriteYaml(ExplainJson({view::Explain(world, cluster, "lab/late"), view::Explain(world, cluster, "lab/train-1")}, {}).root());
  EXPECT_THAT(text, AllOf(HasSubstr("  headline: no GPU has 8192 MiB free (the most is 6144)\n"), HasSubstr("  state: Waits\n"),
                          HasSubstr("  - change: LessMemory\n    facts:\n      askedMiB: 8192\n      enoughMiB: 6144\n    kind: Less\n"),
                          HasSubstr("      kind: NotEnough\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("  state: Placed\n"), HasSubstr("own: true"), HasSubstr("leftMiB: 6144")));
}

TEST(Explain, JsonSaysTooThatSomebodyAheadMayTakeIt) {
  view::World world =
      WorldOf(StrCat(GpuNode("n1", {24}), Running("first", "n1", "gpu-0", "20Gi"), GpuPod("large", "22Gi"), GpuPod("more", "8Gi")));
  const std::string text = json::WriteYaml(ExplainJson({view::Explain(world, view::ClusterOf(world), "lab/more")}, {}).root());
  EXPECT_THAT(text, HasSubstr("a node with a free 24 GiB GPU, unless a Pod ahead starts there first"));
}

}  // namespace
}  // namespace allot::cli
