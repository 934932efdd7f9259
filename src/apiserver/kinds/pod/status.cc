#include <map>
#include <set>
#include <string>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/pod/pod.h"

namespace allot::apiserver {

namespace {

void CheckConditionTypes(const FieldPath& field, const Value& conditions, FieldErrors& errors) {
  Each(field, conditions, [&](const FieldPath& path, const Value& condition) {
    const int64_t generation = IntOf(condition["observedGeneration"]);
    if (generation < 0) errors.Invalid(path.Child("observedGeneration"), generation, "must be a non-negative integer");
    CheckLabelKey(path.Child("Type"), TextOf(condition["type"]), errors);
  });
}

void CheckNominatedNode(const FieldPath& field, const Value& pod, const Value& old, FieldErrors& errors) {
  const std::string_view node = TextOf(pod["status"]["nominatedNodeName"]);
  if (node.empty() || node == TextOf(old["status"]["nominatedNodeName"])) return;
  CheckDnsSubdomain(field, node, errors);
  if (!TextOf(old["spec"]["nodeName"]).empty()) errors.Forbidden(field, "may not be set on pods that are already bound to a node");
}

// Whether the container may run again after it ended with `code`.
bool MayRestart(const Value& container, std::string_view pod_policy, int64_t code) {
  for (const Value& rule : ItemsOf(container["restartPolicyRules"])) {
    bool listed = false;
    for (const Value& one : ItemsOf(rule["exitCodes"]["values"])) listed |= IntOf(one) == code;
    if (listed == (TextOf(rule["exitCodes"]["operator"]) == "In")) return true;
  }
  const std::string_view policy = IsSet(container["restartPolicy"]) ? TextOf(container["restartPolicy"]) : pod_policy;
  return policy == "Always" || (policy == "OnFailure" && code != 0);
}

bool AllMayRestart(const Value& spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const Value& container : ItemsOf(spec[list])) {
      for (const Value& rule : ItemsOf(container["restartPolicyRules"])) {
        if (TextOf(rule["action"]) == "RestartAllContainers") return true;
      }
    }
  }
  return false;
}

// A container that has ended must stay so, unless it may be restarted.
void CheckStates(const FieldPath& field, const Value& statuses, const Value& old, const Value& containers, const Value& spec,
                 FieldErrors& errors) {
  if (AllMayRestart(spec)) return;
  std::map<std::string_view, Value> now, definitions;
  for (const Value& status : ItemsOf(statuses)) now.emplace(TextOf(status["name"]), status);
  for (const Value& container : ItemsOf(containers)) definitions.emplace(TextOf(container["name"]), container);
  Each(field, old, [&](const FieldPath& path, const Value& before) {
    const Value& ended = before["state"]["terminated"];
    const auto status = now.find(TextOf(before["name"]));
    if (!IsSet(ended) || status == now.end() || IsSet(status->second["state"]["terminated"])) return;
    const auto container = definitions.find(TextOf(before["name"]));
    const bool may =
        container != definitions.end() && MayRestart(container->second, TextOf(spec["restartPolicy"]), IntOf(ended["exitCode"]));
    if (!may) errors.Forbidden(path.Child("state"), "may not be transitioned to non-terminated state");
  });
}

void CheckClaimStatuses(const FieldPath& field, const Value& statuses, const Value& claims, FieldErrors& errors) {
  std::set<std::string_view> known, seen;
  for (const Value& claim : ItemsOf(claims)) known.insert(TextOf(claim["name"]));
  Each(field, statuses, [&](const FieldPath& path, const Value& status) {
    const std::string_view name = TextOf(status["name"]);
    if (!known.contains(name)) errors.Invalid(path.Child("name"), name, "must match the name of an entry in `spec.resourceClaims`");
    if (!seen.insert(name).second) errors.Duplicate(path.Child("name"), name);
    if (IsSet(status["resourceClaimName"])) CheckDnsSubdomain(path.Child("resourceClaimName"), TextOf(status["resourceClaimName"]), errors);
  });
}

