#include "apiserver/access/user_pod_rules.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/checks.h"

namespace allot::apiserver {
namespace {

constexpr std::string_view kRunsAsUser = "a user's Pod runs as the user who made it; leave it out";
constexpr std::string_view kReachesHost = "a user's Pod may not reach beyond itself; leave it out, or ask the admin";
constexpr std::string_view kOwnVolumes[] = {"configMap", "downwardAPI",           "emptyDir",  "ephemeral",
                                            "image",     "persistentVolumeClaim", "projected", "secret"};

constexpr std::string_view kOneNamespace =
    "it would keep other users' Pods off nodes; a user's Pod selects only Pods in its own namespace: leave it out";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kContainerLists[] = {"initContainers", "containers", "ephemeralContainers"};

void ForbidPresent(const FieldPath& field, const json::Value& object, std::initializer_list<std::string_view> names, std::string_view why,
                   FieldErrors& errors) {
  for (const std::string_view name : names) {
    if (!object[name].IsNull()) errors.Forbidden(field.Child(name), why);
  }
}

void ForbidTrue(const FieldPath& field, const json::Value& object, std::initializer_list<std::string_view> names, FieldErrors& errors) {
  for (const std::string_view name : names) {
    if (json::IsTrue(object[name])) errors.Forbidden(field.Child(name), kReachesHost);
  }
}

// Checks what the security contexts of a Pod and of a container have in common.
void CheckContext(const FieldPath& field, const json::Value& context, std::string_view uid, FieldErrors& errors) {
  const json::Value& user = context["runAsUser"];
  if (!user.IsNull() && (uid.empty() || !user.IsNumber() || user.NumberText() != uid))
    errors.Forbidden(field.Child("runAsUser"), kRunsAsUser);
  ForbidPresent(field, context, {"runAsGroup"}, kRunsAsUser, errors);
  ForbidPresent(field, context, {"seLinuxOptions", "windowsOptions"}, kReachesHost, errors);
  for (const std::string_view profile : {"seccompProfile", "appArmorProfile"}) {
    if (TextOf(context[profile]["type"]) == "Unconfined") errors.Forbidden(field.Child(profile).Child("type"), kReachesHost);
  }
}

void CheckContainerContext(const FieldPath& field, const json::Value& context, std::string_view uid, FieldErrors& errors) {
  CheckContext(field, context, uid, errors);
  ForbidTrue(field, context, {"privileged", "allowPrivilegeEscalation"}, errors);
  if (!ItemsOf(context["capabilities"]["add"]).empty()) errors.Forbidden(field.Child("capabilities").Child("add"), kReachesHost);
  const std::string_view mount = TextOf(context["procMount"]);
  if (!mount.empty() && mount != "Default") errors.Forbidden(field.Child("procMount"), kReachesHost);
}

// The machine runs the probes, so a probe of another host would make the machine send requests for the user.
void CheckHandler(const FieldPath& field, const json::Value& handler, FieldErrors& errors) {
  for (const std::string_view way : {"httpGet", "tcpSocket"}) {
    if (!TextOf(handler[way]["host"]).empty()) errors.Forbidden(field.Child(way).Child("host"), kReachesHost);
  }
}

void CheckContainer(const FieldPath& field, const json::Value& container, std::string_view uid, FieldErrors& errors) {
  CheckContainerContext(field.Child("securityContext"), container["securityContext"], uid, errors);
  const auto ports = ItemsOf(container["ports"]);
  for (size_t i = 0; i < ports.size(); ++i) {
    if (IntOf(ports[i]["hostPort"]) != 0) errors.Forbidden(field.Child("ports").Index(i).Child("hostPort"), kReachesHost);
  }
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"})
    CheckHandler(field.Child(probe), container[probe], errors);
  for (const std::string_view hook : {"postStart", "preStop"}) {
    CheckHandler(field.Child("lifecycle").Child(hook), container["lifecycle"][hook], errors);
  }
}

void CheckVolume(const FieldPath& field, const json::Value& volume, FieldErrors& errors) {
  for (const json::Member& member : MembersOf(volume)) {
    if (member.key == "name" || member.value.IsNull()) continue;
    if (std::find(std::begin(kOwnVolumes), std::end(kOwnVolumes), member.key) == std::end(kOwnVolumes)) {
      errors.Forbidden(field.Child(member.key), kReachesHost);
    }
  }
}

void CheckTerm(const FieldPath& field, const json::Value& term, FieldErrors& errors) {
  if (!ItemsOf(term["namespaces"]).empty()) errors.Forbidden(field.Child("namespaces"), kOneNamespace);
  if (!term["namespaceSelector"].IsNull()) errors.Forbidden(field.Child("namespaceSelector"), kOneNamespace);
}

// Affinity works both ways: a Pod is not scheduled beside a Pod with a matching anti-affinity term.
void CheckAffinity(const FieldPath& field, const json::Value& affinity, FieldErrors& errors) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const auto required = ItemsOf(affinity[kind][kRequired]), preferred = ItemsOf(affinity[kind][kPreferred]);
    const FieldPath path = field.Child(kind);
    for (size_t i = 0; i < required.size(); ++i) CheckTerm(path.Child(kRequired).Index(i), required[i], errors);
    for (size_t i = 0; i < preferred.size(); ++i) {
      CheckTerm(path.Child(kPreferred).Index(i).Child("podAffinityTerm"), preferred[i]["podAffinityTerm"], errors);
    }
  }
}

