// ResourceSlice.

#include <algorithm>

#include "apiserver/kinds/checks.h"
#include "apiserver/kinds/dra/checks.h"
#include "apiserver/kinds/dra/device.h"
#include "apiserver/kinds/kind_rules.h"
#include "base/clock.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxDevices = 128;
constexpr size_t kMaxDevicesWithExtras = 64;  // if any device has taints or consumes counters
constexpr size_t kMaxCounterSets = 8;

std::string_view NameOf(const json::Value& named) { return json::TextOf(named["name"]); }

bool HasExtras(const json::Value& device) {
  return !json::ItemsOf(device["taints"]).empty() || !json::ItemsOf(device["consumesCounters"]).empty();
}

void CheckPool(const FieldPath& field, const json::Value& pool, FieldErrors& errors) {
  CheckPoolName(field.Child("name"), NameOf(pool), errors);
  if (const int64_t count = IntOf(pool["resourceSliceCount"]); count <= 0) {
    errors.Invalid(field.Child("resourceSliceCount"), count, "must be greater than zero");
  }
  if (const int64_t generation = IntOf(pool["generation"]); generation < 0) {
    errors.Invalid(field.Child("generation"), generation, "must be greater than or equal to zero");
  }
}

// Checks which nodes can access the devices: exactly one of four fields.
void CheckNodes(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  std::vector<std::string> choices;
  if (const json::Value& name = spec["nodeName"]; !json::TextOf(name).empty()) {
    choices.emplace_back("`nodeName`");
    CheckDnsSubdomain(field.Child("nodeName"), json::TextOf(name), errors);
  } else if (!name.IsNull()) {
    errors.Invalid(field.Child("nodeName"), "", "must be either unset or set to a non-empty string");
  }
  if (const json::Value& selector = spec["nodeSelector"]; !selector.IsNull()) {
    choices.emplace_back("`nodeSelector`");
    CheckNodeSelector(field.Child("nodeSelector"), selector, errors);
    if (const json::Value& terms = selector["nodeSelectorTerms"]; json::ItemsOf(terms).size() != 1) {
      errors.Invalid(field.Child("nodeSelector").Child("nodeSelectorTerms"), terms, "must have exactly one node selector term");
    }
  }
  for (const std::string_view flag : {"allNodes", "perDeviceNodeSelection"}) {
    const json::Value& value = spec[flag];
    if (json::IsTrue(value)) {
      choices.push_back(StrCat("`", flag, "`"));
    } else if (!value.IsNull()) {
      errors.Invalid(field.Child(flag), value, "must be either unset or set to true");
    }
  }
  constexpr std::string_view kRule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (choices.empty()) errors.Required(field, kRule);
  if (choices.size() > 1) errors.Invalid(field, StrCat("{", Join(choices, ", "), "}"), StrCat(kRule, ", but multiple fields are set"));
}

void CheckDevices(const FieldPath& field, const json::Value& spec, const json::Value& old_spec, FieldErrors& errors) {
  const json::Value& devices = spec["devices"];
  const auto items = json::ItemsOf(devices);
  const auto old_items = json::ItemsOf(old_spec["devices"]);
  const bool extras = std::any_of(items.begin(), items.end(), HasExtras);
  DeviceRules rules{.chooses_nodes = json::IsTrue(spec["perDeviceNodeSelection"])};
  CheckSet(field, devices, extras ? kMaxDevicesWithExtras : kMaxDevices, errors, NameOf,
           [&](const FieldPath& at, const json::Value& device) {
             const auto before = std::find_if(old_items.begin(), old_items.end(),
                                              [&](const json::Value& old_device) { return NameOf(old_device) == NameOf(device); });
             rules.same_taints = before != old_items.end() && json::Equal((*before)["taints"], device["taints"]);
             CheckDevice(at, device, rules, errors);
           });
}

