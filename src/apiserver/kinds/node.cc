#include <set>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/affinity.h"
#include "apiserver/kinds/pod/resources.h"
#include "cel/library/net.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";

// kube-apiserver reports taints below metadata.
void CheckTaints(const Value& taints, FieldErrors& errors) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  Each(FieldPath("metadata").Child("taints"), taints, [&](const FieldPath& path, const Value& taint) {
    const std::string_view key = TextOf(taint["key"]);
    const std::string_view effect = TextOf(taint["effect"]);
    CheckLabelKey(path.Child("key"), key, errors);
    if (const Problems problems = LabelValueProblems(TextOf(taint["value"])); !problems.empty()) {
      errors.Invalid(path.Child("value"), TextOf(taint["value"]), Join(problems, ";"));
    }
    if (effect.empty()) {
      errors.Required(path.Child("effect"));
    } else {
      CheckTaintEffect(path.Child("effect"), effect, errors);
    }
    if (!seen.emplace(key, effect).second) errors.Duplicate(path, taint);
  });
}

void CheckAmounts(const Value& status, FieldErrors& errors) {
  for (const std::string_view list : {"capacity", "allocatable"}) {
    for (const auto& [name, amount] : MembersOf(status[list])) {
      CheckResourceAmount(FieldPath("status").Child(list).Child(name), name, amount, errors);
    }
  }
}

bool IsFeatureName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.size() > 253 || name.empty() || name.front() < 'A' || name.front() > 'Z') return false;
  for (const std::string_view part : Split(name, '/')) {
    if (part.empty() || !letter(part.front())) return false;
    for (const char c : part) {
      if (!letter(c) && (c < '0' || c > '9')) return false;
    }
  }
  return true;
}

// Requires a sorted list of distinct names.
void CheckDeclaredFeatures(const Value& features, FieldErrors& errors) {
  std::string_view last;
  Each(FieldPath("status").Child("declaredFeatures"), features, [&](const FieldPath& path, const Value& feature) {
    const std::string_view name = TextOf(feature);
    if (!IsFeatureName(name)) {
      errors.Invalid(path, name, StrCat("invalid feature name ", Quoted(name), ": must be UpperCamelCase segments separated by '/'"));
    }
    if (!last.empty() && name == last) errors.Duplicate(path, name);
    if (name < last) errors.Invalid(path, name, "list must be sorted alphabetically");
    last = name;
  });
}

void CheckPodNetworks(const Value& networks, FieldErrors& errors) {
  const FieldPath field = FieldPath("spec").Child("podCIDRs");
  std::vector<std::string_view> texts;
  bool valid = true;
  Each(field, networks, [&](const FieldPath& path, const Value& network) {
    texts.push_back(TextOf(network));
    if (cel::ParseCidr(texts.back())) return;
    valid = false;
    errors.Invalid(path, texts.back(), "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  });
  CheckOneOfEachFamily(field, networks, valid, texts, "CIDR", errors);
}

class Nodes final : public KindRules {
 public:
  // Allocatable defaults to capacity. podCIDR is the first of podCIDRs, or the reverse.
  Value Default(Editor& edit, const Value& object) const override {
    Value node = object;
    const Value& capacity = object["status"]["capacity"];
    if (IsSet(capacity) && !IsSet(object["status"]["allocatable"])) node = edit.SetAt(node, {"status", "allocatable"}, capacity);
    for (const std::string_view list : {"capacity", "allocatable"}) {
      const Value& amounts = node["status"][list];
      if (IsSet(amounts)) node = edit.SetAt(node, {"status", list}, RoundedAmounts(edit, amounts));
    }
    const Value& network = node["spec"]["podCIDR"];
    const auto networks = ItemsOf(node["spec"]["podCIDRs"]);
    if (IsSet(network) && (networks.empty() || !json::Equal(networks[0], network))) {
      return edit.SetAt(node, {"spec", "podCIDRs"}, edit.Array({network}));
    }
    return !IsSet(network) && !networks.empty() ? edit.SetAt(node, {"spec", "podCIDR"}, networks[0]) : node;
  }

  // Taints a new node as not ready: otherwise it would get Pods before a controller has seen it.
  Value PrepareCreate(Editor& edit, const Value& object) const override {
    const Value node = WithoutConfigSource(edit, object);
    for (const Value& taint : ItemsOf(node["spec"]["taints"])) {
      if (TextOf(taint["key"]) == kNotReady && TextOf(taint["effect"]) == "NoSchedule") return node;
    }
    const Value taint = edit.Object({{"key", edit.Literal(kNotReady)}, {"effect", edit.Literal("NoSchedule")}});
    return edit.SetAt(node, {"spec", "taints"}, edit.Append(node["spec"]["taints"], taint));
  }
  Value PrepareUpdate(Editor& edit, const Value& object, const Value& old) const override {
    return IsSet(old["spec"]["configSource"]) ? object : WithoutConfigSource(edit, object);
  }

  void Validate(const Value& node, FieldErrors& errors) const override {
    CheckTaints(node["spec"]["taints"], errors);
    CheckAmounts(node["status"], errors);
    CheckDeclaredFeatures(node["status"]["declaredFeatures"], errors);
    CheckPodNetworks(node["spec"]["podCIDRs"], errors);
  }

  void ValidateUpdate(const Value& node, const Value& old, FieldErrors& errors) const override {
    Validate(node, errors);
    CheckStaysSet(node, old, "podCIDRs", "node updates may not change podCIDR except from \"\" to valid", errors);
    CheckStaysSet(node, old, "providerID", "node updates may not change providerID except from \"\" to valid", errors);
    if (!json::Equal(node["spec"]["externalID"], old["spec"]["externalID"])) {
      errors.Forbidden(FieldPath("spec").Child("externalID"), "may not be updated");
    }
  }

  void ValidateStatus(const Value& node, const Value&, FieldErrors& errors) const override {
    CheckAmounts(node["status"], errors);
    CheckDeclaredFeatures(node["status"]["declaredFeatures"], errors);
    std::set<std::pair<std::string_view, std::string_view>> seen;
    Each(FieldPath("status").Child("addresses"), node["status"]["addresses"], [&](const FieldPath& path, const Value& address) {
      if (!seen.emplace(TextOf(address["type"]), TextOf(address["address"])).second) errors.Duplicate(path, address);
    });
  }

 private:
  // Kubernetes has removed this field.
  static Value WithoutConfigSource(Editor& edit, const Value& node) {
    return IsSet(node["spec"]["configSource"]) ? edit.WithoutAt(node, {"spec", "configSource"}) : node;
  }

  static void CheckStaysSet(const Value& node, const Value& old, std::string_view name, std::string_view why, FieldErrors& errors) {
    const Value& before = old["spec"][name];
    if (IsSet(before) && !json::Equal(node["spec"][name], before)) errors.Forbidden(FieldPath("spec").Child(name), why);
  }
};

}  // namespace

std::shared_ptr<const KindRules> NodeKindRules() { return std::make_shared<Nodes>(); }

}  // namespace allot::apiserver
