#include "sched/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

using testing::HasSubstr;

TEST(Decide, PacksOntoTheGpuWithTheLeastLeftOver) {
  World world(GpuNode("n1", {24}) + GpuNode("n2", {24}) + GpuNode("n3", {12}));
  world.Add(GpuPod("a", "10Gi"));
  EXPECT_EQ(world.Run(), "a>n3/gpu-0");
  world.Add(GpuPod("b", "6Gi"));
  EXPECT_EQ(world.Run(), "b>n1/gpu-0");
  world.Add(GpuPod("c", "6Gi"));
  EXPECT_EQ(world.Run(), "c>n1/gpu-0");
}

TEST(Decide, SpreadsByChoice) {
  World world(GpuNode("n1", {24}) + GpuNode("n2", {24}));
  world.Add(GpuPod("a", "6Gi"));
  EXPECT_EQ(world.Run(), "a>n1/gpu-0");
  world.Add(GpuPod("b", "6Gi"));
  const PodWithClaims asking = world.cluster().WithClaims(world.cluster().FindPod("lab/b"));
  const auto decision = world.decider().Decide(*world.cluster().Take(), asking, {.strategy = Strategy::kSpread});
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision->node, "n2");
}

TEST(Decide, PrefersNodesWithoutDevicesForPodsThatNeedNone) {
  World world(GpuNode("n1", {24}) + "kind: Node\nmetadata: {name: z}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '10'}}\n");
  world.Add(PlainPod("web"));
  EXPECT_EQ(world.Run(), "web>z");
}

struct Rule {
  const char* name;
  const char* node;  // more of the node
  const char* pod;   // more of the Pod's spec
  const char* why;
};

class NodeRules : public testing::TestWithParam<Rule> {};

TEST_P(NodeRules, KeepThePodAwayAndSayWhy) {
  World world(GpuNode("n1", {24}, GetParam().node));
  world.Add(PlainPod("p", GetParam().pod));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    All, NodeRules,
    testing::Values(Rule{"Cordoned", "spec: {unschedulable: true}\n", "", "n1: is cordoned"},
                    Rule{"Tainted", "spec: {taints: [{key: k, value: v, effect: NoSchedule}]}\n", "", "is tainted k=v:NoSchedule"},
                    Rule{"OtherTaintTolerated", "spec: {taints: [{key: k, value: v, effect: NoExecute}]}\n",
                         ", tolerations: [{key: k, operator: Equal, value: w}]", "is tainted k=v:NoExecute"},
                    Rule{"Selector", "", ", nodeSelector: {zone: a}", "has no label zone, and the Pod's nodeSelector wants zone=a"},
                    Rule{"SelectorOtherValue", "", ", nodeSelector: {kubernetes.io/hostname: n2}", "is kubernetes.io/hostname=n1"},
                    Rule{"Affinity", "",
                         ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                         "[{matchExpressions: [{key: zone, "
                         "operator: In, values: [a, b]}]}]}}}",
                         "node affinity: zone In a, b"},
                    Rule{"Cpu", "", ", initContainers: [{name: i, resources: {requests: {cpu: '9'}}}]", "cpu: 9 asked, 8 of 8 free"},
                    Rule{"Memory", "", ", overhead: {memory: 65Gi}", "memory: 66560 MiB asked, 65536 MiB of 65536 MiB free"},
                    Rule{"Extended", "", ", initContainers: [{name: i, resources: {limits: {example.com/fpga: '1'}}}]",
                         "has no example.com/fpga"}),
    [](const auto& rule) { return rule.param.name; });

TEST(Decide, TakesATaintedNodeForAPodThatToleratesIt) {
  World world(GpuNode("n1", {24}, "spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]}\n"));
  world.Add(PlainPod("p", ", tolerations: [{operator: Exists}]"));
  EXPECT_EQ(world.Run(), "p>n1");
}

