// The rules of small kinds that the contract (core_contract_test.cc) does not have.

#include "apiserver/kinds/core_test_util.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/priority_class.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Node, AddressesOfPodsAndProviderAreSetOnce) {
  Trees trees;
  const auto rules = NodeKindRules();
  const json::Value old = trees.Prepared(*rules, trees.Read("{metadata: {name: n}, spec: {podCIDR: 10.0.0.0/24, providerID: 'x://y'}}"));
  EXPECT_EQ(json::Write(old["spec"]["podCIDRs"]), R"(["10.0.0.0/24"])");
  EXPECT_THAT(trees.Update(*rules, trees.With(old, "spec.providerID", "'x://z'"), old), ElementsAre("spec.providerID FieldValueForbidden"));
  EXPECT_THAT(trees.Update(*rules, trees.With(old, "spec.podCIDRs", "[10.0.0.0/24, 'fd00::/64']"), old),
              ElementsAre("spec.podCIDRs FieldValueForbidden"));
  EXPECT_THAT(trees.Create(*rules, trees.Read("{spec: {podCIDRs: [10.0.0.0/24, 10.0.1.0/24]}}")),
              ElementsAre("spec.podCIDRs FieldValueInvalid"));
}

TEST(Node, AllocatableDefaultsToCapacity) {
  Trees trees;
  const auto rules = NodeKindRules();
  const json::Value node = rules->Default(trees.edit(), trees.Read("{status: {capacity: {cpu: '1'}}}"));
  EXPECT_EQ(json::Write(node["status"]["allocatable"]), R"({"cpu":"1"})");
  const json::Value old = trees.Read("{metadata: {name: n}}");
  EXPECT_THAT(trees.WriteStatus(*rules, trees.Read("{status: {capacity: {cpu: -1, example.com/gpu: 500m}}}"), old),
              ElementsAre("status.capacity.cpu FieldValueInvalid", "status.capacity.example.com/gpu FieldValueInvalid"));
  EXPECT_THAT(trees.WriteStatus(*rules, trees.Read("{status: {addresses: [{type: A, address: b}, {type: A, address: b}]}}"), old),
              ElementsAre("status.addresses[1] FieldValueDuplicate"));
}

TEST(Namespace, FinalizersAreForItsOwnSubresource) {
  Trees trees;
  const auto rules = NamespaceKindRules();
  const json::Value old = trees.Prepared(*rules, trees.Read("{metadata: {name: a}}"));
  const json::Value updated = rules->PrepareUpdate(trees.edit(), trees.Read("{metadata: {name: a}, spec: {}}"), old);
  EXPECT_EQ(json::Write(updated["spec"]), R"({"finalizers":["kubernetes"]})");
  EXPECT_EQ(json::TextOf(updated["metadata"]["labels"]["kubernetes.io/metadata.name"]), "a");
  EXPECT_THAT(trees.Create(*rules, trees.Read("{metadata: {name: a}, spec: {finalizers: [plain]}}")),
              ElementsAre("spec.finalizers FieldValueInvalid"));
}

TEST(Namespace, PhaseFollowsItsDeletion) {
  Trees trees;
  const auto rules = NamespaceKindRules();
  const json::Value old = trees.Read("{metadata: {name: a}}");
  EXPECT_THAT(trees.WriteStatus(*rules, trees.Read("{status: {phase: Active}}"), old), IsEmpty());
  EXPECT_THAT(trees.WriteStatus(*rules, trees.Read("{status: {phase: Terminating}}"), old), ElementsAre("status.Phase FieldValueInvalid"));
}

TEST(Event, WithAnEventTimeNamesItsReporter) {
  Trees trees;
  const auto causes = [&](std::string_view event) { return trees.Create(*EventKindRules(), trees.Read(event)); };
  EXPECT_THAT(causes("{metadata: {namespace: default}, involvedObject: {kind: Node, name: n}}"), IsEmpty());
  EXPECT_THAT(causes("{metadata: {namespace: ns}, involvedObject: {kind: Node, name: n}}"),
              ElementsAre("involvedObject.namespace FieldValueInvalid"));
  EXPECT_THAT(causes("{metadata: {namespace: ns}, involvedObject: {namespace: ns}, eventTime: '2026-01-01T00:00:00.000000Z', "
                     "reportingComponent: a.b/c, reportingInstance: i, reason: R}"),
              ElementsAre("action FieldValueRequired"));
}

TEST(PriorityClass, SystemClassesAreAsKubernetesHasThem) {
  Trees trees;
  for (const SystemPriorityClass& one : SystemPriorityClasses()) {
    const std::string text = StrCat("{metadata: {name: ", one.name, "}, value: ", one.value, "}");
    EXPECT_THAT(trees.Create(*PriorityClassKindRules(), trees.Read(text)), IsEmpty());
  }
}

TEST(RuntimeClass, TolerationsAreDifferent) {
  Trees trees;
  EXPECT_THAT(trees.Create(*RuntimeClassKindRules(), trees.Read("{handler: h, scheduling: {tolerations: [{key: k}, {key: k}]}}")),
              ElementsAre("scheduling.tolerations[1] FieldValueDuplicate"));
}

TEST(Deployment, RollingUpdatesMakeProgress) {
  Trees trees;
  const json::Value good = trees.Read(
      "{spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}");
  const auto causes = [&](std::string_view path, std::string_view value) {
    return trees.Create(*DeploymentKindRules(), trees.With(good, path, value));
  };
  EXPECT_THAT(causes("spec.strategy", "{type: Recreate}"), IsEmpty());
  EXPECT_THAT(causes("spec.strategy", "{rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}"),
              ElementsAre("spec.strategy.rollingUpdate.maxUnavailable FieldValueInvalid"));
  EXPECT_THAT(causes("spec.strategy", "{rollingUpdate: {maxSurge: some}}"),
              ElementsAre("spec.strategy.rollingUpdate.maxSurge FieldValueInvalid"));
  EXPECT_THAT(causes("spec.strategy", "{rollingUpdate: {maxUnavailable: 101%}}"),
              ElementsAre("spec.strategy.rollingUpdate.maxUnavailable FieldValueInvalid"));
  EXPECT_THAT(causes("spec.strategy", "{type: Slowly}"), ElementsAre("spec.strategy FieldValueNotSupported"));
  EXPECT_THAT(causes("spec.progressDeadlineSeconds", "0"), ElementsAre("spec.progressDeadlineSeconds FieldValueInvalid"));
}

TEST(ReplicaSet, StatusCountsWhatThereIs) {
  Trees trees;
  const json::Value old = trees.Read("{status: {replicas: 1}}");
  EXPECT_THAT(
      trees.WriteStatus(*ReplicaSetKindRules(), trees.Read("{status: {replicas: 1, fullyLabeledReplicas: 2, availableReplicas: 1}}"), old),
      ElementsAre("status.fullyLabeledReplicas FieldValueInvalid", "status.availableReplicas FieldValueInvalid"));
}

}  // namespace
}  // namespace allot::apiserver
