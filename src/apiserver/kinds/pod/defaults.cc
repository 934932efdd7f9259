#include "apiserver/kinds/pod/defaults.h"

#include <map>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/image_name.h"
#include "apiserver/kinds/pod/resources.h"
#include "apiserver/kinds/pod/volume_defaults.h"

namespace allot::apiserver {

namespace {

// Replaces the member by change(member), if it is present.
template <typename Change>
Value Within(Editor& edit, const Value& object, std::string_view key, Change change) {
  return IsSet(object[key]) ? edit.Set(object, key, change(object[key])) : object;
}

template <typename Change>
Value WithinEach(Editor& edit, const Value& object, std::string_view key, Change change) {
  return IsSet(object[key]) ? edit.Set(object, key, edit.Map(object[key], change)) : object;
}

Value DefaultHandler(Editor& edit, const Value& handler) {
  const Value result = Within(edit, handler, "httpGet", [&](const Value& get) {
    return edit.SetDefault(edit.SetDefault(get, "path", edit.Literal("/")), "scheme", edit.Literal("HTTP"));
  });
  return Within(edit, result, "grpc", [&](const Value& grpc) { return edit.SetDefault(grpc, "service", edit.Literal("")); });
}

Value DefaultProbe(Editor& edit, const Value& probe) {
  Value result = DefaultHandler(edit, probe);
  result = edit.SetDefault(result, "timeoutSeconds", edit.Int(1));
  result = edit.SetDefault(result, "periodSeconds", edit.Int(10));
  result = edit.SetDefault(result, "successThreshold", edit.Int(1));
  return edit.SetDefault(result, "failureThreshold", edit.Int(3));
}

Value DefaultEnvironment(Editor& edit, const Value& variable) {
  return Within(edit, variable, "valueFrom", [&](const Value& source) {
    const Value result =
        Within(edit, source, "fieldRef", [&](const Value& ref) { return edit.SetDefault(ref, "apiVersion", edit.Literal("v1")); });
    return Within(edit, result, "fileKeyRef", [&](const Value& ref) { return edit.SetDefault(ref, "optional", edit.Bool(false)); });
  });
}

Value DefaultContainer(Editor& edit, const Value& container) {
  const bool latest = IsLatestImage(TextOf(container["image"]));
  Value result = edit.SetDefault(container, "imagePullPolicy", edit.Literal(latest ? "Always" : "IfNotPresent"));
  result = edit.SetDefault(result, "terminationMessagePath", edit.Literal("/dev/termination-log"));
  result = edit.SetDefault(result, "terminationMessagePolicy", edit.Literal("File"));
  result = WithinEach(edit, result, "ports", [&](const Value& port) { return edit.SetDefault(port, "protocol", edit.Literal("TCP")); });
  result = WithinEach(edit, result, "env", [&](const Value& variable) { return DefaultEnvironment(edit, variable); });
  result = Within(edit, result, "resources", [&](const Value& resources) {
    const auto rounded = [&](const Value& amounts) { return RoundedAmounts(edit, amounts); };
    return Within(edit, Within(edit, resources, "limits", rounded), "requests", rounded);
  });
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    result = Within(edit, result, probe, [&](const Value& value) { return DefaultProbe(edit, value); });
  }
  return Within(edit, result, "lifecycle", [&](const Value& lifecycle) {
    const auto handler = [&](const Value& value) { return DefaultHandler(edit, value); };
    return Within(edit, Within(edit, lifecycle, "postStart", handler), "preStop", handler);
  });
}

// serviceAccount is the deprecated alias of serviceAccountName and always has the same value.
Value DefaultServiceAccount(Editor& edit, const Value& spec) {
  const Value& name = IsSet(spec["serviceAccountName"]) ? spec["serviceAccountName"] : spec["serviceAccount"];
  if (!IsSet(name)) return spec;
  return edit.Set(edit.Set(spec, "serviceAccountName", name), "serviceAccount", name);
}

using Amounts = std::map<std::string_view, Value>;

Amounts ReadAmounts(const Value& amounts) {
  Amounts result;
  for (const auto& [name, amount] : MembersOf(amounts)) result.emplace(name, amount);
  return result;
}

Value WriteAmounts(Editor& edit, const Amounts& amounts) {
  std::vector<json::Member> members;
  for (const auto& [name, amount] : amounts) members.push_back({name, amount});
  return edit.Object(members);
}

// Missing requests default to the limits.
Value RequestsFromLimits(Editor& edit, const Value& container) {
  const Value& resources = container["resources"];
  if (MembersOf(resources["limits"]).empty()) return container;
  Amounts requests = ReadAmounts(resources["requests"]);
  for (const auto& [name, limit] : MembersOf(resources["limits"])) requests.emplace(name, limit);
  return edit.Set(container, "resources", edit.Set(resources, "requests", WriteAmounts(edit, requests)));
}

// Defaults of the Pod-level resources. Limits of huge pages are the sum of the containers'; requests are the containers' requests, else the
// limits.
Value DefaultPodResources(Editor& edit, const Value& spec) {
  const Value& resources = spec["resources"];
  Amounts limits = ReadAmounts(resources["limits"]);
  Amounts requests = ReadAmounts(resources["requests"]);
  if (limits.empty() && requests.empty()) return spec;
  for (const auto& [name, sum] : SumOfContainers(spec, "limits")) {
    if (IsHugePageResource(name) && !requests.contains(name)) limits.emplace(name, edit.String(sum.ToString()));
  }
  if (!limits.empty()) {
    for (const auto& [name, sum] : SumOfContainers(spec, "requests")) {
      if (name == "cpu" || name == "memory") requests.emplace(name, edit.String(sum.ToString()));
    }
    for (const auto& [name, limit] : limits) {
      if (name == "cpu" || name == "memory" || IsHugePageResource(name)) requests.emplace(name, limit);
    }
  }
  Value result = resources;
  if (!limits.empty()) result = edit.Set(result, "limits", WriteAmounts(edit, limits));
  if (!requests.empty()) result = edit.Set(result, "requests", WriteAmounts(edit, requests));
  return edit.Set(spec, "resources", result);
}

Value PortsOfTheHost(Editor& edit, const Value& container) {
  return WithinEach(edit, container, "ports", [&](const Value& port) {
    return IntOf(port["hostPort"]) == 0 && IsSet(port["containerPort"]) ? edit.Set(port, "hostPort", port["containerPort"]) : port;
  });
}

}  // namespace