// `old_spec` is null for a new slice.
void CheckSpec(const json::Value& spec, const json::Value& old_spec, FieldErrors& errors) {
  const FieldPath field("spec");
  CheckDriverName(field.Child("driver"), json::TextOf(spec["driver"]), errors);
  CheckPool(field.Child("pool"), spec["pool"], errors);
  if (old_spec.IsObject()) {
    CheckImmutable(field.Child("pool").Child("name"), spec["pool"]["name"], old_spec["pool"]["name"], errors);
    CheckImmutable(field.Child("driver"), spec["driver"], old_spec["driver"], errors);
    CheckImmutable(field.Child("nodeName"), spec["nodeName"], old_spec["nodeName"], errors);
  }
  CheckNodes(field, spec, errors);
  const json::Value& counters = spec["sharedCounters"];
  if (!json::ItemsOf(counters).empty() && !json::ItemsOf(spec["devices"]).empty()) {
    errors.Invalid(field, "", "only one of `sharedCounters` or `devices` is allowed");
  }
  CheckDevices(field.Child("devices"), spec, old_spec, errors);
  CheckSet(field.Child("sharedCounters"), counters, kMaxCounterSets, errors, NameOf,
           [&](const FieldPath& at, const json::Value& set) { CheckCounterSet(at, set, errors); });
}

json::Value DefaultTaints(json::Editor& edit, const json::Value& device) {
  const json::Value& taints = device["taints"];
  if (!taints.IsArray()) return device;
  const json::Value now = edit.String(kube::WriteTime(SystemClock().Now()));
  return edit.Set(device, "taints", edit.Map(taints, [&](const json::Value& taint) { return edit.SetDefault(taint, "timeAdded", now); }));
}

// Removes the fields of the feature gates DRAListTypeAttributes and DRANodeAllocatableResources, which are off in 1.36.
json::Value DropDisabledFields(json::Editor& edit, const json::Value& device) {
  json::Value kept = edit.Without(device, "nodeAllocatableResourceMappings");
  std::vector<json::Member> attributes;
  bool changed = false;
  for (const json::Member& attribute : json::MembersOf(device["attributes"])) {
    json::Value value = attribute.value;
    for (const std::string_view list : {"bools", "ints", "strings", "versions"}) {
      if (value[list].IsNull()) continue;
      value = edit.Without(value, list);
      changed = true;
    }
    attributes.push_back({attribute.key, value});
  }
  return changed ? edit.Set(kept, "attributes", edit.Object(attributes)) : kept;
}

class Slice final : public KindRules {
 public:
  json::Value Default(json::Editor& edit, const json::Value& object) const override { return ChangeDevices(edit, object, DefaultTaints); }
  json::Value PrepareCreate(json::Editor& edit, const json::Value& object) const override {
    return ChangeDevices(edit, object, DropDisabledFields);
  }
  json::Value PrepareUpdate(json::Editor& edit, const json::Value& object, const json::Value& /*old*/) const override {
    return ChangeDevices(edit, object, DropDisabledFields);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override { CheckSpec(object["spec"], json::Value(), errors); }
  void ValidateUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors) const override {
    CheckSpec(object["spec"], old["spec"], errors);
  }

  void Warn(const json::Value& object, std::vector<std::string>& warnings) const override {
    const std::string_view driver = json::TextOf(object["spec"]["driver"]);
    if (driver == ToLower(driver)) return;
    warnings.push_back(StrCat("spec.driver: driver names should be lowercase; \"", driver, "\" contains uppercase characters"));
  }

 private:
  template <typename Change>
  static json::Value ChangeDevices(json::Editor& edit, const json::Value& object, Change change) {
    const json::Value& devices = object["spec"]["devices"];
    if (!devices.IsArray()) return object;
    return edit.SetAt(object, {"spec", "devices"}, edit.Map(devices, [&](const json::Value& device) { return change(edit, device); }));
  }
};

}  // namespace

std::shared_ptr<const KindRules> ResourceSliceKindRules() { return std::make_shared<Slice>(); }

}  // namespace allot::apiserver
