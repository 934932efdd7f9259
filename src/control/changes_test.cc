#include "control/changes.h"

#include "base/test_util.h"
#include "json/yaml.h"

namespace allot::control {
namespace {

bool Changed(bool (*changed)(const json::Value&, const json::Value&), std::string_view before, std::string_view after) {
  const auto a = json::ParseYaml(before), b = json::ParseYaml(after);
  EXPECT_OK(a);
  EXPECT_OK(b);
  return changed(a->at(0).root(), b->at(0).root());
}

TEST(Changes, AHeartbeatOfANodeDoesNotMatter) {
  constexpr std::string_view kNode =
      "{metadata: {name: n1, resourceVersion: '1', labels: {a: b}}, spec: {taints: []}, status: {allocatable: {cpu: '4'}, "
      "conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z'}]}}";
  EXPECT_FALSE(Changed(NodeChanged, kNode,
                       "{metadata: {name: n1, resourceVersion: '2', labels: {a: b}}, spec: {taints: []}, status: {allocatable: {cpu: '4'}, "
                       "conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:10Z'}]}}"));
  EXPECT_TRUE(Changed(NodeChanged, kNode, "{metadata: {labels: {a: c}}, spec: {taints: []}, status: {allocatable: {cpu: '4'}}}"));
  EXPECT_TRUE(Changed(NodeChanged, kNode, "{metadata: {labels: {a: b}}, spec: {unschedulable: true}, status: {allocatable: {cpu: '4'}}}"));
  EXPECT_TRUE(Changed(NodeChanged, kNode, "{metadata: {labels: {a: b}}, spec: {taints: []}, status: {allocatable: {cpu: '8'}}}"));
}

TEST(Changes, OurOwnConditionAndAnnotationsOfAPodDoNotMatterButItsEndDoes) {
  constexpr std::string_view kPod = "{metadata: {name: a}, spec: {containers: [{name: c}]}, status: {phase: Pending}}";
  EXPECT_FALSE(
      Changed(PodChanged, kPod,
              "{metadata: {name: a, resourceVersion: '7', annotations: {allot.dev/run-state: going}}, spec: {containers: [{name: c}]}, "
              "status: {phase: Running, conditions: [{type: PodScheduled, status: 'False'}]}}"));
  EXPECT_TRUE(Changed(PodChanged, kPod, "{metadata: {name: a}, spec: {containers: [{name: c}]}, status: {phase: Failed}}"));
  EXPECT_TRUE(Changed(PodChanged, kPod, "{metadata: {name: a}, spec: {containers: [{name: c}], nodeName: n1}, status: {phase: Pending}}"));
  EXPECT_TRUE(Changed(PodChanged, kPod,
                      "{metadata: {name: a}, spec: {containers: [{name: c}]}, "
                      "status: {phase: Pending, resourceClaimStatuses: [{name: gpu, resourceClaimName: a-gpu-x}]}}"));
}

}  // namespace
}  // namespace allot::control
