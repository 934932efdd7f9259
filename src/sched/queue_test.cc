#include "sched/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Queue, StartsPodsThatFitInTheOrderOfArrival) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("b", "6Gi"));
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
  world.Add(GpuPod("a", "6Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
}

TEST(Queue, PodsThatComeTogetherAreInTheOrderOfTheApi) {
  World world(GpuNode("n1", {24}));
  for (const char* name : {"c", "a", "b"}) world.Add(GpuPod(name, "20Gi"));
  EXPECT_EQ(world.Run(), "c>n1/gpu-0");
  world.End("c");
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
}

TEST(Queue, WithinASecondTheTimeInTheirUidsDecides) {
  World world(GpuNode("n1", {24}));
  const auto pod = [](std::string_view name, std::string_view uid) {
    return StrCat("kind: Pod\nmetadata: {name: ", name, ", namespace: lab, uid: ", uid,
                  ", creationTimestamp: '2026-01-02T03:04:05Z'}\nspec: {containers: [{name: c}]}\n---\n");
  };
  world.Add(pod("a", "019a7c5e-0003-7fff-8000-000000000000") + pod("b", "019a7c5e-0003-7001-8000-000000000001") +
            pod("c", "019a7c5e-0002-7001-8000-000000000002"));
  EXPECT_EQ(world.Run(), "c>n1 b>n1 a>n1");
}

TEST(Queue, HigherPriorityComesFirst) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("low", "20Gi", ", priority: 1"));
  world.Add(GpuPod("top", "20Gi", ", priority: 10"));
  EXPECT_EQ(world.Run(), "top>n1/gpu-0");
  EXPECT_THAT(world.WhyWaits("low"), HasSubstr("n1: 1 device asked, and the only one does not fit"));
}

TEST(Queue, LetsALaterPodOvertakeWhereItDelaysNoPod) {
  World world(GpuNode("n1", {24, 12}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "24Gi"));  // waits for the end of first
  world.Add(GpuPod("small", "12Gi"));  // on the other GPU
  EXPECT_EQ(world.Run(), "small>n1/gpu-1");
}

TEST(Queue, KeepsWhatIsFreeForThePodAhead) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "24Gi"));
  world.Add(GpuPod("small", "2Gi"));  // would fit, but large would never start while small Pods keep coming
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("small"), HasSubstr("n1: has room, but is kept for lab/large, which is ahead of it"));
  world.End("first");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
  world.End("large");
  EXPECT_EQ(world.Run(), "small>n1/gpu-0");
}

TEST(Queue, WhatIsKeptForAHigherPriorityIsNotSaidToHaveComeFirst) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("small", "2Gi"));
  world.Add(GpuPod("large", "24Gi", ", priority: 9"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("small"), HasSubstr("kept for lab/large, which is ahead of it"));
}

TEST(Queue, AnOvertakerMayUseWhatThePlanLeavesOver) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "18Gi"));  // after first: 6Gi are left
  world.Add(GpuPod("small", "4Gi"));
  EXPECT_EQ(world.Run(), "small>n1/gpu-0");
  world.End("first");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
}