// Checks the claim made for extended resources, and its mapping of requests to containers.
void CheckExtendedClaim(const FieldPath& field, const Value& status, const Value& spec, FieldErrors& errors) {
  if (!IsSet(status)) return;
  std::map<std::string_view, Value> containers;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Value& container : ItemsOf(spec[list])) containers.insert_or_assign(TextOf(container["name"]), container);
  }
  const FieldPath mappings = field.Child("requestMappings");
  if (ItemsOf(status["requestMappings"]).empty()) errors.Required(mappings, "at least one request mapping is required");
  std::set<std::string> seen;
  Each(mappings, status["requestMappings"], [&](const FieldPath& path, const Value& mapping) {
    const std::string_view name = TextOf(mapping["containerName"]);
    const std::string_view resource = TextOf(mapping["resourceName"]);
    const std::string_view request = TextOf(mapping["requestName"]);
    const auto container = containers.find(name);
    if (container == containers.end()) {
      errors.Invalid(path.Child("containerName"), name,
                     "must match the name of an entry in spec.initContainers.name or spec.containers.name");
    } else if (!IsSet(container->second["resources"]["requests"][resource])) {
      errors.Invalid(path.Child("resourceName"), resource,
                     "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
                     "spec.containers.resources.requests");
    }
    CheckDnsLabel(field.Child("requestName"), request, errors);
    if (seen.insert(StrCat(name, "\n", resource, "\n", request)).second) return;
    errors.Duplicate(path.Child("containerName"), name);
    errors.Duplicate(path.Child("resourceName"), resource);
    errors.Duplicate(path.Child("requestName"), request);
  });
  const std::string_view claim = TextOf(status["resourceClaimName"]);
  if (claim.empty()) return errors.Required(field.Child("resourceClaimName"));
  CheckDnsSubdomain(field.Child("resourceClaimName"), claim, errors);
}

void CheckAddresses(const FieldPath& field, const Value& addresses, const Value& old, FieldErrors& errors) {
  std::set<std::string_view> before;
  for (const Value& address : ItemsOf(old)) before.insert(TextOf(address["ip"]));
  std::vector<std::string_view> texts;
  const size_t errors_before = errors.size();
  Each(field, addresses, [&](const FieldPath& path, const Value& address) {
    texts.push_back(TextOf(address["ip"]));
    if (!before.contains(texts.back())) CheckIp(path, texts.back(), errors);
  });
  CheckOneOfEachFamily(field, addresses, errors.size() == errors_before, texts, "IP", errors);
}

}  // namespace

void CheckPodStatusUpdate(const Value& pod, const Value& old, FieldErrors& errors) {
  const FieldPath field("status");
  const Value& now = pod["status"];
  const Value& before = old["status"];
  const Value& spec = old["spec"];
  CheckConditionTypes(field.Child("conditions"), now["conditions"], errors);
  CheckNominatedNode(field.Child("nominatedNodeName"), pod, old, errors);
  const int64_t generation = IntOf(now["observedGeneration"]);
  if (generation < 0) errors.Invalid(field.Child("observedGeneration"), generation, "must be a non-negative integer");
  CheckImmutable(field.Child("qosClass"), now["qosClass"], before["qosClass"], errors);
  CheckStates(field.Child("containerStatuses"), now["containerStatuses"], before["containerStatuses"], spec["containers"], spec, errors);
  CheckStates(field.Child("initContainerStatuses"), now["initContainerStatuses"], before["initContainerStatuses"], spec["initContainers"],
              spec, errors);
  CheckStates(field.Child("ephemeralContainerStatuses"), now["ephemeralContainerStatuses"], before["ephemeralContainerStatuses"], Value(),
              Value(), errors);
  CheckClaimStatuses(field.Child("resourceClaimStatuses"), now["resourceClaimStatuses"], spec["resourceClaims"], errors);
  CheckExtendedClaim(field.Child("extendedResourceClaimStatus"), now["extendedResourceClaimStatus"], spec, errors);
  CheckAddresses(field.Child("podIPs"), now["podIPs"], before["podIPs"], errors);
  const auto hosts = ItemsOf(now["hostIPs"]);
  if (!hosts.empty() && TextOf(hosts[0]["ip"]) != TextOf(now["hostIP"])) {
    errors.Invalid(field.Child("hostIPs").Index(0).Child("ip"), TextOf(hosts[0]["ip"]), "must be equal to `hostIP`");
  }
  CheckAddresses(field.Child("hostIPs"), now["hostIPs"], before["hostIPs"], errors);
}

}  // namespace allot::apiserver
