#include "apiserver/kinds/pod/pod.h"
#include "apiserver/json_names.h"

#include "apiserver/kinds/core_test_util.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PodTest : public testing::Test {
 protected:
  Value Stored(std::string_view spec) {
    return trees_.Prepared(*rules_, trees_.Read(StrCat("{metadata: {name: p, namespace: ns, labels: {app: a}}, spec: ", spec, "}")));
  }

  Trees trees_;
  std::shared_ptr<const KindRules> rules_ = PodKindRules();
};

TEST_F(PodTest, DefaultsReachIntoProbesVolumesAndPorts) {
  const Value spec = Stored(
      R"({hostNetwork: true, serviceAccount: sa, volumes: [{name: a}, {name: b, hostPath: {path: /x}}, {name: c, secret: {secretName: s}}],
      containers: [{name: c, image: i, ports: [{containerPort: 80}], livenessProbe: {httpGet: {port: 80}},
                    startupProbe: {grpc: {port: 1}}}]})")["spec"];
  const Value& container = ItemsOf(spec["containers"])[0];
  EXPECT_EQ(json::Write(container["ports"]), R"([{"containerPort":80,"hostPort":80,"protocol":"TCP"}])");
  EXPECT_EQ(json::Write(container["livenessProbe"]), R"({"httpGet":{"port":80,"path":"/","scheme":"HTTP"},)"
                                                     R"("timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3})");
  EXPECT_EQ(json::Write(container["startupProbe"]["grpc"]), R"({"port":1,"service":""})");
  EXPECT_EQ(json::Write(spec["volumes"]), R"([{"name":"a","emptyDir":{}},{"name":"b","hostPath":{"path":"/x","type":""}},)"
                                          R"({"name":"c","secret":{"secretName":"s","defaultMode":420}}])");
  EXPECT_EQ(TextOf(spec["serviceAccountName"]), "sa");
}

TEST_F(PodTest, AmountsBelowAThousandthAreRoundedUp) {
  const Value spec = Stored("{containers: [{name: c, image: i, resources: {limits: {cpu: 100u, memory: 1Gi}}}]}")["spec"];
  EXPECT_EQ(json::Write(ItemsOf(spec["containers"])[0]["resources"]),
            R"({"limits":{"cpu":"1m","memory":"1Gi"},"requests":{"cpu":"1m","memory":"1Gi"}})");
}

TEST_F(PodTest, RequestsOfTheWholePodComeFromItsContainers) {
  const Value spec =
      Stored(R"({resources: {limits: {cpu: "4", memory: 1Gi}}, initContainers: [{name: i, image: i, resources: {requests: {cpu: "3"}}}],
      containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}, {name: d, image: i, resources: {requests: {cpu: 500m}}}]})")
          ["spec"];
  EXPECT_EQ(json::Write(spec["resources"]["requests"]), R"({"cpu":"3","memory":"1Gi"})");
}

TEST_F(PodTest, LabelKeysBecomeRequirementsOfTheSelector) {
  const Value spec = Stored(R"({containers: [{name: c, image: i}], topologySpreadConstraints:
      [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {}, matchLabelKeys: [app, none]}]})")["spec"];
  EXPECT_EQ(json::Write(ItemsOf(spec["topologySpreadConstraints"])[0]["labelSelector"]),
            R"({"matchExpressions":[{"key":"app","operator":"In","values":["a"]}]})");
}

TEST_F(PodTest, FieldsOfDisabledFeatureGatesAreDropped) {
  const Value spec = Stored(R"({schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i, lifecycle: {stopSignal: SIGTERM}}],
      volumes: [{name: v, projected: {sources: [{clusterTrustBundle: {name: b, path: p}}]}}]})")["spec"];
  EXPECT_TRUE(spec["schedulingGroup"].IsNull());
  EXPECT_EQ(json::Write(ItemsOf(spec["containers"])[0]["lifecycle"]), "{}");
  EXPECT_EQ(json::Write(ItemsOf(spec["volumes"])[0]["projected"]["sources"]), "[{}]");
}

TEST_F(PodTest, ADeadlineOnlyGetsShorter) {
  const Value old = Stored("{activeDeadlineSeconds: 100, containers: [{name: c, image: i}]}");
  EXPECT_THAT(trees_.Update(*rules_, trees_.With(old, "spec.activeDeadlineSeconds", "50"), old), IsEmpty());
  EXPECT_THAT(trees_.Update(*rules_, trees_.With(old, "spec.activeDeadlineSeconds", "101"), old),
              ElementsAre("spec.activeDeadlineSeconds FieldValueInvalid"));
  EXPECT_THAT(trees_.Update(*rules_, trees_.With(old, "spec.activeDeadlineSeconds", "none"), old),
              ElementsAre("spec.activeDeadlineSeconds FieldValueInvalid"));
}

TEST_F(PodTest, TolerationsMayLastLongerAndNoMore) {
  const Value old =
      Stored("{tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}], containers: [{name: c, image: i}]}");
  EXPECT_THAT(trees_.Update(*rules_, trees_.With(old, "spec.tolerations[0].tolerationSeconds", "9"), old), IsEmpty());
  EXPECT_THAT(trees_.Update(*rules_, trees_.With(old, "spec.tolerations[0].key", "l"), old),
              ElementsAre("spec.tolerations FieldValueForbidden"));
}

