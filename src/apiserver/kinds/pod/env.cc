#include "apiserver/kinds/pod/env.h"

#include "apiserver/json_names.h"

#include <algorithm>
#include <array>
#include <span>

namespace allot::apiserver {

namespace {

constexpr auto kEnvironmentFields = std::to_array<std::string_view>({
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
});
constexpr auto kVolumeFields = std::to_array<std::string_view>({
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
});
// All fields that a fieldRef may name. The lists above say where each is allowed.
constexpr auto kPodFields = std::to_array<std::string_view>({
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.host",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.phase",
    "status.podIP",
    "status.podIPs",
});
constexpr auto kResources = std::to_array<std::string_view>({
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
});
constexpr auto kByteDivisors = std::to_array<std::string_view>({
    "1",
    "1k",
    "1M",
    "1G",
    "1T",
    "1P",
    "1E",
    "1Ki",
    "1Mi",
    "1Gi",
    "1Ti",
    "1Pi",
    "1Ei",
});

bool Contains(std::span<const std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// The two parts of metadata.labels['key'].
struct Subscript {
  std::string_view path, key;
  bool found = false;
};
Subscript SplitSubscript(std::string_view text) {
  if (!text.ends_with("']")) return {.path = text, .key = {}};
  const std::string_view inner = text.substr(0, text.size() - 2);
  const size_t open = inner.find("['");
  if (open == std::string_view::npos || open == 0) return {.path = text, .key = {}};
  return {.path = inner.substr(0, open), .key = inner.substr(open + 2), .found = true};
}

void CheckDivisor(const FieldPath& field, std::string_view resource, const json::Value& value, FieldErrors& errors) {
  const model::Quantity divisor = QuantityOf(value);
  if (divisor.IsZero()) return;
  const std::string text = divisor.ToString();
  const FieldPath path = field.Child("divisor");
  if (resource.ends_with(".cpu")) {
    if (text != "1m" && text != "1") errors.Invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  std::string_view what;
  if (resource.ends_with(".memory")) what = "memory";
  if (resource.ends_with(".ephemeral-storage")) what = "local ephemeral storage";
  if (resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-")) what = "hugepages";
  if (what.empty() || Contains(kByteDivisors, text)) return;
  errors.Invalid(
      path, resource,
      StrCat("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ", what, " resource"));
}

// Checks a reference to a key of a ConfigMap or Secret.
void CheckKeyReference(const FieldPath& field, const json::Value& reference, FieldErrors& errors) {
  CheckDnsSubdomain(field.Child("name"), TextOf(reference["name"]), errors);
  const std::string_view key = TextOf(reference["key"]);
  if (key.empty()) return errors.Required(field.Child("key"));
  AddInvalid(field.Child("key"), key, ConfigKeyProblems(key), errors);
}

void CheckFileReference(const FieldPath& field, const json::Value& reference, FieldErrors& errors) {
  const std::string_view key = TextOf(reference["key"]);
  if (key.empty()) errors.Required(field.Child("key"));
  AddInvalid(field.Child("key"), key, EnvironmentNameProblems(key), errors);
  const std::string_view volume = TextOf(reference["volumeName"]);
  if (volume.empty()) {
    errors.Required(field.Child("volumeName"));
  } else {
    CheckDnsLabel(field.Child("volumeName"), volume, errors);
  }
  if (TextOf(reference["path"]).empty()) errors.Required(field.Child("path"));
  CheckNoBacksteps(field.Child("path"), TextOf(reference["path"]), errors);
}

void CheckValueFrom(const FieldPath& field, const json::Value& variable, FieldErrors& errors) {
  const json::Value& from = variable["valueFrom"];
  if (!IsSet(from)) return;
  int sources = 0;
  const auto source = [&](std::string_view name, auto check) {
    if (!IsSet(from[name])) return;
    ++sources;
    check(field.Child(name), from[name]);
  };
  source("fieldRef", [&](const FieldPath& path, const json::Value& ref) { CheckFieldReference(path, ref, ShownIn::kEnvironment, errors); });
  source("resourceFieldRef",
         [&](const FieldPath& path, const json::Value& ref) { CheckResourceReference(path, ref, ShownIn::kEnvironment, errors); });
  source("configMapKeyRef", [&](const FieldPath& path, const json::Value& ref) { CheckKeyReference(path, ref, errors); });
  source("secretKeyRef", [&](const FieldPath& path, const json::Value& ref) { CheckKeyReference(path, ref, errors); });
  source("fileKeyRef", [&](const FieldPath& path, const json::Value& ref) { CheckFileReference(path, ref, errors); });
  if (sources == 0) {
    errors.Invalid(field, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
  } else if (!TextOf(variable["value"]).empty()) {
    errors.Invalid(field, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.Invalid(field, "", "may not have more than one field specified at a time");
  }
}

}  // namespace

void CheckFieldReference(const FieldPath& field, const json::Value& reference, ShownIn where, FieldErrors& errors) {
  const std::string_view version = TextOf(reference["apiVersion"]);
  const std::string_view text = TextOf(reference["fieldPath"]);
  if (version.empty()) return errors.Required(field.Child("apiVersion"));
  if (text.empty()) return errors.Required(field.Child("fieldPath"));

  const Subscript parts = SplitSubscript(text);
  const bool maps = parts.path == "metadata.annotations" || parts.path == "metadata.labels";
  std::string problem;
  if (version != "v1") {
    problem = StrCat("unsupported pod version: ", version);
  } else if (parts.found && !maps) {
    problem = StrCat("field label does not support subscript: ", text);
  } else if (!parts.found && !Contains(kPodFields, text)) {
    problem = StrCat("field label not supported: ", text);
  }
  if (!problem.empty()) return errors.Invalid(field.Child("fieldPath"), text, StrCat("error converting fieldPath: ", problem));

  if (parts.found) {
    const bool labels = parts.path == "metadata.labels";
    return CheckLabelKey(field, labels ? std::string(parts.key) : ToLower(parts.key), errors);
  }
  const std::string_view name = text == "spec.host" ? "spec.nodeName" : text;
  const auto allowed = where == ShownIn::kVolume ? std::span<const std::string_view>(kVolumeFields) : kEnvironmentFields;
  if (!Contains(allowed, name)) errors.NotSupported(field.Child("fieldPath"), name, allowed);
}

void CheckResourceReference(const FieldPath& field, const json::Value& reference, ShownIn where, FieldErrors& errors) {
  const std::string_view resource = TextOf(reference["resource"]);
  if (where == ShownIn::kVolume && TextOf(reference["containerName"]).empty()) {
    errors.Required(field.Child("containerName"));
  } else if (resource.empty()) {
    errors.Required(field.Child("resource"));
  } else if (!Contains(kResources, resource) && !resource.starts_with("limits.hugepages-") &&
             !resource.starts_with("requests.hugepages-")) {
    errors.NotSupported(field.Child("resource"), resource, kResources);
  }
  CheckDivisor(field, resource, reference["divisor"], errors);
}

void CheckEnvironment(const FieldPath& field, const json::Value& variables, FieldErrors& errors) {
  Each(field, variables, [&](const FieldPath& path, const json::Value& variable) {
    const std::string_view name = TextOf(variable["name"]);
    if (name.empty()) errors.Required(path.Child("name"));
    AddInvalid(path.Child("name"), name, EnvironmentNameProblems(name), errors);
    CheckValueFrom(path.Child("valueFrom"), variable, errors);
  });
}

void CheckEnvironmentFrom(const FieldPath& field, const json::Value& sources, FieldErrors& errors) {
  Each(field, sources, [&](const FieldPath& path, const json::Value& source) {
    const std::string_view prefix = TextOf(source["prefix"]);
    AddInvalid(path.Child("prefix"), prefix, EnvironmentNameProblems(prefix), errors);
    int count = 0;
    for (const std::string_view name : {"configMapRef", "secretRef"}) {
      if (!IsSet(source[name])) continue;
      ++count;
      const std::string_view of = TextOf(source[name]["name"]);
      if (of.empty()) {
        errors.Required(path.Child(name).Child("name"));
      } else {
        AddInvalid(path.Child(name).Child("name"), of, DnsSubdomainProblems(WithoutTrailingDash(of)), errors);
      }
    }
    // kube-apiserver names the list here, not the item.
    if (count == 0) errors.Invalid(field, "", "must specify one of: `configMapRef` or `secretRef`");
    if (count > 1) errors.Invalid(field, "", "may not have more than one field specified at a time");
  });
}

}  // namespace allot::apiserver
