#include "apiserver/kinds/pod/security.h"

#include "apiserver/json_names.h"

#include <algorithm>
#include <set>

namespace allot::apiserver {

namespace {

constexpr int64_t kMaxId = 2147483647;
constexpr size_t kMaxProfileBytes = 4095;
constexpr size_t kMaxSysctlBytes = 253;
constexpr std::string_view kNotOnWindows = "cannot be set for a windows pod";

void CheckIds(const FieldPath& field, const json::Value& context, std::initializer_list<std::string_view> names, FieldErrors& errors) {
  for (const std::string_view name : names) CheckRange(field.Child(name), IntOf(context[name]), 0, kMaxId, errors);
}

void CheckSeccomp(const FieldPath& field, const json::Value& profile, FieldErrors& errors) {
  if (!IsSet(profile)) return;
  const std::string_view type = TextOf(profile["type"]);
  if (type.empty()) {
    errors.Required(field.Child("type"), "type is required when seccompProfile is set");
  } else {
    CheckSupported(field.Child("type"), type, {"Localhost", "RuntimeDefault", "Unconfined"}, errors);
  }
  const json::Value& local = profile["localhostProfile"];
  const FieldPath path = field.Child("localhostProfile");
  if (type != "Localhost") {
    if (IsSet(local)) errors.Invalid(path, profile, "can only be set when seccomp type is Localhost");
  } else if (!IsSet(local)) {
    errors.Required(path, "must be set when seccomp type is Localhost");
  } else {
    CheckRelativePath(path, TextOf(local), errors);
  }
}

void CheckAppArmor(const FieldPath& field, const json::Value& profile, FieldErrors& errors) {
  if (!IsSet(profile)) return;
  const std::string_view type = TextOf(profile["type"]);
  const std::string_view local = TextOf(profile["localhostProfile"]);
  const FieldPath path = field.Child("localhostProfile");
  if (type.empty()) return errors.Required(field.Child("type"), "type is required when appArmorProfile is set");
  if (type == "RuntimeDefault" || type == "Unconfined") {
    if (IsSet(profile["localhostProfile"])) errors.Invalid(path, local, "can only be set when AppArmor type is Localhost");
    return;
  }
  CheckSupported(field.Child("type"), type, {"Localhost", "RuntimeDefault", "Unconfined"}, errors);
  if (type != "Localhost") return;
  if (Trim(local) != local) {
    errors.Invalid(path, local, "must not be padded with whitespace");
  } else if (local.empty()) {
    errors.Required(path, "must be set when AppArmor type is Localhost");
  }
  if (local.size() > kMaxProfileBytes) errors.TooLong(path, kMaxProfileBytes);
}

// Segments of [a-z0-9_-] that begin and end with a letter or digit, separated by dots or slashes.
bool IsSysctlName(std::string_view text) {
  if (text.empty() || text.size() > kMaxSysctlBytes) return false;
  const auto outer = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool begins = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool ends = i + 1 == text.size() || text[i + 1] == '.' || text[i + 1] == '/';
    if (c == '.' || c == '/') {
      if (begins || i + 1 == text.size()) return false;
      begins = true;
      continue;
    }
    if (!outer(c) && ((c != '-' && c != '_') || begins || ends)) return false;
    begins = false;
  }
  return true;
}

void CheckSysctls(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  std::set<std::string_view> seen;
  Each(field, spec["securityContext"]["sysctls"], [&](const FieldPath& path, const json::Value& sysctl) {
    const std::string_view name = TextOf(sysctl["name"]);
    const FieldPath at = path.Child("name");
    const bool repeated = !seen.insert(name).second;
    if (name.empty()) {
      errors.Required(at);
    } else if (!IsSysctlName(name)) {
      errors.Invalid(at, name,
                     "must have at most 253 characters and match regex "
                     "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$");
    } else if (repeated) {
      errors.Duplicate(at, name);
    }
    const auto below = [&](std::string_view dots, std::string_view slashes) { return name.starts_with(dots) || name.starts_with(slashes); };
    const bool of_ipc =
        below("kernel.shm", "kernel/shm") || below("kernel.msg", "kernel/msg") || below("fs.mqueue.", "fs/mqueue/") || name == "kernel.sem";
    if (json::IsTrue(spec["hostNetwork"]) && below("net.", "net/")) {
      errors.Invalid(at, name, "may not be specified when 'hostNetwork' is true");
    } else if (json::IsTrue(spec["hostIPC"]) && of_ipc) {
      errors.Invalid(at, name, "may not be specified when 'hostIPC' is true");
    }
  });
}

// A Pod with its own user namespace must not share these with the host.
void CheckOwnUsers(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  if (!spec["hostUsers"].IsBool() || spec["hostUsers"].AsBool()) return;
  constexpr std::string_view kWhy = "when `hostUsers` is false";
  if (json::IsTrue(spec["hostNetwork"])) errors.Forbidden(field.Child("hostNetwork"), kWhy);
  if (json::IsTrue(spec["hostPID"])) errors.Forbidden(field.Child("HostPID"), kWhy);
  if (json::IsTrue(spec["hostIPC"])) errors.Forbidden(field.Child("HostIPC"), kWhy);
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Each(field.Child(list), spec[list], [&](const FieldPath& path, const json::Value& container) {
      if (!ItemsOf(container["volumeDevices"]).empty()) errors.Forbidden(path.Child("volumeDevices"), kWhy);
    });
  }
}