Value DefaultPodSpec(Editor& edit, const Value& spec) {
  Value result = edit.SetDefault(spec, "dnsPolicy", edit.Literal("ClusterFirst"));
  result = edit.SetDefault(result, "restartPolicy", edit.Literal("Always"));
  result = edit.SetDefault(result, "securityContext", edit.Object({}));
  result = edit.SetDefault(result, "terminationGracePeriodSeconds", edit.Int(30));
  result = edit.SetDefault(result, "schedulerName", edit.Literal("default-scheduler"));
  result = DefaultServiceAccount(edit, result);
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    result = WithinEach(edit, result, list, [&](const Value& container) { return DefaultContainer(edit, container); });
  }
  result = Within(edit, result, "overhead", [&](const Value& amounts) { return RoundedAmounts(edit, amounts); });
  return WithinEach(edit, result, "volumes", [&](const Value& volume) { return DefaultVolume(edit, volume); });
}

Value DefaultPod(Editor& edit, const Value& pod) {
  Value spec = pod["spec"];
  for (const std::string_view list : {"containers", "initContainers"}) {
    spec = WithinEach(edit, spec, list, [&](const Value& container) { return RequestsFromLimits(edit, container); });
  }
  spec = DefaultPodResources(edit, spec);
  spec = edit.SetDefault(spec, "enableServiceLinks", edit.Bool(true));
  if (json::IsTrue(spec["hostNetwork"])) {
    for (const std::string_view list : {"containers", "initContainers"}) {
      spec = WithinEach(edit, spec, list, [&](const Value& container) { return PortsOfTheHost(edit, container); });
    }
  }
  spec = DefaultPodSpec(edit, spec);
  if (IntOf(spec["terminationGracePeriodSeconds"]) < 0) spec = edit.Set(spec, "terminationGracePeriodSeconds", edit.Int(1));
  return edit.Set(pod, "spec", spec);
}

}  // namespace allot::apiserver