TEST(Decide, CountsPodsPortsAndSidecars) {
  World world("kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '2', memory: 4Gi, pods: '2'}}\n");
  world.Add(PlainPod("a",
                     ", initContainers: [{name: s, restartPolicy: Always, ports: [{containerPort: 80, hostPort: 80}], resources: "
                     "{requests: {cpu: 1500m}}}]"));
  EXPECT_EQ(world.Run(), "a>n1");
  world.Add(PlainPod("b", ", initContainers: [{name: s, resources: {requests: {cpu: 600m}}}]"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("b"), HasSubstr("cpu: 600m asked, 500m of 2 free"));
  world.End("b");
  world.Add(
      "kind: Pod\nmetadata: {name: port, namespace: lab, uid: u}\nspec: {containers: [{name: c, ports: [{containerPort: 1, hostPort: 80, "
      "hostIP: 127.0.0.1}]}]}\n");
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("port"), HasSubstr("host port 80/TCP is taken by lab/a"));
  world.End("port");
  world.Add(PlainPod("c"));
  EXPECT_EQ(world.Run(), "c>n1");
  world.Add(PlainPod("d"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("d"), HasSubstr("runs 2 Pods, of at most 2"));
}

constexpr std::string_view kZones =
    "kind: Node\nmetadata: {name: a1, labels: {zone: a}}\n---\nkind: Node\nmetadata: {name: a2, labels: {zone: a}}\n---\n"
    "kind: Node\nmetadata: {name: b1, labels: {zone: b}}\n---\nkind: Node\nmetadata: {name: x}\n---\n";

TEST(Decide, SpreadsOverZonesWithinMaxSkew) {
  World world(kZones);
  const std::string spread =
      ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: "
      "w}}}]";
  world.Add(PlainPod("p1", spread, ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "p1>a1");
  world.Add(PlainPod("p2", spread, ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "p2>b1");
  world.Add("kind: Node\nmetadata: {name: b1, labels: {zone: b}}\nspec: {unschedulable: true}\n");
  world.Add(PlainPod("p3", spread, ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "p3>a1");
  world.Add(PlainPod("p4", spread, ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p4"), HasSubstr("topology spread: the Pod would make a skew of 2 in zone=a, and maxSkew is 1"));
  EXPECT_THAT(world.WhyWaits("p4"), HasSubstr("x: has no label zone, which the Pod's topology spread constraint needs"));
}

TEST(Decide, KeepsPodsTogetherOrApart) {
  World world(kZones);
  const std::string term = "[{topologyKey: zone, labelSelector: {matchLabels: {app: w}}}]";
  const std::string affinity = ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " + term + "}}";
  const std::string anti_affinity = ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " + term + "}}";
  world.Add(PlainPod("first", affinity, ", labels: {app: w}"));  // the first of its kind may begin anywhere that has a zone
  EXPECT_EQ(world.Run(), "first>a1");
  world.Add(PlainPod("second", affinity));
  EXPECT_EQ(world.Run(), "second>a1");
  world.Add(PlainPod("loner", anti_affinity));
  EXPECT_EQ(world.Run(), "loner>b1");
  world.Add(PlainPod("third", ", nodeSelector: {zone: b}", ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("third"), HasSubstr("b1: the anti-affinity of Pod lab/loner keeps this Pod out of zone=b"));
}

TEST(Decide, AnEmptySelectorOfNamespacesIsAllOfThemAlsoThoseThatAreNotKnown) {
  World world(kZones);
  world.Add("kind: Pod\nmetadata: {name: far, namespace: elsewhere, uid: far, labels: {app: w}}\nspec: {containers: [{name: c}]}\n---\n");
  EXPECT_EQ(world.Run(), "far>a1");
  const auto anti_affinity = [](std::string_view namespaces) {
    return StrCat(", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, namespaceSelector: ",
                  namespaces, ", labelSelector: {matchLabels: {app: w}}}]}}");
  };
  world.Add(PlainPod("all", anti_affinity("{}")));
  world.Add(PlainPod("some", anti_affinity("{matchExpressions: [{key: team, operator: DoesNotExist}]}")));
  EXPECT_EQ(world.Run(), "all>b1 some>a1") << "of labels that are not known nothing is said";
}

TEST(Decide, WhatAPodOnlyPrefersIsNoLookAtOthers) {
  const auto looks = [](std::string_view spec) {
    World world(PlainPod("p", spec));
    return LooksAtOthers(*world.cluster().FindPod("lab/p"));
  };
  const std::string term = "topologyKey: zone, labelSelector: {matchLabels: {app: w}}";
  EXPECT_FALSE(looks(""));
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    EXPECT_TRUE(looks(StrCat(", affinity: {", kind, ": {requiredDuringSchedulingIgnoredDuringExecution: [{", term, "}]}}")));
    EXPECT_FALSE(looks(StrCat(", affinity: {", kind, ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, podAffinityTerm: {",
                              term, "}}]}}")));
  }
  for (const bool required : {true, false}) {
    EXPECT_EQ(looks(StrCat(", topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: ", required ? "DoNotSchedule" : "ScheduleAnyway",
                           ", ", term, "}]")),
              required);
  }
}

TEST(Decide, APodToBeNearToHasToMatchAllTermsAtOnce) {
  World world(kZones);
  const auto affinity = [](std::string_view first, std::string_view second) {
    const auto term = [](std::string_view labels) { return StrCat("{topologyKey: zone, labelSelector: {matchLabels: {", labels, "}}}"); };
    return StrCat(", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [", term(first), ", ", term(second), "]}}");
  };
  world.Add(PlainPod("one", ", nodeSelector: {zone: a}", ", labels: {app: w}"));
  world.Add(PlainPod("two", ", nodeSelector: {zone: a}", ", labels: {tier: x}"));
  EXPECT_EQ(world.Run(), "one>a1 two>a1");
  world.Add(PlainPod("p", affinity("app: w", "tier: x")));  // two Pods that match one term each are none that matches both
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("affinity: zone=a has no Pod that this Pod must join"));
  world.Add(PlainPod("first", affinity("app: w", "tier: x"), ", labels: {app: w, tier: x}"));  // the first of its kind
  EXPECT_EQ(world.Run(), "first>a1 p>a1");
}

TEST(Decide, NodesWithoutAKeyOfAnyConstraintDoNotCountForSpreading) {
  // Only a1 has a rack: with x, where no Pod of the kind is, the skew of zone a would be too large.
  World world(
      "kind: Node\nmetadata: {name: a1, labels: {zone: a, rack: r}}\n---\nkind: Node\nmetadata: {name: b1, labels: {zone: b}}\n---\n");
  const auto constraint = [](std::string_view key) {
    return StrCat("{maxSkew: 1, topologyKey: ", key, ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: w}}}");
  };
  const std::string spread = StrCat(", topologySpreadConstraints: [", constraint("zone"), ", ", constraint("rack"), "]");
  world.Add(PlainPod("p1", spread, ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "p1>a1");
  world.Add(PlainPod("p2", spread, ", labels: {app: w}"));
  EXPECT_EQ(world.Run(), "p2>a1");
}

TEST(Decide, WhatIsRememberedOfANodeIsNotUsedForAnotherStateOfIt) {
  World world(GpuNode("n1", {24}));
  world.Add(GpuPod("a", "20Gi"));
  const PodWithClaims asking = world.cluster().WithClaims(world.cluster().FindPod("lab/a"));
  const auto outcome = [&](Cluster cluster) { return world.decider().Decide(*cluster.Take(), asking)->outcome; };
  EXPECT_EQ(outcome(world.cluster()), Decision::Outcome::kPlaced);
  Cluster full = world.cluster(), cordoned = world.cluster();  // two that go on from the same state
  PutYaml(full, "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '0'}}\n");
  PutYaml(cordoned, "kind: Node\nmetadata: {name: n1}\nspec: {unschedulable: true}\nstatus: {allocatable: {pods: '9'}}\n");
  EXPECT_THAT(Summary(*world.decider().Decide(*full.Take(), asking)), HasSubstr("of at most 0"));
  EXPECT_THAT(Summary(*world.decider().Decide(*cordoned.Take(), asking)), HasSubstr("is cordoned"));
  EXPECT_EQ(outcome(world.cluster()), Decision::Outcome::kPlaced);
  const std::shared_ptr<const Snapshot> now = world.cluster().Take();
  EXPECT_NE(now->nodes[0]->serial.value, 0u);
  EXPECT_EQ(NodeWithout(*now->nodes[0], {})->serial.value, 0u);
}

TEST(Decide, WhatIsRememberedNamesNoClaimOfAnotherPod) {
  World world(GpuNode("n1", {12}));
  for (const std::string name : {"1", "2"}) {
    world.Add(StrCat("kind: ResourceClaim\nmetadata: {name: c", name, ", namespace: lab, uid: u", name,
                     "}\nspec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, "
                     "capacity: {requests: {memory: ",
                     "10Gi}}}}, {name: b, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: "
                     "{memory: 8Gi}}}}]}}\n---\n",
                     PlainPod("p" + name, StrCat(", resourceClaims: [{name: gpu, resourceClaimName: c", name, "}]"))));
  }
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p2"), HasSubstr("8192 MiB asked, 2048 MiB of 12288 MiB free (held by this Pod's claim)"));
}

TEST(Decide, WhatThePodPrefersCountsBeforePacking) {
  World world(GpuNode("n1", {12}) + GpuNode("n2", {24}, "spec: {taints: [{key: k, effect: PreferNoSchedule}]}\n") + GpuNode("n3", {24}));
  world.Add(
      GpuPod("a", "6Gi",
             ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference: {matchExpressions: "
             "[{key: kubernetes.io/hostname, operator: In, values: [n2, n3]}]}}]}}"));
  EXPECT_EQ(world.Run(), "a>n3/gpu-0");
}

TEST(Decide, FollowsAClaimThatIsAllocated) {
  World world(GpuNode("n1", {24}) + GpuNode("n2", {24}));
  world.Add(GpuPod("a", "6Gi"));
  world.Add(
      "kind: ResourceClaim\nmetadata: {name: a-gpu, namespace: lab, uid: claim-a}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}\nstatus: {reservedFor: [{resource: pods, name: other, uid: o}], "
      "allocation: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}, "
      "devices: {results: [{request: gpu, driver: gpu.nvidia.com, pool: n2, device: gpu-0, shareID: s, consumedCapacity: {memory: "
      "6Gi}}]}}}\n");
  EXPECT_EQ(world.Run(), "a>n2");
}

TEST(Decide, ASelectorThatFailsNamesTheClaim) {
  World world(GpuNode("n1", {24}));
  world.Add(
      "kind: ResourceClaim\nmetadata: {name: c, namespace: lab, uid: c}\nspec: {devices: {requests: [{name: gpu, exactly: "
      "{deviceClassName: gpu, allocationMode: ExactCount, count: 1, selectors: [{cel: {expression: 'device.attributes[\"x\"].y > "
      "1'}}]}}]}}\n");
  world.Add(PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: c}]"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_THAT(world.WhyWaits("p"), HasSubstr("error: claim lab/c: selector #0: "));
}

TEST(Decide, GroupsNodesByReason) {
  World world(GpuNode("n1", {24}) + "kind: Node\nmetadata: {name: x1}\n---\nkind: Node\nmetadata: {name: x2}\n");
  world.Add(GpuPod("p", "25Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_EQ(world.WhyWaits("p"),
            "0/3 nodes fit: x1, x2: has no devices; n1: 1 device asked, and the only one does not fit (gpu-0: 25600 MiB asked, "
            "24576 MiB of 24576 MiB free)");
}

TEST(Decide, BugAReasonThatIsNotAboutDevicesNamedAClaim) {
  World world(GpuNode("n1", {24}, "spec: {unschedulable: true}\n"));
  world.Add(GpuPod("p", "6Gi"));
  EXPECT_EQ(world.Run(), "");
  const Decision& decision = world.queue().Find("lab/p")->decision;
  ASSERT_EQ(decision.reasons.size(), 1u);
  EXPECT_EQ(decision.reasons[0], (NodeReason{.kind = NodeReason::Kind::kCordoned, .node = "n1"}));
}

TEST(Decide, ASummaryOfManyNodesEnds) {
  std::string nodes;
  for (int i = 0; i < 200; ++i) nodes += GpuNode(StrCat("n", i), {24});
  World world(nodes);
  world.Add(GpuPod("p", "25Gi"));
  EXPECT_EQ(world.Run(), "");
  EXPECT_LT(world.WhyWaits("p").size(), 5000u);
  EXPECT_THAT(world.WhyWaits("p"), testing::AllOf(HasSubstr("0/200 nodes fit: n0: 1 device asked"), testing::EndsWith(" more nodes")));
}

}  // namespace
}  // namespace allot::sched
