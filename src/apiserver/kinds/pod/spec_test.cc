// The rules for Pods that the contract (core_contract_test.cc) does not have. The causes are those of kube-apiserver 1.36.

#include <random>

#include "apiserver/kinds/core_test_util.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/resources.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;

constexpr std::string_view kPod = R"(
metadata: {name: p, namespace: ns, labels: {app: a}}
spec:
  serviceAccountName: default
  resourceClaims: [{name: gpu, resourceClaimName: x}]
  volumes:
    - {name: e, emptyDir: {}}
    - {name: pvc, persistentVolumeClaim: {claimName: x}}
  containers: [{name: c, image: "i:1", volumeMounts: [{name: e, mountPath: /e}]}]
)";

struct Row {
  std::string_view path, value;
  std::vector<std::string> causes;
};

void RunCases(const std::vector<Row>& rows) {
  Trees trees;
  const auto rules = PodKindRules();
  const json::Value pod = trees.Read(kPod);
  ASSERT_THAT(trees.Create(*rules, pod), IsEmpty());
  for (const Row& row : rows) {
    EXPECT_THAT(trees.Create(*rules, trees.With(pod, row.path, row.value)), ElementsAreArray(row.causes)) << row.path << ": " << row.value;
  }
}

TEST(PodSpec, Resources) {
  constexpr std::string_view kAt = "spec.containers[0].resources";
  RunCases({{kAt, "{limits: {hugepages-2Mi: 4Mi, cpu: 1}}", {}},
            {kAt, "{limits: {hugepages-2Mi: 4Mi}}", {"spec.containers[0].resources FieldValueForbidden"}},
            {kAt,
             "{limits: {hugepages-2Mi: 3Mi, cpu: 1}}",
             {"spec.containers[0].resources.limits[hugepages-2Mi] FieldValueInvalid",
              "spec.containers[0].resources.requests[hugepages-2Mi] FieldValueInvalid"}},
            {kAt, "{requests: {storage: 1Gi}}", {"spec.containers[0].resources.requests[storage] FieldValueInvalid"}},
            {kAt, "{requests: {kubernetes.io/x: 1}}", {}},
            {kAt, "{claims: [{name: gpu, request: a}, {name: gpu, request: b}]}", {}},
            {kAt, "{claims: [{name: gpu, request: a}, {name: gpu}]}", {"spec.containers[0].resources.claims[1] FieldValueDuplicate"}},
            {kAt, "{claims: [{name: gpu}, {name: gpu, request: a}]}", {"spec.containers[0].resources.claims[1] FieldValueDuplicate"}},
            {kAt, "{claims: [{name: gpu, request: A}]}", {"spec.containers[0].resources.claims[0].request FieldValueInvalid"}},
            {"spec.overhead", "{cpu: -1}", {"spec.overhead.limits[cpu] FieldValueInvalid"}}});
}

TEST(PodSpec, ResourcesOfThePodAsAWhole) {
  RunCases({{"spec.resources", "{limits: {cpu: 1, memory: 1Gi}}", {}},
            {"spec.resources", "{limits: {example.com/gpu: 1}}", {"spec.resources.limits[example.com/gpu] FieldValueNotSupported"}},
            {"spec",
             "{serviceAccountName: default, resources: {requests: {cpu: 1}}, containers: [{name: c, image: i, resources: {requests: {cpu: "
             "2}}}]}",
             {"spec.resources.requests[cpu] FieldValueInvalid"}}});
}

