#include "apiserver/kinds/pod/containers.h"

#include <set>
#include <string>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/env.h"
#include "apiserver/kinds/pod/mounts.h"
#include "apiserver/kinds/pod/probes.h"
#include "apiserver/kinds/pod/resources.h"
#include "apiserver/kinds/pod/security.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxRestartRules = 20;
constexpr size_t kMaxExitCodes = 255;

// State shared by the containers of a Pod.
struct Context {
  const json::Value& spec;
  const Volumes& volumes;
  std::set<std::string_view> claims;
  int64_t grace_seconds = 0;
  bool host_users = true;
};

void CheckPorts(const FieldPath& field, const json::Value& ports, FieldErrors& errors) {
  std::set<std::string_view> names;
  Each(field, ports, [&](const FieldPath& path, const json::Value& port) {
    if (const std::string_view name = TextOf(port["name"]); !name.empty()) {
      const Problems problems = PortNameProblems(name);
      AddInvalid(path.Child("name"), name, problems, errors);
      if (problems.empty() && !names.insert(name).second) errors.Duplicate(path.Child("name"), name);
    }
    if (IntOf(port["containerPort"]) == 0) {
      errors.Required(path.Child("containerPort"));
    } else {
      CheckPortNumber(path.Child("containerPort"), IntOf(port["containerPort"]), errors);
    }
    if (IntOf(port["hostPort"]) != 0) CheckPortNumber(path.Child("hostPort"), IntOf(port["hostPort"]), errors);
    CheckEnum(path.Child("protocol"), TextOf(port["protocol"]), {"SCTP", "TCP", "UDP"}, errors);
  });
}

// `containers` together may use each host port once.
void CheckHostPorts(const FieldPath& field, std::span<const json::Value> containers, FieldErrors& errors) {
  std::set<std::string> taken;
  for (size_t i = 0; i < containers.size(); ++i) {
    Each(field.Index(i).Child("ports"), containers[i]["ports"], [&](const FieldPath& path, const json::Value& port) {
      const int64_t number = IntOf(port["hostPort"]);
      if (number == 0) return;
      const std::string key = StrCat(TextOf(port["protocol"]), "/", TextOf(port["hostIP"]), "/", number);
      if (!taken.insert(key).second) errors.Duplicate(path.Child("hostPort"), key);
    });
  }
}

