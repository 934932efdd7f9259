// The rules of pod_rules.h, as data.

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/strings.h"
#include "local/pods/pod_rules.h"

namespace allot::local {
namespace {

constexpr auto kScheduler = Verdict::kScheduler, kRuntime = Verdict::kRuntime, kLook = Verdict::kLook, kNoEffect = Verdict::kNoEffect,
               kWarned = Verdict::kWarned, kRefused = Verdict::kRefused;

constexpr std::string_view kNoProbes = "probes are not run here: a container is ready while its process runs";
constexpr std::string_view kNoHooks = "hooks are not run here; run this in the program, at its start or on SIGTERM";
constexpr std::string_view kNoMounts =
    "a container is a process of this machine, so nothing can be mounted into it; use paths of the machine, and env for ConfigMaps and "
    "Secrets";
constexpr std::string_view kNoProfile = "ignored: a process of this machine has no profile of its own";
constexpr std::string_view kNoLabels = "a process of this machine has no security label of its own; remove this field";
constexpr std::string_view kNoWindows = "this machine runs Linux; remove this field";
constexpr std::string_view kNoTerminal = "ignored: a process here reads from /dev/null and has no terminal to attach to";
constexpr std::string_view kOwnNetwork = "a process uses the network and the host names of this machine; remove this field";

// Sorted by field.
constexpr PodRule kRules[] = {
    {"Capabilities.add", kRefused, "a process has the capabilities of the user that it runs as; remove this field", ""},
    {"Capabilities.drop", kWarned, "ignored: a process has the capabilities of the user that it runs as", ""},

    {"Container.args", kRuntime, "", ""},
    {"Container.command", kRuntime, "", ""},
    {"Container.env", kLook, "", ""},
    {"Container.envFrom", kRuntime, "", ""},
    {"Container.image", kNoEffect, "", ""},
    {"Container.imagePullPolicy", kNoEffect, "", ""},
    {"Container.lifecycle", kLook, "", ""},
    {"Container.livenessProbe", kWarned, kNoProbes, ""},
    {"Container.name", kRuntime, "", ""},
    {"Container.ports", kScheduler, "", ""},
    {"Container.readinessProbe", kWarned, kNoProbes, ""},
    {"Container.resizePolicy", kNoEffect, "", ""},
    {"Container.resources", kScheduler, "", ""},
    {"Container.restartPolicy", kRuntime, "", ""},
    {"Container.restartPolicyRules", kRefused, "rules by exit code are not supported here; use restartPolicy", ""},
    {"Container.securityContext", kLook, "", ""},
    {"Container.startupProbe", kWarned, kNoProbes, ""},
    {"Container.stdin", kWarned, kNoTerminal, ""},
    {"Container.stdinOnce", kNoEffect, "", ""},
    {"Container.terminationMessagePath", kNoEffect, "", ""},
    {"Container.terminationMessagePolicy", kRuntime, "", ""},
    {"Container.tty", kWarned, kNoTerminal, ""},
    {"Container.volumeDevices", kRefused, kNoMounts, ""},
    {"Container.volumeMounts", kRefused, kNoMounts, ""},
    {"Container.workingDir", kRuntime, "", ""},

    {"EnvVar.name", kRuntime, "", ""},
    {"EnvVar.value", kRuntime, "", ""},
    {"EnvVar.valueFrom", kLook, "", ""},

    {"EnvVarSource.configMapKeyRef", kRuntime, "", ""},
    {"EnvVarSource.fieldRef", kRuntime, "", ""},
    {"EnvVarSource.fileKeyRef", kRefused, "there are no volumes here to read a file from; use configMapKeyRef or secretKeyRef", ""},
    {"EnvVarSource.resourceFieldRef", kRuntime, "", ""},
    {"EnvVarSource.secretKeyRef", kRuntime, "", ""},

    {"Lifecycle.postStart", kRefused, kNoHooks, ""},
    {"Lifecycle.preStop", kRefused, kNoHooks, ""},
    {"Lifecycle.stopSignal", kRuntime, "", ""},

    {"Pod.apiVersion", kNoEffect, "", ""},
    {"Pod.kind", kNoEffect, "", ""},
    {"Pod.metadata", kRuntime, "", ""},
    {"Pod.spec", kLook, "", ""},
    {"Pod.status", kRuntime, "", ""},

    {"PodOS.name", kRefused, kNoWindows, "linux"},

    {"PodSecurityContext.appArmorProfile", kWarned, kNoProfile, ""},
    {"PodSecurityContext.fsGroup", kRuntime, "", ""},
    {"PodSecurityContext.fsGroupChangePolicy", kNoEffect, "", ""},
    {"PodSecurityContext.runAsGroup", kRuntime, "", ""},
    {"PodSecurityContext.runAsNonRoot", kRuntime, "", ""},
    {"PodSecurityContext.runAsUser", kRuntime, "", ""},
    {"PodSecurityContext.seLinuxChangePolicy", kNoEffect, "", ""},
    {"PodSecurityContext.seLinuxOptions", kRefused, kNoLabels, ""},
    {"PodSecurityContext.seccompProfile", kWarned, kNoProfile, ""},
    {"PodSecurityContext.supplementalGroups", kRuntime, "", ""},
    {"PodSecurityContext.supplementalGroupsPolicy", kRuntime, "", ""},
    {"PodSecurityContext.sysctls", kRefused, "sysctls would change the whole machine; ask its admin, and remove this field", ""},
    {"PodSecurityContext.windowsOptions", kRefused, kNoWindows, ""},

    {"PodSpec.activeDeadlineSeconds", kRuntime, "", ""},
    {"PodSpec.affinity", kScheduler, "", ""},
    {"PodSpec.automountServiceAccountToken", kNoEffect, "", ""},
    {"PodSpec.containers", kLook, "", ""},
    {"PodSpec.dnsConfig", kRefused, kOwnNetwork, ""},
    {"PodSpec.dnsPolicy", kRefused, kOwnNetwork, "ClusterFirst,ClusterFirstWithHostNet,Default"},
    {"PodSpec.enableServiceLinks", kNoEffect, "", ""},
    {"PodSpec.ephemeralContainers", kRefused, "containers cannot be added to a Pod here; create another Pod", ""},
    {"PodSpec.hostAliases", kRefused, kOwnNetwork, ""},
    {"PodSpec.hostIPC", kNoEffect, "", ""},
    {"PodSpec.hostNetwork", kNoEffect, "", ""},
    {"PodSpec.hostPID", kNoEffect, "", ""},
    {"PodSpec.hostUsers", kWarned, "ignored: a process of this machine has the machine's users", "true"},
    {"PodSpec.hostname", kRuntime, "", ""},
    {"PodSpec.hostnameOverride", kRuntime, "", ""},
    {"PodSpec.imagePullSecrets", kNoEffect, "", ""},
    {"PodSpec.initContainers", kLook, "", ""},
    {"PodSpec.nodeName", kScheduler, "", ""},
    {"PodSpec.nodeSelector", kScheduler, "", ""},
    {"PodSpec.os", kLook, "", ""},
    {"PodSpec.overhead", kScheduler, "", ""},
    {"PodSpec.preemptionPolicy", kNoEffect, "", ""},
    {"PodSpec.priority", kScheduler, "", ""},
    {"PodSpec.priorityClassName", kScheduler, "", ""},
    {"PodSpec.readinessGates", kRuntime, "", ""},
    {"PodSpec.resourceClaims", kRuntime, "", ""},
    {"PodSpec.resources", kScheduler, "", ""},
    {"PodSpec.restartPolicy", kRuntime, "", ""},
    {"PodSpec.runtimeClassName", kRefused, "the only runtime here is processes of this machine; remove this field", ""},
    {"PodSpec.schedulerName", kScheduler, "", ""},
    {"PodSpec.schedulingGates", kScheduler, "", ""},
    {"PodSpec.schedulingGroup", kRefused, "Pods are scheduled one by one here; remove this field", ""},
    {"PodSpec.securityContext", kLook, "", ""},
    {"PodSpec.serviceAccount", kNoEffect, "", ""},
    {"PodSpec.serviceAccountName", kNoEffect, "", ""},
    {"PodSpec.setHostnameAsFQDN", kRefused, kOwnNetwork, ""},
    {"PodSpec.shareProcessNamespace", kNoEffect, "", ""},
    {"PodSpec.subdomain", kWarned, "ignored: a process has no DNS name of its own", ""},
    {"PodSpec.terminationGracePeriodSeconds", kRuntime, "", ""},
    {"PodSpec.tolerations", kScheduler, "", ""},
    {"PodSpec.topologySpreadConstraints", kScheduler, "", ""},
    {"PodSpec.volumes", kWarned, "ignored: nothing can be mounted into a process; use paths of the machine", ""},

    {"SecurityContext.allowPrivilegeEscalation", kRuntime, "", ""},
    {"SecurityContext.appArmorProfile", kWarned, kNoProfile, ""},
    {"SecurityContext.capabilities", kLook, "", ""},
    {"SecurityContext.privileged", kRefused, "a process has the rights of the user that it runs as; remove this field", ""},
    {"SecurityContext.procMount", kRefused, "a process sees /proc of this machine; remove this field", "Default"},
    {"SecurityContext.readOnlyRootFilesystem", kWarned, "ignored: a process can write the machine's files with the rights of its user", ""},
    {"SecurityContext.runAsGroup", kRuntime, "", ""},
    {"SecurityContext.runAsNonRoot", kRuntime, "", ""},
    {"SecurityContext.runAsUser", kRuntime, "", ""},
    {"SecurityContext.seLinuxOptions", kRefused, kNoLabels, ""},
    {"SecurityContext.seccompProfile", kWarned, kNoProfile, ""},
    {"SecurityContext.windowsOptions", kRefused, kNoWindows, ""},
};

constexpr std::string_view kNoVolumes =
    "volumes are not supported here; use env for ConfigMaps and Secrets, and an image with all other files";
constexpr std::string_view kOwnNamespace = "podman gives each container its own namespace; remove this field";
constexpr std::string_view kPodmansProfile = "podman's default profile is used";
constexpr std::string_view kPodmansRights = "a container has at most podman's default capabilities; remove this field";

// Sorted by field.
constexpr PodRule kPodmanRules[] = {
    {"Capabilities.add", kRefused, kPodmansRights, ""},
    {"Capabilities.drop", kRuntime, "", ""},
    {"Container.image", kRuntime, "", ""},
    {"Container.imagePullPolicy", kRuntime, "", ""},
    {"Container.volumeDevices", kRefused, kNoVolumes, ""},
    {"Container.volumeMounts", kRefused, kNoVolumes, ""},
    {"PodSecurityContext.appArmorProfile", kWarned, kPodmansProfile, ""},
    {"PodSecurityContext.seLinuxOptions", kRefused, kPodmansProfile, ""},
    {"PodSecurityContext.seccompProfile", kWarned, kPodmansProfile, ""},
    {"PodSpec.hostIPC", kRefused, kOwnNamespace, ""},
    {"PodSpec.hostPID", kRefused, kOwnNamespace, ""},
    {"PodSpec.hostUsers", kWarned, "ignored: podman chooses the user namespace", "true"},
    {"PodSpec.imagePullSecrets", kWarned, "ignored: podman pulls images with its own logins", ""},
    {"PodSpec.runtimeClassName", kRefused, "the only runtime here is podman; remove this field", ""},
    {"PodSpec.shareProcessNamespace", kRefused, kOwnNamespace, ""},
    {"PodSpec.volumes", kWarned, kNoVolumes, ""},
    {"SecurityContext.appArmorProfile", kWarned, kPodmansProfile, ""},
    {"SecurityContext.privileged", kRefused, kPodmansRights, ""},
    {"SecurityContext.procMount", kRefused, "podman's default /proc mount is used; remove this field", "Default"},
    {"SecurityContext.readOnlyRootFilesystem", kRuntime, "", ""},
    {"SecurityContext.seLinuxOptions", kRefused, kPodmansProfile, ""},
    {"SecurityContext.seccompProfile", kWarned, kPodmansProfile, ""},
};

constexpr bool IsSorted(std::span<const PodRule> rules) {
  return std::is_sorted(rules.begin(), rules.end(), [](const PodRule& a, const PodRule& b) { return a.field < b.field; });
}
static_assert(IsSorted(kRules) && IsSorted(kPodmanRules));

const PodRule* Find(std::span<const PodRule> rules, const std::string& name) {
  const auto found =
      std::lower_bound(rules.begin(), rules.end(), name, [](const PodRule& rule, const std::string& key) { return rule.field < key; });
  return found != rules.end() && found->field == name ? &*found : nullptr;
}

}  // namespace

std::span<const PodRule> AllPodRules(Runtime runtime) {
  return runtime == Runtime::kPodman ? std::span<const PodRule>(kPodmanRules) : kRules;
}

const PodRule* FindPodRule(Runtime runtime, std::string_view type, std::string_view field) {
  const std::string name = StrCat(type, ".", field);
  const PodRule* const own = Find(AllPodRules(runtime), name);
  return own != nullptr ? own : Find(kRules, name);
}

}  // namespace allot::local
