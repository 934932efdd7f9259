#pragma once
// What a ResourceSlice says: devices with attributes, capacity, counters and taints (resource.k8s.io/v1).
//
// Text is viewed, not copied: a ResourceSlice lives no longer than the json::Document that it was read from.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "model/node.h"
#include "model/quantity.h"
#include "model/version.h"

namespace allot::model {

// A value of a device attribute: exactly one kind.
struct AttributeValue {
  enum class Kind : uint8_t { kNone, kInt, kBool, kString, kVersion, kInts, kBools, kStrings, kVersions };

  // kNone: the value has no kind that this version knows. A newer API may have added one.
  Kind kind = Kind::kNone;
  bool bool_value = false;
  int64_t int_value = 0;
  std::string_view text;                   // kString and kVersion
  std::shared_ptr<const Version> version;  // kVersion, where the text is one

  struct List {
    std::vector<int64_t> ints;
    std::vector<bool> bools;
    std::vector<std::string_view> texts;           // kStrings and kVersions
    std::vector<std::optional<Version>> versions;  // kVersions
  };
  // Set for kInts, kBools, kStrings and kVersions only. On the heap because lists are rare: a search visits thousands of devices, which
  // stay small this way.
  std::shared_ptr<const List> list;
};

// "model" or "gpu.nvidia.com/model": without a domain it belongs to the driver's.
struct QualifiedName {
  std::string_view full;
  std::string_view domain;  // empty: the driver's
  std::string_view id;

  static QualifiedName Of(std::string_view full);
};

struct Attribute {
  QualifiedName name;
  AttributeValue value;
};

struct CapacityPolicy {
  std::optional<Quantity> default_value;
  std::vector<Quantity> valid_values;
  bool has_range = false;
  std::optional<Quantity> min, max, step;  // of the range
};

struct Capacity {
  QualifiedName name;
  Quantity value;
  std::shared_ptr<const CapacityPolicy> policy;  // null: none
};

struct Counter {
  std::string_view name;
  Quantity value;
};

// A set of counters that a pool shares, or the part of one that a device consumes.
struct CounterSet {
  std::string_view name;
  std::vector<Counter> counters;
};

struct Device {
  std::string_view name;
  std::vector<Attribute> attributes;  // sorted by full name
  bool plain_attributes = false;      // known to be ints, bools, strings and valid versions only; false says nothing
  std::vector<Capacity> capacity;     // sorted by full name
  std::vector<CounterSet> consumes_counters;
  NodeChoice nodes;  // only with per_device_node_selection
  std::vector<Taint> taints;
  bool binds_to_node = false;
  std::optional<std::vector<std::string_view>> binding_conditions;
  std::optional<std::vector<std::string_view>> binding_failure_conditions;
  bool allow_multiple_allocations = false;
};

struct ResourceSlice {
  std::string_view name;
  std::string_view driver;
  std::string_view pool;
  int64_t pool_generation = 0;
  int64_t pool_slice_count = 0;
  NodeChoice nodes;
  std::optional<bool> per_device_node_selection;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;
  // Whether any device has them; true says nothing.
  bool may_consume_counters = true;
  bool may_have_binding_conditions = true;

  // kInvalid with the path of the field: "spec.devices[2].capacity[memory].value: ...".
  static Result<ResourceSlice> Read(const json::Value& object);
};

}  // namespace allot::model