TEST(PodSpec, Environment) {
  constexpr std::string_view kAt = "spec.containers[0].env";
  RunCases({{kAt, "[{name: A, valueFrom: {fieldRef: {fieldPath: 'metadata.labels[''a'']'}}}]", {}},
            {kAt,
             "[{name: A, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]",
             {"spec.containers[0].env[0].valueFrom.fieldRef.fieldPath FieldValueNotSupported"}},
            {kAt,
             "[{name: A, valueFrom: {fieldRef: {fieldPath: spec.nonsense}}}]",
             {"spec.containers[0].env[0].valueFrom.fieldRef.fieldPath FieldValueInvalid"}},
            {kAt,
             "[{name: A, value: x, valueFrom: {configMapKeyRef: {name: c, key: k}}}]",
             {"spec.containers[0].env[0].valueFrom FieldValueInvalid"}},
            {kAt, "[{name: A, valueFrom: {}}]", {"spec.containers[0].env[0].valueFrom FieldValueInvalid"}},
            {kAt,
             "[{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 2}}}]",
             {"spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor FieldValueInvalid"}},
            {kAt,
             "[{name: A, valueFrom: {fileKeyRef: {volumeName: pvc, path: f, key: K}}}]",
             {"spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName FieldValueInvalid"}},
            {"spec.containers[0].envFrom", "[{}]", {"spec.containers[0].envFrom FieldValueInvalid"}}});
}

TEST(PodSpec, VolumesHaveOneSourceAndMountsOneVolume) {
  RunCases({{"spec.volumes[2]", "{name: x, emptyDir: {}, hostPath: {path: /x}}", {"spec.volumes[2].hostPath FieldValueForbidden"}},
            {"spec.volumes[2]", "{name: x}", {}},
            {"spec.volumes[2]", "{name: e, emptyDir: {}}", {"spec.volumes[2].name FieldValueDuplicate"}},
            {"spec.volumes[2]", "{name: x, secret: {}}", {"spec.volumes[2].secret.secretName FieldValueRequired"}},
            {"spec.volumes[2]",
             "{name: x, configMap: {name: c, items: [{key: k, path: ../x}], defaultMode: 512}}",
             {"spec.volumes[2].configMap.defaultMode FieldValueInvalid", "spec.volumes[2].configMap.items[0].path FieldValueInvalid"}},
            {"spec.volumes[2]",
             "{name: x, projected: {sources: [{secret: {name: a, items: [{key: k, path: p}]}}, {configMap: {name: b, items: "
             "[{key: k, path: p}]}}]}}",
             {"spec.volumes[2].projected FieldValueInvalid"}},
            {"spec.volumes[2]", "{name: x, ephemeral: {}}", {"spec.volumes[2].ephemeral.volumeClaimTemplate FieldValueRequired"}},
            {"spec.volumes[2]", "{name: x, csi: {}}", {"spec.volumes[2].csi.driver FieldValueRequired"}},
            {"spec.containers[0].volumeMounts[1]",
             "{name: e, mountPath: /e}",
             {"spec.containers[0].volumeMounts[1].mountPath FieldValueInvalid"}},
            {"spec.containers[0].volumeMounts[0].mountPropagation",
             "Bidirectional",
             {"spec.containers[0].volumeMounts.mountPropagation FieldValueForbidden"}},
            {"spec.containers[0].volumeDevices", "[{name: pvc, devicePath: /dev/x}]", {}},
            {"spec.containers[0].volumeDevices",
             "[{name: e, devicePath: /e}]",
             {"spec.containers[0].volumeMounts[0].name FieldValueInvalid", "spec.containers[0].volumeMounts[0].mountPath FieldValueInvalid",
              "spec.containers[0].volumeDevices[0].name FieldValueInvalid", "spec.containers[0].volumeDevices[0].name FieldValueInvalid",
              "spec.containers[0].volumeDevices[0].devicePath FieldValueInvalid"}}});
}