TEST_F(PodTest, AGatedPodMayChooseFewerNodes) {
  const Value old =
      Stored(R"({schedulingGates: [{name: a.b/c}], nodeSelector: {a: b}, containers: [{name: c, image: i}], affinity: {nodeAffinity:
      {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}})");
  constexpr std::string_view kTerms = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const auto update = [&](std::string_view path, std::string_view value) {
    return trees_.Update(*rules_, trees_.With(old, path, value), old);
  };
  EXPECT_THAT(update("spec.nodeSelector.c", "d"), IsEmpty());
  EXPECT_THAT(update("spec.nodeSelector", "{c: d}"), ElementsAre("spec.nodeSelector FieldValueInvalid"));
  EXPECT_THAT(update(StrCat(kTerms, "[0].matchExpressions[1]"), "{key: b, operator: Exists}"), IsEmpty());
  EXPECT_THAT(update(StrCat(kTerms, "[1]"), "{matchExpressions: [{key: b, operator: Exists}]}"),
              ElementsAre(StrCat(kTerms, " FieldValueInvalid")));
  EXPECT_THAT(update(StrCat(kTerms, "[0].matchExpressions[0].key"), "z"), ElementsAre(StrCat(kTerms, "[0] FieldValueInvalid")));
  const Value free = Stored("{containers: [{name: c, image: i}]}");
  EXPECT_THAT(trees_.Update(*rules_, trees_.With(free, "spec.nodeSelector", "{a: b}"), free), ElementsAre("spec FieldValueForbidden"));
}

TEST_F(PodTest, EphemeralContainersAreOnlyAdded) {
  const Value old =
      trees_.With(Stored("{containers: [{name: c, image: i}]}"), "spec.ephemeralContainers",
                  "[{name: e, image: i, imagePullPolicy: Always, terminationMessagePath: /x, terminationMessagePolicy: File}]");
  const auto update = [&](std::string_view path, std::string_view value) {
    FieldErrors errors;
    const Value object = rules_->Default(trees_.edit(), trees_.With(old, path, value));
    ValidateEphemeralContainersUpdate(PrepareEphemeralContainers(trees_.edit(), object, old), old, errors);
    return CausesOf(errors);
  };
  EXPECT_THAT(update("spec.ephemeralContainers[1]", "{name: f, image: i, targetContainerName: c}"), IsEmpty());
  EXPECT_THAT(update("spec.containers[0].image", "other"), IsEmpty());  // and ignored
  EXPECT_THAT(update("spec.ephemeralContainers", "none"), ElementsAre("spec.ephemeralContainers FieldValueForbidden"));
  EXPECT_THAT(update("spec.ephemeralContainers[0].image", "j"), ElementsAre("spec.ephemeralContainers FieldValueForbidden"));
  EXPECT_THAT(update("spec.ephemeralContainers[1]", "{name: c, image: i, ports: [{containerPort: 1}], targetContainerName: x}"),
              ElementsAre("spec.ephemeralContainers[1].name FieldValueDuplicate",
                          "spec.ephemeralContainers[1].targetContainerName FieldValueNotFound",
                          "spec.ephemeralContainers[1].ports FieldValueForbidden"));
}

TEST_F(PodTest, AContainerThatEndedStartsAgainOnlyWhereItMay) {
  for (const auto& [policy, allowed] : std::map<std::string, bool>{{"Always", true}, {"OnFailure", false}, {"Never", false}}) {
    const Value old = trees_.With(Stored(StrCat("{restartPolicy: ", policy, ", containers: [{name: c, image: i}]}")),
                                  "status.containerStatuses", "[{name: c, state: {terminated: {exitCode: 0}}}]");
    EXPECT_THAT(trees_.WriteStatus(*rules_, trees_.With(old, "status.containerStatuses", "[{name: c, state: {running: {}}}]"), old),
                SizeIs(allowed ? 0 : 1))
        << policy;
  }
}

TEST_F(PodTest, TheStatusKeepsItsQosClassAndKnowsItsClaims) {
  const Value old = Stored("{resourceClaims: [{name: x, resourceClaimName: y}], containers: [{name: c, image: i}]}");
  EXPECT_THAT(trees_.WriteStatus(*rules_, trees_.With(old, "status", "{phase: Running}"), old), IsEmpty());
  EXPECT_THAT(trees_.WriteStatus(*rules_, trees_.With(old, "status.qosClass", "Guaranteed"), old),
              ElementsAre("status.qosClass FieldValueInvalid"));
  EXPECT_THAT(
      trees_.WriteStatus(*rules_, trees_.With(old, "status.resourceClaimStatuses", "[{name: z}, {name: x}, {name: x}]"), old),
      ElementsAre("status.resourceClaimStatuses[0].name FieldValueInvalid", "status.resourceClaimStatuses[2].name FieldValueDuplicate"));
  EXPECT_THAT(trees_.WriteStatus(*rules_, trees_.With(old, "status.podIPs", "[{ip: 10.0.0.1}, {ip: 10.0.0.2}]"), old),
              ElementsAre("status.podIPs FieldValueInvalid"));
}

TEST_F(PodTest, ThePodsAddressIsTheFirstOfItsAddresses) {
  const Value old = Stored("{containers: [{name: c, image: i}]}");
  const auto written = [&](std::string_view status) {
    return rules_->PrepareStatus(trees_.edit(), trees_.With(old, "status", status), old)["status"];
  };
  EXPECT_EQ(TextOf(written("{podIPs: [{ip: 10.0.0.1}]}")["podIP"]), "10.0.0.1");
  EXPECT_EQ(json::Write(written("{podIP: 10.0.0.2, podIPs: [{ip: 10.0.0.1}]}")["podIPs"]), R"([{"ip":"10.0.0.2"}])");
}

}  // namespace
}  // namespace allot::apiserver