TEST(Queue, APodAheadMayStartElsewhereAndThenThePlansBehindItChange) {
  World world(GpuNode("n1", {48, 24}));
  world.Add(GpuPod("a", "48Gi"));
  world.Add(GpuPod("b", "24Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0 b>n1/gpu-1");
  world.Add(GpuPod("first", "10Gi"));
  world.Add(GpuPod("second", "40Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.queue().Find("lab/first")->plan->ends, ElementsAre("lab/b"));
  EXPECT_THAT(world.queue().Find("lab/second")->plan->ends, ElementsAre("lab/a", "lab/b"));
  world.End("a");
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.End("b");
  EXPECT_EQ(world.Run(), "") << "first has what second would need";
  EXPECT_THAT(world.queue().Find("lab/second")->plan->ends, ElementsAre("lab/first"));
  world.End("first");
  EXPECT_EQ(world.Run(), "second>n1/gpu-0");
}

TEST(Queue, APodThatCanNeverFitBlocksNoPod) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("giant", "48Gi"));
  world.Add(GpuPod("small", "24Gi"));
  EXPECT_EQ(world.Run(), "small>n1/gpu-0");
  EXPECT_TRUE(world.queue().Find("lab/giant")->never);
}

TEST(Queue, GatesAndMissingClaimsHoldAPodBack) {
  World world(GpuNode("n1", {24}));
  world.Add(PlainPod("gated", ", schedulingGates: [{name: example.com/wait}]"));
  world.Add(PlainPod("early", ", resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]"));
  world.Add(PlainPod("lost", ", resourceClaims: [{name: gpu, resourceClaimName: gone}]"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("gated"), HasSubstr("scheduling gates (example.com/wait)"));
  EXPECT_THAT(world.WhyWaits("early"), HasSubstr("its claim gpu is not made yet: that needs template t in namespace lab"));
  EXPECT_THAT(world.WhyWaits("lost"), HasSubstr("claim lab/gone does not exist"));
}

TEST(Queue, WhatWasDecidedCountsBeforeTheApiSaysSo) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("a", "20Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  world.Add(GpuPod("a", "20Gi"));  // an event from before the decision
  world.Add(GpuPod("b", "20Gi"));
  EXPECT_EQ(world.Run(), "");
  world.cluster().Forget(*world.cluster().FindPod("lab/a"));  // it could not be written
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
}

TEST(Queue, WhatIsForgottenIsFreeThoughAnotherClaimOfThePodIsGone) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("first", "1Gi"));  // for its claim
  world.Add(GpuPod("second", "20Gi"));
  world.cluster().RemovePod("lab", "first");
  world.cluster().RemovePod("lab", "second");
  world.Add(PlainPod("a", ", resourceClaims: [{name: one, resourceClaimName: first-gpu}, {name: two, resourceClaimName: second-gpu}]"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0/gpu-0");
  world.cluster().RemoveClaim("lab", "first-gpu");
  world.cluster().Forget(*world.cluster().FindPod("lab/a"));
  world.Add(GpuPod("b", "24Gi"));
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
}

TEST(Queue, AClaimThatAPodNamesTwiceIsAllocatedOnce) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("a", "20Gi"));
  world.cluster().RemovePod("lab", "a");
  world.Add(PlainPod("b", ", resourceClaims: [{name: one, resourceClaimName: a-gpu}, {name: two, resourceClaimName: a-gpu}]"));
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
}

TEST(Queue, TakesAnotherGpuOfTheNodeWhereTheBestOneIsKept) {
  World world(GpuNode("n1", {48, 24}));
  world.Add(GpuPod("first", "40Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "48Gi"));  // waits for gpu-0
  world.Add(GpuPod("small", "6Gi"));   // fits best on gpu-0, and delays no Pod on gpu-1
  EXPECT_EQ(world.Run(), "small>n1/gpu-1");
  world.Add(GpuPod("more", "8Gi"));
  EXPECT_EQ(world.Run(), "more>n1/gpu-1");
  world.End("first");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
}

// Nodes n1 and n2 in one zone.
constexpr std::string_view kZone =
    "kind: Node\nmetadata: {name: n1, labels: {zone: a}}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n---\n"
    "kind: Node\nmetadata: {name: n2, labels: {zone: a}}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n---\n";
constexpr std::string_view kAwayFromWeb =
    ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: "
    "{app: w}}}]}}";

TEST(Queue, APodOnAnotherNodeDelaysNoPodWithRulesAboutOthers) {
  World world(GpuNode("n1", {24}) + std::string(kZone));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("loner", "24Gi", kAwayFromWeb));
  world.Add(PlainPod("web", "", ", labels: {app: w}"));
  world.Add(PlainPod("other"));
  EXPECT_EQ(world.Run(), "other>n2");
  EXPECT_THAT(world.WhyWaits("web"), HasSubstr("n1, n2: has room, but is kept for lab/loner, which is ahead of it"));
  world.End("first");
  EXPECT_EQ(world.Run(), "loner>n1/gpu-0");
}

TEST(Queue, APodWithAntiAffinityDelaysNoPodOnAnotherNode) {
  World world(GpuNode("n1", {24}) + std::string(kZone));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  std::string web = GpuPod("web", "24Gi");
  web.replace(web.find("uid: pod-web"), 12, "uid: pod-web, labels: {app: w}");
  world.Add(web);
  world.Add(PlainPod("loner", kAwayFromWeb));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("loner"), HasSubstr("kept for lab/web, which is ahead of it"));
}

