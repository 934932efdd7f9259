// The rules of pod_rules.h, as data.

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/strings.h"
#include "local/pod_rules.h"

namespace allot::local {
namespace {

constexpr auto kScheduler = Verdict::kScheduler, kRuntime = Verdict::kRuntime, kLook = Verdict::kLook, kNoEffect = Verdict::kNoEffect,
               kWarned = Verdict::kWarned, kRefused = Verdict::kRefused;

constexpr std::string_view kNoProbes = "probes are not run here: a container counts as ready while its process runs";
constexpr std::string_view kNoHooks = "hooks are not run here; let the program do it, on SIGTERM or at its start";
constexpr std::string_view kNoMounts =
    "a container is a process of this machine, into which nothing can be mounted; use paths of the machine, and env for ConfigMaps and "
    "Secrets";
constexpr std::string_view kNoProfile = "a process of this machine has no profile of its own";
constexpr std::string_view kNoLabels = "a process of this machine has no security label of its own; leave it out";
constexpr std::string_view kNoWindows = "this machine runs Linux; leave it out";
constexpr std::string_view kNoTerminal = "nobody can attach to a process here: it reads from /dev/null and has no terminal";
constexpr std::string_view kOwnNetwork = "a process uses the network and the names of this machine; leave it out";

// Sorted by field.
constexpr PodRule kRules[] = {
    {"Capabilities.add", kRefused, "a process has the rights of the user that it runs as; leave it out", ""},
    {"Capabilities.drop", kWarned, "a process has the rights of the user that it runs as", ""},

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
    {"Container.restartPolicyRules", kRefused, "rules by exit code are not known here; use restartPolicy", ""},
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
    {"EnvVarSource.fileKeyRef", kRefused, "there are no volumes here to read it from; use configMapKeyRef or secretKeyRef", ""},
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
    {"PodSecurityContext.sysctls", kRefused, "they are the whole machine's here; ask its admin, and leave it out", ""},
    {"PodSecurityContext.windowsOptions", kRefused, kNoWindows, ""},

    {"PodSpec.activeDeadlineSeconds", kRuntime, "", ""},
    {"PodSpec.affinity", kScheduler, "", ""},
    {"PodSpec.automountServiceAccountToken", kNoEffect, "", ""},
    {"PodSpec.containers", kLook, "", ""},
    {"PodSpec.dnsConfig", kRefused, kOwnNetwork, ""},
    {"PodSpec.dnsPolicy", kRefused, kOwnNetwork, "ClusterFirst,ClusterFirstWithHostNet,Default"},
    {"PodSpec.enableServiceLinks", kNoEffect, "", ""},
    {"PodSpec.ephemeralContainers", kRefused, "nothing can be added to a Pod that runs here; make another Pod", ""},
    {"PodSpec.hostAliases", kRefused, kOwnNetwork, ""},
    {"PodSpec.hostIPC", kNoEffect, "", ""},
    {"PodSpec.hostNetwork", kNoEffect, "", ""},
    {"PodSpec.hostPID", kNoEffect, "", ""},
    {"PodSpec.hostUsers", kWarned, "a process of this machine has its users", "true"},
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
    {"PodSpec.runtimeClassName", kRefused, "there is one runtime here: processes of this machine; leave it out", ""},
    {"PodSpec.schedulerName", kScheduler, "", ""},
    {"PodSpec.schedulingGates", kScheduler, "", ""},
    {"PodSpec.schedulingGroup", kRefused, "Pods are scheduled one by one here; leave it out", ""},
    {"PodSpec.securityContext", kLook, "", ""},
    {"PodSpec.serviceAccount", kNoEffect, "", ""},
    {"PodSpec.serviceAccountName", kNoEffect, "", ""},
    {"PodSpec.setHostnameAsFQDN", kRefused, kOwnNetwork, ""},
    {"PodSpec.shareProcessNamespace", kNoEffect, "", ""},
    {"PodSpec.subdomain", kWarned, "a process has no name of its own in DNS", ""},
    {"PodSpec.terminationGracePeriodSeconds", kRuntime, "", ""},
    {"PodSpec.tolerations", kScheduler, "", ""},
    {"PodSpec.topologySpreadConstraints", kScheduler, "", ""},
    {"PodSpec.volumes", kWarned, "volumes are not made here, as nothing can be mounted into a process; use paths of the machine", ""},

    {"SecurityContext.allowPrivilegeEscalation", kRuntime, "", ""},
    {"SecurityContext.appArmorProfile", kWarned, kNoProfile, ""},
    {"SecurityContext.capabilities", kLook, "", ""},
    {"SecurityContext.privileged", kRefused, "a process has the rights of the user that it runs as; leave it out", ""},
    {"SecurityContext.procMount", kRefused, "a process sees /proc of this machine; leave it out", "Default"},
    {"SecurityContext.readOnlyRootFilesystem", kWarned, "a process sees the files of this machine, with the rights of its user", ""},
    {"SecurityContext.runAsGroup", kRuntime, "", ""},
    {"SecurityContext.runAsNonRoot", kRuntime, "", ""},
    {"SecurityContext.runAsUser", kRuntime, "", ""},
    {"SecurityContext.seLinuxOptions", kRefused, kNoLabels, ""},
    {"SecurityContext.seccompProfile", kWarned, kNoProfile, ""},
    {"SecurityContext.windowsOptions", kRefused, kNoWindows, ""},
};

constexpr std::string_view kNoVolumes = "volumes are not made here; use env for ConfigMaps and Secrets, and an image that has the rest";
constexpr std::string_view kOwnNamespace = "a container has its own, as podman makes it; leave it out";
constexpr std::string_view kPodmansProfile = "podman's own profile is used";
constexpr std::string_view kPodmansRights = "a container has at most the rights that podman gives to all; leave it out";

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
    {"PodSpec.hostUsers", kWarned, "a container has the users that podman gives it", "true"},
    {"PodSpec.imagePullSecrets", kWarned, "images are pulled with the logins of podman itself", ""},
    {"PodSpec.runtimeClassName", kRefused, "there is one runtime here: podman; leave it out", ""},
    {"PodSpec.shareProcessNamespace", kRefused, kOwnNamespace, ""},
    {"PodSpec.volumes", kWarned, kNoVolumes, ""},
    {"SecurityContext.appArmorProfile", kWarned, kPodmansProfile, ""},
    {"SecurityContext.privileged", kRefused, kPodmansRights, ""},
    {"SecurityContext.procMount", kRefused, "a container sees /proc as podman shows it; leave it out", "Default"},
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
