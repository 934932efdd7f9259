#include "model/device.h"

#include <algorithm>

#include "model/reader.h"

namespace allot::model {
namespace {

std::optional<Version> ParsedVersion(std::string_view text) {
  Result<Version> version = Version::Parse(text);
  if (!version.ok()) return std::nullopt;
  return *std::move(version);
}

AttributeValue ReadAttribute(const Reader& reader) {
  using Kind = AttributeValue::Kind;
  AttributeValue value;
  int kinds = 0;
  const auto is = [&](Kind kind) {
    value.kind = kind;
    ++kinds;
  };
  if (const auto number = reader.OptionalInt("int")) is(Kind::kInt), value.int_value = *number;
  if (const auto flag = reader.OptionalBool("bool")) is(Kind::kBool), value.bool_value = *flag;
  if (const auto text = reader.OptionalText("string")) is(Kind::kString), value.text = *text;
  if (const auto text = reader.OptionalText("version")) {
    is(Kind::kVersion);
    value.text = *text;
    if (auto version = Version::Parse(*text); version.ok()) value.version = std::make_shared<const Version>(*std::move(version));
  }
  AttributeValue::List list;
  const auto has = [&](std::string_view key) { return !reader.value()[key].IsNull(); };
  if (has("ints")) {
    is(Kind::kInts);
    for (const json::Value& item : reader.Items("ints")) {
      const auto number = item.IsNumber() ? item.AsInt64() : std::nullopt;
      if (!number) reader.Fail(StrCat("ints[", list.ints.size(), "]"), "expected a 64-bit integer");
      list.ints.push_back(number.value_or(0));
    }
  }
  if (has("bools")) {
    is(Kind::kBools);
    for (const json::Value& item : reader.Items("bools")) {
      if (!item.IsBool()) reader.Fail(StrCat("bools[", list.bools.size(), "]"), "expected true or false");
      list.bools.push_back(json::IsTrue(item));
    }
  }
  if (has("strings")) is(Kind::kStrings), list.texts = reader.Texts("strings");
  if (has("versions")) {
    is(Kind::kVersions);
    list.texts = reader.Texts("versions");
    for (const std::string_view text : list.texts) list.versions.push_back(ParsedVersion(text));
  }
  if (value.kind >= Kind::kInts) value.list = std::make_shared<const AttributeValue::List>(std::move(list));
  if (kinds > 1) reader.Fail("", "expected exactly one of int, bool, string, version, ints, bools, strings, versions");
  return value;
}

CapacityPolicy ReadPolicy(const Reader& reader) {
  CapacityPolicy policy;
  policy.default_value = reader.OptionalQuantity("default");
  policy.valid_values = reader.Quantities("validValues");
  if (const Reader range = reader["validRange"]; range.IsPresent()) {
    policy.has_range = true;
    policy.min = range.OptionalQuantity("min");
    policy.max = range.OptionalQuantity("max");
    policy.step = range.OptionalQuantity("step");
  }
  return policy;
}

std::vector<CounterSet> ReadCounterSets(const Reader& reader, std::string_view key, std::string_view name_key) {
  std::vector<CounterSet> sets;
  reader.Each(key, [&](const Reader& item) {
    CounterSet& set = sets.emplace_back();
    set.name = item.Text(name_key);
    item.EachEntry("counters", [&](std::string_view name, const Reader& counter) {
      set.counters.push_back({name, counter.OptionalQuantity("value").value_or(Quantity())});
    });
    std::sort(set.counters.begin(), set.counters.end(), [](const Counter& a, const Counter& b) { return a.name < b.name; });
  });
  return sets;
}

std::optional<std::vector<std::string_view>> ReadConditions(const Reader& reader, std::string_view key) {
  if (reader.value()[key].IsNull()) return std::nullopt;
  return reader.Texts(key);
}

template <typename Named>
void SortByName(std::vector<Named>& items) {
  std::sort(items.begin(), items.end(), [](const Named& a, const Named& b) { return a.name.full < b.name.full; });
}

Device ReadDevice(const Reader& reader) {
  Device device;
  device.name = reader.Text("name");
  reader.EachEntry("attributes", [&](std::string_view name, const Reader& attribute) {
    device.attributes.push_back({QualifiedName::Of(name), ReadAttribute(attribute)});
  });
  SortByName(device.attributes);
  device.plain_attributes = std::all_of(device.attributes.begin(), device.attributes.end(), [](const Attribute& attribute) {
    using Kind = AttributeValue::Kind;
    const AttributeValue& value = attribute.value;
    return value.kind == Kind::kInt || value.kind == Kind::kBool || value.kind == Kind::kString || value.version != nullptr;
  });
  reader.EachEntry("capacity", [&](std::string_view name, const Reader& entry) {
    Capacity& capacity = device.capacity.emplace_back();
    capacity.name = QualifiedName::Of(name);
    capacity.value = entry.OptionalQuantity("value").value_or(Quantity());
    if (const Reader policy = entry["requestPolicy"]; policy.IsPresent())
      capacity.policy = std::make_shared<const CapacityPolicy>(ReadPolicy(policy));
  });
  SortByName(device.capacity);
  device.consumes_counters = ReadCounterSets(reader, "consumesCounters", "counterSet");
  device.nodes = NodeChoice::Read(reader);
  reader.Each("taints",
              [&](const Reader& taint) { device.taints.push_back({taint.Text("key"), taint.Text("value"), taint.Text("effect")}); });
  device.binds_to_node = reader.OptionalBool("bindsToNode").value_or(false);
  device.binding_conditions = ReadConditions(reader, "bindingConditions");
  device.binding_failure_conditions = ReadConditions(reader, "bindingFailureConditions");
  device.allow_multiple_allocations = reader.OptionalBool("allowMultipleAllocations").value_or(false);
  return device;
}

}  // namespace

QualifiedName QualifiedName::Of(std::string_view full) {
  const size_t slash = full.find('/');
  if (slash == std::string_view::npos) return {full, {}, full};
  return {full, full.substr(0, slash), full.substr(slash + 1)};
}

Result<ResourceSlice> ResourceSlice::Read(const json::Value& object) {
  const Reader reader(object);
  const Reader spec = reader["spec"];
  ResourceSlice slice;
  slice.name = reader["metadata"].Text("name");
  slice.driver = spec.Text("driver");
  const Reader pool = spec["pool"];
  slice.pool = pool.Text("name");
  slice.pool_generation = pool.OptionalInt("generation").value_or(0);
  slice.pool_slice_count = pool.OptionalInt("resourceSliceCount").value_or(0);
  slice.nodes = NodeChoice::Read(spec);
  slice.per_device_node_selection = spec.OptionalBool("perDeviceNodeSelection");
  spec.Each("devices", [&](const Reader& device) { slice.devices.push_back(ReadDevice(device)); });
  slice.shared_counters = ReadCounterSets(spec, "sharedCounters", "name");
  slice.may_consume_counters =
      std::any_of(slice.devices.begin(), slice.devices.end(), [](const Device& d) { return !d.consumes_counters.empty(); });
  slice.may_have_binding_conditions =
      std::any_of(slice.devices.begin(), slice.devices.end(), [](const Device& d) { return d.binding_conditions.has_value(); });
  TRY(reader.status());
  return slice;
}

}  // namespace allot::model