// Whether the container is refused anyway. Setting false would then add a second, confusing error, because validation forbids false with
// these.
bool MayEscalate(const json::Value& context) {
  return !context["allowPrivilegeEscalation"].IsNull() || json::IsTrue(context["privileged"]) ||
         !ItemsOf(context["capabilities"]["add"]).empty();
}

}  // namespace

json::Value RestrictUsersPod(json::Editor& edit, const json::Value& spec, const json::Value& old) {
  json::Value restricted = spec;
  for (const std::string_view list : kContainerLists) {
    if (ItemsOf(spec[list]).empty()) continue;
    std::set<std::string_view> stay;
    for (const json::Value& container : ItemsOf(old[list])) stay.insert(TextOf(container["name"]));
    restricted = edit.Set(restricted, list, edit.Map(spec[list], [&](const json::Value& container) {
      if (stay.contains(TextOf(container["name"])) || MayEscalate(container["securityContext"])) return container;
      return edit.SetAt(container, {"securityContext", "allowPrivilegeEscalation"}, edit.Bool(false));
    }));
  }
  return restricted;
}

void CheckUsersPod(const FieldPath& place, const json::Value& pod, std::string_view uid, FieldErrors& errors) {
  for (const json::Member& annotation : MembersOf(pod["metadata"]["annotations"])) {
    if (annotation.key.starts_with(kAppArmor) && TextOf(annotation.value) == "unconfined") {
      errors.Forbidden(place.Child("metadata").Child("annotations").Key(annotation.key), kReachesHost);
    }
  }
  const FieldPath field = place.Child("spec");
  const json::Value& spec = pod["spec"];
  ForbidTrue(field, spec, {"hostNetwork", "hostPID", "hostIPC"}, errors);
  const FieldPath context = field.Child("securityContext");
  CheckContext(context, spec["securityContext"], uid, errors);
  ForbidPresent(context, spec["securityContext"], {"fsGroup", "supplementalGroups"}, kRunsAsUser, errors);
  ForbidPresent(context, spec["securityContext"], {"sysctls"}, kReachesHost, errors);
  for (const std::string_view list : kContainerLists) {
    const auto containers = ItemsOf(spec[list]);
    for (size_t i = 0; i < containers.size(); ++i) CheckContainer(field.Child(list).Index(i), containers[i], uid, errors);
  }
  const auto volumes = ItemsOf(spec["volumes"]);
  for (size_t i = 0; i < volumes.size(); ++i) CheckVolume(field.Child("volumes").Index(i), volumes[i], errors);
  CheckAffinity(field.Child("affinity"), spec["affinity"], errors);
  if (TextOf(spec["priorityClassName"]).starts_with("system-")) {
    errors.Forbidden(field.Child("priorityClassName"), "it would displace other users' Pods; choose a class that is not the system's");
  }
}

}  // namespace allot::apiserver
