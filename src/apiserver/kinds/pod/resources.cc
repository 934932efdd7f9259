#include "apiserver/kinds/pod/resources.h"

#include "apiserver/json_names.h"

#include <algorithm>
#include <array>
#include <string>

namespace allot::apiserver {

namespace {

using model::Quantity;

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kNoClaims = "must be one of the names in pod.spec.resourceClaims";
constexpr size_t kShownNames = 16;  // in an error that lists them

bool IsStandardResource(std::string_view name) {
  static constexpr std::array kNames = std::to_array<std::string_view>({
      "cpu",
      "memory",
      "ephemeral-storage",
      "requests.cpu",
      "requests.memory",
      "requests.ephemeral-storage",
      "limits.cpu",
      "limits.memory",
      "limits.ephemeral-storage",
      "pods",
      "resourcequotas",
      "services",
      "replicationcontrollers",
      "secrets",
      "configmaps",
      "persistentvolumeclaims",
      "storage",
      "requests.storage",
      "services.nodeports",
      "services.loadbalancers",
  });
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || name.starts_with(kHugePages) ||
         name.starts_with("requests.hugepages-");
}

bool IsCounted(std::string_view name) {
  static constexpr std::array kNames = std::to_array<std::string_view>({
      "pods",
      "resourcequotas",
      "services",
      "replicationcontrollers",
      "secrets",
      "configmaps",
      "persistentvolumeclaims",
      "services.nodeports",
      "services.loadbalancers",
  });
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() || IsExtendedResourceName(name);
}

bool IsComputeResource(std::string_view name) { return name == "cpu" || name == "memory"; }
bool IsPodLevelResource(std::string_view name) { return IsComputeResource(name) || IsHugePageResource(name); }

enum class Level { kContainer, kPod };

void CheckResourceName(const FieldPath& field, std::string_view name, Level level, FieldErrors& errors) {
  const Problems problems = LabelKeyProblems(name);
  AddInvalid(field, name, problems, errors);
  const bool plain = name.find('/') == std::string_view::npos;
  const bool known = problems.empty() && !(plain && !IsStandardResource(name));
  if (problems.empty() && !known) errors.Invalid(field, name, "must be a standard resource type or fully qualified");
  if (level == Level::kPod) {
    if (known && !IsPodLevelResource(name)) errors.NotSupported(field, name, {"cpu", kHugePages, "memory"});
  } else if (plain) {
    if (!IsComputeResource(name) && name != "ephemeral-storage" && !IsHugePageResource(name)) {
      errors.Invalid(field, name, "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtendedResourceName(name)) {
    errors.Invalid(field, name, "doesn't follow extended resource name standard");
  }
}

void CheckPageMultiple(const FieldPath& field, std::string_view name, const Quantity& amount, FieldErrors& errors) {
  if (!IsHugePageResource(name)) return;
  const auto page = Quantity::Parse(name.substr(kHugePages.size()));
  const bool usable = page.ok() && page->Sign() > 0 && page->Value().value_or(0) > 0 && page->WrappedMilliValue() % 1000 == 0;
  if (usable && amount.WrappedValue() % *page->Value() == 0) return;
  errors.Invalid(field, amount.ToString(), StrCat(amount.ToString(), " is not positive integer multiple of ", name));
}

void CheckAmounts(const FieldPath& field, const json::Value& amounts, Level level, FieldErrors& errors) {
  for (const auto& [name, amount] : MembersOf(amounts)) {
    const FieldPath path = field.Key(name);
    CheckResourceName(path, name, level, errors);
    CheckResourceAmount(path, name, amount, errors);
    CheckPageMultiple(path, name, QuantityOf(amount), errors);
  }
}

void CheckRequestsAgainstLimits(const FieldPath& field, const json::Value& resources, FieldErrors& errors) {
  const FieldPath path = field.Child("requests");
  const MemberIndex limits(resources["limits"]);
  for (const auto& [name, amount] : MembersOf(resources["requests"])) {
    const json::Value& limit = limits[name];
    if (limit.IsNull()) {
      if (!MayOvercommit(name)) errors.Required(field.Child("limits"), "Limit must be set for non overcommitable resources");
      continue;
    }
    const Quantity request = QuantityOf(amount);
    const Quantity most = QuantityOf(limit);
    if (request != most && !MayOvercommit(name)) {
      errors.Invalid(path, request.ToString(), StrCat("must be equal to ", name, " limit of ", most.ToString()));
    } else if (request > most) {
      errors.Invalid(path, request.ToString(), StrCat("must be less than or equal to ", name, " limit of ", most.ToString()));
    }
  }
}

void CheckRequirements(const FieldPath& field, const json::Value& resources, Level level, FieldErrors& errors) {
  CheckAmounts(field.Child("limits"), resources["limits"], level, errors);
  CheckAmounts(field.Child("requests"), resources["requests"], level, errors);
  CheckRequestsAgainstLimits(field, resources, errors);
  bool compute = false;
  bool pages = false;
  for (const std::string_view which : {"limits", "requests"}) {
    for (const json::Member& one : MembersOf(resources[which])) {
      compute |= IsComputeResource(one.key);
      pages |= IsHugePageResource(one.key);
    }
  }
  if (pages && !compute) errors.Forbidden(field, "HugePages require cpu or memory");
}

std::string UnknownClaim(std::string_view name, const std::set<std::string_view>& claims) {
  std::string detail(kNoClaims);
  if (claims.empty()) detail += " which is empty";
  if (!claims.empty() && claims.size() <= kShownNames) {
    const std::vector<std::string> names(claims.begin(), claims.end());
    detail += StrCat(": ", Join(names, ", "));
  }
  return StrCat("Not found: ", Quoted(name), ": ", detail);
}

// A container may use a claim once as a whole, or each of its requests once.
void CheckClaims(const FieldPath& field, const json::Value& list, const std::set<std::string_view>& claims, FieldErrors& errors) {
  std::set<std::string, std::less<>> seen;
  std::set<std::string_view> with_requests;
  Each(field, list, [&](const FieldPath& path, const json::Value& claim) {
    const std::string_view name = TextOf(claim["name"]);
    const std::string_view request = TextOf(claim["request"]);
    if (name.empty()) return errors.Required(path);
    if (seen.contains(name)) {
      errors.Duplicate(path, name);
    } else {
      if (!request.empty()) CheckDnsLabel(path.Child("request"), request, errors);
      const std::string key = request.empty() ? std::string(name) : StrCat(name, "/", request);
      if (seen.contains(key) || (request.empty() && with_requests.contains(name))) errors.Duplicate(path, key);
      seen.insert(key);
      if (!request.empty()) with_requests.insert(name);
    }
    if (!claims.contains(name)) errors.Add("FieldValueNotFound", path, UnknownClaim(name, claims));
  });
}

}  // namespace

bool IsHugePageResource(std::string_view name) { return name.starts_with(kHugePages); }
bool MayOvercommit(std::string_view name) { return IsNativeResource(name) && !IsHugePageResource(name); }

void CheckResourceAmount(const FieldPath& field, std::string_view name, const json::Value& amount, FieldErrors& errors) {
  const Quantity quantity = QuantityOf(amount);
  if (quantity.Sign() < 0) errors.Invalid(field, quantity.ToString(), "must be greater than or equal to 0");
  if (IsCounted(name) && quantity.WrappedMilliValue() % 1000 != 0) errors.Invalid(field, quantity.ToString(), "must be an integer");
}

std::set<std::string_view> ClaimNamesOf(const json::Value& spec) {
  std::set<std::string_view> names;
  for (const json::Value& claim : ItemsOf(spec["resourceClaims"])) {
    if (const std::string_view name = TextOf(claim["name"]); !name.empty()) names.insert(name);
  }
  return names;
}

void CheckContainerResources(const FieldPath& field, const json::Value& resources, const std::set<std::string_view>& claims,
                             FieldErrors& errors) {
  CheckRequirements(field, resources, Level::kContainer, errors);
  CheckClaims(field.Child("claims"), resources["claims"], claims, errors);
}

void CheckOverhead(const FieldPath& field, const json::Value& overhead, FieldErrors& errors) {
  CheckAmounts(field.Child("limits"), overhead, Level::kContainer, errors);
}

void CheckPodResources(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors) {
  const json::Value& resources = spec["resources"];
  if (!IsSet(resources)) return;
  const FieldPath field = spec_field.Child("resources");
  if (TextOf(spec["os"]["name"]) == "windows") return errors.Forbidden(field, "may not be set for a windows pod");
  if (IsSet(resources["claims"])) errors.Forbidden(field.Child("claims"), "claims may not be set for Resources at pod-level");
  CheckRequirements(field, resources, Level::kPod, errors);

  const MemberIndex limits(resources["limits"]);
  for (const std::string_view which : {"requests", "limits"}) {
    const MemberIndex wholes(resources[which]);
    for (const auto& [name, sum] : SumOfContainers(spec, which)) {
      const json::Value& whole = wholes[name];
      if (whole.IsNull() || (which == "limits" && !IsHugePageResource(name))) continue;
      if (sum > QuantityOf(whole)) {
        errors.Invalid(field.Child(which).Key(name), TextOf(whole),
                       StrCat("must be greater than or equal to aggregate container ", which, " of ", sum.ToString()));
      }
    }
  }
  Each(field.Child("containers"), spec["containers"], [&](const FieldPath& path, const json::Value& container) {
    for (const auto& [name, limit] : MembersOf(container["resources"]["limits"])) {
      const json::Value& whole = limits[name];
      if (whole.IsNull() || QuantityOf(limit) <= QuantityOf(whole)) continue;
      errors.Invalid(path.Key(name).Child("limits"), TextOf(limit), StrCat("must be less than or equal to pod limits of ", TextOf(whole)));
    }
  });
}

}  // namespace allot::apiserver