// Errors name the list, not the item.
void CheckResizePolicy(const FieldPath& field, const json::Value& policies, std::string_view pod_restart, FieldErrors& errors) {
  std::set<std::string_view> seen;
  Each(field, policies, [&](const FieldPath& path, const json::Value& policy) {
    const std::string_view resource = TextOf(policy["resourceName"]);
    const std::string_view restart = TextOf(policy["restartPolicy"]);
    if (!seen.insert(resource).second) errors.Duplicate(path, resource);
    CheckEnum(field, resource, {"cpu", "memory"}, errors);
    CheckEnum(field, restart, {"NotRequired", "RestartContainer"}, errors);
    if (pod_restart == "Never" && restart != "NotRequired") {
      errors.Invalid(field, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}

void CheckRestartPolicy(const FieldPath& field, const json::Value& container, FieldErrors& errors) {
  const json::Value& rules = container["restartPolicyRules"];
  const FieldPath policy = field.Child("restartPolicy");
  if (IsSet(container["restartPolicy"])) {
    CheckSupported(policy, TextOf(container["restartPolicy"]), {"Always", "Never", "OnFailure"}, errors);
  } else if (!ItemsOf(rules).empty()) {
    errors.Required(policy, "must specify restartPolicy when restart rules are used");
  }
  const FieldPath list = field.Child("restartPolicyRules");
  if (ItemsOf(rules).size() > kMaxRestartRules) errors.TooMany(list, ItemsOf(rules).size(), kMaxRestartRules);
  Each(list, rules, [&](const FieldPath& path, const json::Value& rule) {
    CheckSupported(path.Child("action"), TextOf(rule["action"]), {"Restart", "RestartAllContainers"}, errors);
    const json::Value& codes = rule["exitCodes"];
    const FieldPath at = path.Child("exitCodes");
    if (!IsSet(codes)) return errors.Required(at, "must be specified");
    CheckSupported(at.Child("operator"), TextOf(codes["operator"]), {"In", "NotIn"}, errors);
    if (ItemsOf(codes["values"]).size() > kMaxExitCodes) errors.TooMany(at.Child("values"), ItemsOf(codes["values"]).size(), kMaxExitCodes);
  });
}

void CheckCommon(const FieldPath& field, const json::Value& container, const Context& context, FieldErrors& errors) {
  const std::string_view name = TextOf(container["name"]);
  if (name.empty()) {
    errors.Required(field.Child("name"));
  } else {
    CheckDnsLabel(field.Child("name"), name, errors);
  }
  if (TextOf(container["image"]).empty()) errors.Required(field.Child("image"));
  CheckEnum(field.Child("terminationMessagePolicy"), TextOf(container["terminationMessagePolicy"]), {"File", "FallbackToLogsOnError"},
            errors);
  CheckPorts(field.Child("ports"), container["ports"], errors);
  CheckEnvironment(field.Child("env"), container["env"], errors);
  CheckEnvironmentFrom(field.Child("envFrom"), container["envFrom"], errors);
  CheckMounts(field, container, context.volumes, errors);
  CheckEnum(field.Child("imagePullPolicy"), TextOf(container["imagePullPolicy"]), {"Always", "IfNotPresent", "Never"}, errors);
  CheckContainerResources(field.Child("resources"), container["resources"], context.claims, errors);
  CheckResizePolicy(field.Child("resizePolicy"), container["resizePolicy"], TextOf(context.spec["restartPolicy"]), errors);
  CheckContainerSecurity(field.Child("securityContext"), container["securityContext"], context.host_users, errors);
}

void CheckContainers(const FieldPath& field, const Context& context, FieldErrors& errors) {
  const auto containers = ItemsOf(context.spec["containers"]);
  if (containers.empty()) return errors.Required(field);
  std::set<std::string_view> names;
  Each(field, context.spec["containers"], [&](const FieldPath& path, const json::Value& container) {
    CheckCommon(path, container, context, errors);
    const std::string_view name = TextOf(container["name"]);
    if (!names.insert(name).second) errors.Duplicate(path.Child("name"), name);
    CheckProbesAndHooks(path, container, context.grace_seconds, errors);
    CheckRestartPolicy(path, container, errors);
  });
  CheckHostPorts(field, containers, errors);
}

// An init container that is not a sidecar runs to completion, so it may have neither probes nor hooks.
void CheckRunsToItsEnd(const FieldPath& field, const json::Value& container, FieldErrors& errors) {
  for (const std::string_view name : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (IsSet(container[name])) errors.Forbidden(field.Child(name), "may not be set for init containers without restartPolicy=Always");
  }
  Each(field.Child("resizePolicy"), container["resizePolicy"], [&](const FieldPath& path, const json::Value& policy) {
    if (TextOf(policy["restartPolicy"]) != "RestartContainer") return;
    errors.Invalid(path.Child("restartPolicy"), "RestartContainer", "must not be set to 'RestartContainer' for non-sidecar initContainers");
  });
}

void CheckInitContainers(const FieldPath& field, const Context& context, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (const json::Value& container : ItemsOf(context.spec["containers"])) names.insert(TextOf(container["name"]));
  const auto containers = ItemsOf(context.spec["initContainers"]);
  for (size_t i = 0; i < containers.size(); ++i) {
    const json::Value& container = containers[i];
    const FieldPath path = field.Index(i);
    CheckCommon(path, container, context, errors);
    CheckRestartPolicy(path, container, errors);
    const std::string_view name = TextOf(container["name"]);
    if (!names.insert(name).second) errors.Duplicate(path.Child("name"), name);
    CheckHostPorts(field, containers.subspan(i, 1), errors);
    if (TextOf(container["restartPolicy"]) == "Always") {
      CheckProbesAndHooks(path, container, context.grace_seconds, errors);
    } else {
      CheckRunsToItsEnd(path, container, errors);
    }
  }
}

void CheckEphemeral(const FieldPath& field, const json::Value& container, FieldErrors& errors) {
  constexpr std::string_view kWhy = "cannot be set for an Ephemeral Container";
  for (const std::string_view name : {"ports", "resources", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "resizePolicy",
                                      "restartPolicy", "restartPolicyRules"}) {
    const json::Value& value = container[name];
    if (IsSet(value) && !(value.IsObject() && value.Members().empty() && name == "resources")) errors.Forbidden(field.Child(name), kWhy);
  }
  Each(field.Child("volumeMounts"), container["volumeMounts"], [&](const FieldPath& path, const json::Value& mount) {
    for (const std::string_view name : {"subPath", "subPathExpr"}) {
      if (!TextOf(mount[name]).empty()) errors.Forbidden(path.Child(name), kWhy);
    }
  });
}

void CheckEphemeralContainers(const FieldPath& field, const Context& context, FieldErrors& errors) {
  std::set<std::string_view> others;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& container : ItemsOf(context.spec[list])) others.insert(TextOf(container["name"]));
  }
  std::set<std::string_view> names = others;
  Each(field, context.spec["ephemeralContainers"], [&](const FieldPath& path, const json::Value& container) {
    CheckCommon(path, container, context, errors);
    const std::string_view name = TextOf(container["name"]);
    if (!names.insert(name).second) errors.Duplicate(path.Child("name"), name);
    const std::string_view target = TextOf(container["targetContainerName"]);
    if (!target.empty() && !others.contains(target)) errors.NotFound(path.Child("targetContainerName"), target);
    CheckEphemeral(path, container, errors);
  });
}

}  // namespace

void CheckAllContainers(const FieldPath& spec_field, const json::Value& spec, const Volumes& volumes, FieldErrors& errors) {
  const bool own_users = spec["hostUsers"].IsBool() && !spec["hostUsers"].AsBool();
  const Context context = {.spec = spec,
                           .volumes = volumes,
                           .claims = ClaimNamesOf(spec),
                           .grace_seconds = IntOf(spec["terminationGracePeriodSeconds"]),
                           .host_users = !own_users};
  CheckContainers(spec_field.Child("containers"), context, errors);
  CheckInitContainers(spec_field.Child("initContainers"), context, errors);
  CheckEphemeralContainers(spec_field.Child("ephemeralContainers"), context, errors);
}

void CheckImagesOfPod(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors) {
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    Each(spec_field.Child(list), spec[list], [&](const FieldPath& path, const json::Value& container) {
      const std::string_view image = TextOf(container["image"]);
      if (Trim(image) != image) errors.Invalid(path.Child("image"), image, "must not have leading or trailing whitespace");
    });
  }
}

}  // namespace allot::apiserver