void ForbidMembers(const FieldPath& field, const json::Value& object, std::initializer_list<std::string_view> names, std::string_view why,
                   FieldErrors& errors) {
  for (const std::string_view name : names) {
    const json::Value& value = object[name];
    if (IsSet(value) && !(value.IsBool() && name.starts_with("host") && !value.AsBool() && name != "hostUsers")) {
      errors.Forbidden(field.Child(name), why);
    }
  }
}

template <typename Check>
void EachSecurityContext(const FieldPath& field, const json::Value& spec, Check check) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Each(field.Child(list), spec[list],
         [&](const FieldPath& path, const json::Value& container) { check(path.Child("securityContext"), container["securityContext"]); });
  }
}

void CheckWindows(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  ForbidMembers(field.Child("securityContext"), spec["securityContext"],
                {"appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls", "runAsUser",
                 "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy"},
                kNotOnWindows, errors);
  ForbidMembers(field, spec, {"hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"}, kNotOnWindows, errors);
  EachSecurityContext(field, spec, [&](const FieldPath& path, const json::Value& context) {
    ForbidMembers(path, context,
                  {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged",
                   "allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"},
                  kNotOnWindows, errors);
  });
}

}  // namespace

void CheckPodSecurity(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors) {
  const json::Value& context = spec["securityContext"];
  const FieldPath field = spec_field.Child("securityContext");
  CheckIds(field, context, {"fsGroup", "runAsUser", "runAsGroup"}, errors);
  Each(field.Child("supplementalGroups"), context["supplementalGroups"],
       [&](const FieldPath& path, const json::Value& group) { CheckRange(path, IntOf(group), 0, kMaxId, errors); });
  if (json::IsTrue(spec["shareProcessNamespace"]) && json::IsTrue(spec["hostPID"])) {
    errors.Invalid(field.Child("shareProcessNamespace"), spec["shareProcessNamespace"],
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  CheckSysctls(field.Child("sysctls"), spec, errors);
  const auto check_policy = [&](std::string_view name, std::initializer_list<std::string_view> supported) {
    if (IsSet(context[name])) CheckSupported(field.Child(name), TextOf(context[name]), supported, errors);
  };
  check_policy("fsGroupChangePolicy", {"Always", "OnRootMismatch"});
  CheckSeccomp(field.Child("seccompProfile"), context["seccompProfile"], errors);
  CheckAppArmor(field.Child("appArmorProfile"), context["appArmorProfile"], errors);
  check_policy("supplementalGroupsPolicy", {"Merge", "Strict"});
  check_policy("seLinuxChangePolicy", {"MountOption", "Recursive"});
  CheckOwnUsers(spec_field, spec, errors);
}

void CheckContainerSecurity(const FieldPath& field, const json::Value& context, bool host_users, FieldErrors& errors) {
  CheckIds(field, context, {"runAsUser", "runAsGroup"}, errors);
  if (IsSet(context["procMount"])) {
    const std::string_view mount = TextOf(context["procMount"]);
    CheckSupported(field.Child("procMount"), mount, {"Default", "Unmasked"}, errors);
    if (host_users && mount == "Unmasked") {
      errors.Invalid(field.Child("procMount"), mount, "`hostUsers` must be false to use `Unmasked`");
    }
  }
  CheckSeccomp(field.Child("seccompProfile"), context["seccompProfile"], errors);
  if (context["allowPrivilegeEscalation"].IsBool() && !context["allowPrivilegeEscalation"].AsBool()) {
    if (json::IsTrue(context["privileged"])) {
      errors.Invalid(field, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    const auto added = ItemsOf(context["capabilities"]["add"]);
    if (std::any_of(added.begin(), added.end(), [](const json::Value& one) { return TextOf(one) == "CAP_SYS_ADMIN"; })) {
      errors.Invalid(field, context, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
    }
  }
  CheckAppArmor(field.Child("appArmorProfile"), context["appArmorProfile"], errors);
}

void CheckOperatingSystem(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors) {
  if (!IsSet(spec["os"])) return;
  const std::string_view name = TextOf(spec["os"]["name"]);
  if (name.empty()) return errors.Required(spec_field.Child("os").Child("name"));
  if (name == "windows") return CheckWindows(spec_field, spec, errors);
  if (name != "linux") return errors.NotSupported(spec_field.Child("os"), name, {"linux", "windows"});
  constexpr std::string_view kWhy = "windows options cannot be set for a linux pod";
  ForbidMembers(spec_field.Child("securityContext"), spec["securityContext"], {"windowsOptions"}, kWhy, errors);
  EachSecurityContext(spec_field, spec, [&](const FieldPath& path, const json::Value& context) {
    ForbidMembers(path, context, {"windowsOptions"}, kWhy, errors);
  });
}

}  // namespace allot::apiserver