TEST(PodSpec, ProbesAndHooks) {
  RunCases({{"spec.containers[0].livenessProbe",
             "{httpGet: {port: 80}, exec: {command: [x]}}",
             {"spec.containers[0].livenessProbe.httpGet FieldValueForbidden"}},
            {"spec.containers[0].livenessProbe", "{}", {"spec.containers[0].livenessProbe FieldValueRequired"}},
            {"spec.containers[0].livenessProbe",
             "{tcpSocket: {port: 70000}, successThreshold: 2}",
             {"spec.containers[0].livenessProbe.tcpSocket.port FieldValueInvalid",
              "spec.containers[0].livenessProbe.successThreshold FieldValueInvalid"}},
            {"spec.containers[0].readinessProbe",
             "{exec: {command: [x]}, terminationGracePeriodSeconds: 1}",
             {"spec.containers[0].readinessProbe.terminationGracePeriodSeconds FieldValueInvalid"}},
            {"spec.containers[0].lifecycle",
             "{preStop: {sleep: {seconds: 31}}}",
             {"spec.containers[0].lifecycle.preStop.sleep FieldValueInvalid"}},
            {"spec.initContainers",
             "[{name: i, image: i, livenessProbe: {exec: {command: [x]}}}]",
             {"spec.initContainers[0].livenessProbe FieldValueForbidden"}},
            {"spec.initContainers", "[{name: i, image: i, restartPolicy: Always, livenessProbe: {exec: {command: [x]}}}]", {}},
            {"spec.initContainers", "[{name: c, image: i}]", {"spec.initContainers[0].name FieldValueDuplicate"}}});
}

TEST(PodSpec, Ports) {
  constexpr std::string_view kAt = "spec.containers[0].ports";
  RunCases({{kAt,
             "[{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]",
             {"spec.containers[0].ports[1].hostPort FieldValueDuplicate"}},
            {kAt, "[{name: a, containerPort: 80}, {name: a, containerPort: 81}]", {"spec.containers[0].ports[1].name FieldValueDuplicate"}},
            {kAt, "[{}]", {"spec.containers[0].ports[0].containerPort FieldValueRequired"}},
            {kAt, "[{containerPort: 1, protocol: X}]", {"spec.containers[0].ports[0].protocol FieldValueNotSupported"}}});
}

TEST(PodSpec, Scheduling) {
  constexpr std::string_view kSpread = "spec.topologySpreadConstraints";
  RunCases({{"spec.tolerations", "[{key: k}]", {}},
            {"spec.tolerations", "[{value: v}]", {"spec.tolerations[0].operator FieldValueInvalid"}},
            {"spec.tolerations", "[{key: k, tolerationSeconds: 5}]", {"spec.tolerations[0].effect FieldValueInvalid"}},
            {"spec.tolerations", "[{key: k, operator: Gt, value: '1'}]", {"spec.tolerations[0].operator FieldValueNotSupported"}},
            {kSpread,
             "[{maxSkew: 0, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]",
             {"spec.topologySpreadConstraints[0].maxSkew FieldValueInvalid"}},
            {kSpread,
             "[{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: "
             "ScheduleAnyway}]",
             {"spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable} FieldValueDuplicate"}},
            {"spec.affinity",
             "{podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}}]}}",
             {"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey FieldValueRequired",
              "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey FieldValueInvalid",
              "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey FieldValueInvalid"}},
            {"spec.schedulingGates", "[{name: a.b/c}, {name: a.b/c}]", {"spec.schedulingGates[1] FieldValueDuplicate"}},
            {"spec.nodeSelector", "{a: 'b c'}", {"spec.nodeSelector FieldValueInvalid"}}});
}

TEST(PodSpec, PreferencesMayNameValuesThatNoLabelHas) {
  constexpr std::string_view kAt = "spec.affinity.nodeAffinity";
  RunCases(
      {{kAt,
        "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: ['b "
        "c']}]}}]}",
        {}},
       {kAt,
        "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, preference: {}}]}",
        {"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight FieldValueInvalid"}}});
}

TEST(PodSpec, Security) {
  RunCases(
      {{"spec.securityContext", "{runAsUser: -1}", {"spec.securityContext.runAsUser FieldValueInvalid"}},
       {"spec.securityContext",
        "{seccompProfile: {type: Localhost}}",
        {"spec.securityContext.seccompProfile.localhostProfile FieldValueRequired"}},
       {"spec.securityContext", "{sysctls: [{name: a..b}]}", {"spec.securityContext.sysctls[0].name FieldValueInvalid"}},
       {"spec.containers[0].securityContext",
        "{allowPrivilegeEscalation: false, privileged: true}",
        {"spec.containers[0].securityContext FieldValueInvalid"}},
       {"spec.containers[0].securityContext", "{procMount: Unmasked}", {"spec.containers[0].securityContext.procMount FieldValueInvalid"}},
       {"spec.os", "{name: plan9}", {"spec.os FieldValueNotSupported"}}});
}