TEST(Queue, WhatAPlanNeedsOfAPoolOfAllNodesIsKeptOnAllOfThem) {
  World world(std::string(kZone) +
              "kind: ResourceSlice\nmetadata: {name: fabric}\nspec: {driver: gpu.nvidia.com, allNodes: true, pool: {name: fabric, "
              "generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0, allowMultipleAllocations: true, capacity: {memory: {value: "
              "24Gi, requestPolicy: {default: 24Gi, validRange: {min: 1Mi, step: 1Mi}}}}}]}\n---\n");
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "22Gi"));
  world.Add(GpuPod("small", "4Gi"));
  world.Add(GpuPod("tiny", "2Gi"));
  EXPECT_EQ(world.Run(), "tiny>n1/gpu-0") << "no plan needs these";
  EXPECT_THAT(world.WhyWaits("small"), HasSubstr("kept for lab/large, which is ahead of it"));
  world.Add(GpuPod("more", "2Gi"));
  EXPECT_EQ(world.Run(), "");
  world.End("first");
  EXPECT_EQ(world.Run(), "large>n1/gpu-0");
}

TEST(Queue, AReasonNamesThePodThatTheNodeIsKeptFor) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "24Gi"));
  world.Add(GpuPod("small", "2Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_EQ(world.queue().Find("lab/small")->decision.reasons.at(0).pod, "lab/large");
  EXPECT_EQ(world.queue().Find("lab/large")->decision.reasons.at(0).kind, NodeReason::Kind::kDevices);
}

TEST(Queue, ReasonsThatAreNotKeptAreFoundOnRequest) {
  World world(GpuNode("n1", {24}) + GpuNode("n2", {4}));
  world.Add(GpuPod("first", "20Gi"));
  EXPECT_EQ(world.Run(), "first>n1/gpu-0");
  world.Add(GpuPod("large", "24Gi"));
  world.Add(GpuPod("small", "2Gi", ", nodeSelector: {kubernetes.io/hostname: n1}"));
  Queue queue(world.decider(), {.explain = false});
  queue.Run(world.cluster(), [](const Placed&) { FAIL(); });
  EXPECT_EQ(world.Run(), "");
  for (const char* name : {"lab/large", "lab/small"}) {
    const Waiting* one = queue.Find(name);
    EXPECT_TRUE(one->decision.reasons.empty());
    const Decision& explained = world.queue().Find(name)->decision;
    const std::shared_ptr<const Snapshot> snapshot = world.cluster().Take();
    const PodWithClaims asking = world.cluster().WithClaims(one->pod);
    const auto reasons = world.decider().ReasonsOf(*snapshot, asking, one->decision);
    ASSERT_TRUE(reasons.ok());
    ASSERT_EQ(reasons->size(), explained.reasons.size());
    for (size_t i = 0; i < reasons->size(); ++i) EXPECT_EQ(reasons->at(i), explained.reasons[i]);
    const auto shared = world.decider().SharedReasonsOf(*snapshot, asking, one->decision);
    ASSERT_TRUE(shared.ok());
    EXPECT_EQ(Summary(*shared), Summary(explained));
  }
  EXPECT_EQ(queue.Find("lab/small")->decision.kept.at("n1"), "lab/large");
}

TEST(Queue, NeverIsAboutDevicesAndAmountsNotAboutWhatKeepsThePodAway) {
  World world(GpuNode("n1", {24}, "spec: {unschedulable: true}\n") +
              GpuNode("n2", {24}, "spec: {taints: [{key: k, effect: NoSchedule}]}\n"));
  world.Add(GpuPod("cordoned", "20Gi"));
  world.Add(GpuPod("near", "20Gi",
                   ", tolerations: [{operator: Exists}], affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                   "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: w}}}]}}"));
  world.Add(GpuPod("giant", "25Gi"));
  world.Add(PlainPod("busy", ", overhead: {cpu: '9'}"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_FALSE(world.queue().Find("lab/cordoned")->never);
  EXPECT_FALSE(world.queue().Find("lab/near")->never);
  EXPECT_TRUE(world.queue().Find("lab/giant")->never);
  EXPECT_TRUE(world.queue().Find("lab/busy")->never);
  world.Add(GpuNode("n3", {48}));  // what was found out is asked again
  world.Add(
      "kind: Node\nmetadata: {name: n4}\nspec: {unschedulable: true}\nstatus: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}\n");
  world.Add(GpuPod("other", "48Gi"));
  EXPECT_EQ(world.Run(), "cordoned>n3/gpu-0 giant>n3/gpu-0");
  EXPECT_FALSE(world.queue().Find("lab/busy")->never);
}

TEST(Queue, APodThatWaitsForAPodBehindItStartsInTheSameRun) {
  World world(GpuNode("n1", {24}));
  world.Add(PlainPod("q",
                     ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
                     "labelSelector: {matchLabels: {app: w}}}]}}"));
  world.Add(PlainPod("p", "", ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "p>n1 q>n1");
}

TEST(Queue, APodThatWaitsForAPodBehindItToBalanceTheZonesStartsInTheSameRun) {
  World world(GpuNode("n1", {24}) + GpuNode("n2", {24}));
  const std::string labels = ", labels: {app: w}", here = ", nodeSelector: {kubernetes.io/hostname: n1}";
  const std::string spread =
      ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
      "nodeAffinityPolicy: "
      "Ignore, labelSelector: {matchLabels: {app: w}}}]";
  world.Add(PlainPod("first", here, labels));
  EXPECT_EQ(world.Run(), "first>n1");
  world.Add(PlainPod("q", here + spread, labels));
  world.Add(PlainPod("p", ", nodeSelector: {kubernetes.io/hostname: n2}", labels));
  EXPECT_EQ(world.Run(), "p>n2 q>n1");
}

TEST(Queue, DevicesThatAreNotAllKnownYetAreNotCalledNever) {
  World world(GpuNode("n1", {8}));
  // One of two slices.
  world.Add(
      "kind: Node\nmetadata: {name: n2}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n---\nkind: ResourceSlice\n"
      "metadata: {name: n2-a}\nspec: {driver: gpu.nvidia.com, nodeName: n2, pool: {name: n2, generation: 1, resourceSliceCount: 2}, "
      "devices: []}\n");
  world.Add(GpuPod("p", "24Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_FALSE(world.queue().Find("lab/p")->never);
}

TEST(Queue, AVolumeThatHasToBePlacedHoldsAPodBack) {
  World world(GpuNode("n1", {24}));
  world.Add(PlainPod("p", ", volumes: [{name: tmp, emptyDir: {}}, {name: data, persistentVolumeClaim: {claimName: models}}]"));
  world.Add(PlainPod("e", ", volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}]"));
  world.Add(PlainPod("free", ", volumes: [{name: tmp, emptyDir: {}}]"));
  EXPECT_EQ(world.Run(), "free>n1");
  EXPECT_THAT(world.WhyWaits("p"),
              HasSubstr("its volume data is PersistentVolumeClaim models, and allot's scheduler does not place volumes"));
  EXPECT_THAT(world.WhyWaits("e"), HasSubstr("its volume scratch is an ephemeral PersistentVolumeClaim"));
}

}  // namespace
}  // namespace allot::sched