TEST(PodSpec, NamesAndNetwork) {
  RunCases({{"spec.hostname", "A", {"spec.hostname FieldValueInvalid"}},
            {"spec.hostAliases",
             "[{ip: 1.2.3, hostnames: [A]}]",
             {"spec.hostAliases[0].ip FieldValueInvalid", "spec.hostAliases[0].hostnames[0] FieldValueInvalid"}},
            {"spec.dnsPolicy", "None", {"spec.dnsConfig FieldValueRequired"}},
            {"spec.dnsConfig", "{searches: [_a.b, 'c.']}", {}},
            {"spec.dnsConfig",
             "{nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, x]}",
             {"spec.dnsConfig.nameservers FieldValueInvalid", "spec.dnsConfig.nameservers[3] FieldValueInvalid"}},
            {"spec.activeDeadlineSeconds", "0", {"spec.activeDeadlineSeconds FieldValueInvalid"}},
            {"spec.ephemeralContainers", "[{name: d, image: i}]", {"spec.ephemeralContainers FieldValueForbidden"}},
            {"metadata.annotations",
             "{controller.kubernetes.io/pod-deletion-cost: '+1'}",
             {"metadata.annotations[controller.kubernetes.io/pod-deletion-cost] FieldValueInvalid"}}});
}

// SumOfContainers as its comment says it, step by step over all names.
ResourceList SimpleSum(const json::Value& spec) {
  const auto add = [](ResourceList& sum, const ResourceList& more) {
    for (const auto& [name, amount] : more) sum[name].Add(amount);
  };
  const auto raise = [](ResourceList& most, const ResourceList& other) {
    for (const auto& [name, amount] : other) {
      if (!most.contains(name) || amount > most[name]) most[name] = amount;
    }
  };
  ResourceList sum, sidecars;
  for (const json::Value& container : json::ItemsOf(spec["containers"])) add(sum, ReadResources(container["resources"]["limits"]));
  ResourceList starting;
  for (const json::Value& container : json::ItemsOf(spec["initContainers"])) {
    ResourceList own = ReadResources(container["resources"]["limits"]);
    const bool sidecar = json::TextOf(container["restartPolicy"]) == "Always";
    if (sidecar) add(sum, own);
    add(own, sidecars);
    if (sidecar) sidecars = own;
    raise(starting, own);
  }
  raise(sum, starting);
  return sum;
}

TEST(PodResources, TheSumOfManyContainersIsThatOfTheSimpleWay) {
  std::mt19937 random(1);
  const auto below = [&](size_t limit) { return random() % limit; };
  constexpr std::string_view kAmounts[] = {"0", "1", "2", "500m", "1Ki", "3e0", "-1", "1e300", "9223372036854775807"};
  const auto containers = [&] {
    std::string list;
    for (size_t i = below(6); i > 0; --i) {
      std::string limits;
      for (const char name : {'a', 'b', 'c', 'd'}) {
        if (below(2) == 0) limits += StrCat(limits.empty() ? "" : ", ", name, ": '", kAmounts[below(std::size(kAmounts))], "'");
      }
      list += StrCat("{", below(2) == 0 ? "restartPolicy: Always, " : "", "resources: {limits: {", limits, "}}}", i > 1 ? ", " : "");
    }
    return StrCat("[", list, "]");
  };
  Trees trees;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = StrCat("{containers: ", containers(), ", initContainers: ", containers(), "}");
    const json::Value spec = trees.Read(text);
    ASSERT_EQ(SumOfContainers(spec, "limits"), SimpleSum(spec)) << text;
  }
}

}  // namespace
}  // namespace allot::apiserver
