#pragma once
// What a ResourceClaim asks for and what it was given, and the DeviceClasses that it names (resource.k8s.io/v1).
//
// Requests, constraints and classes view the text of the json::Document that they were read from, which must outlive them. An Allocation
// owns its text, since an allocator makes it from parts of several objects. Read sets no defaults: the API server has set them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/builder.h"
#include "json/value.h"
#include "model/node.h"
#include "model/quantity.h"

namespace allot::model {

struct Selector {
  std::optional<std::string_view> expression;  // CEL; nullopt: a kind of selector that this version does not know
};

struct Toleration {
  std::string_view key, op, value, effect;
  std::optional<int64_t> seconds;
};

struct NamedQuantity {
  std::string name;
  Quantity amount;
};

// What one request asks for: `exactly`, or one alternative of `firstAvailable`.
struct DeviceRequest {
  std::string_view name;
  std::string_view class_name;
  std::vector<Selector> selectors;
  std::string_view allocation_mode;  // ExactCount or All
  int64_t count = 0;
  std::optional<bool> admin_access;
  std::vector<Toleration> tolerations;
  bool has_capacity = false;
  std::vector<NamedQuantity> capacity;  // sorted by name
};

struct Request {
  std::string_view name;
  std::optional<DeviceRequest> exactly;
  std::vector<DeviceRequest> first_available;
};

struct Constraint {
  std::vector<std::string_view> requests;  // empty: all
  std::optional<std::string_view> match_attribute;
  std::optional<std::string_view> distinct_attribute;
};

// The driver and parameters of a config. Copies share one document. The value is null for a kind of config that this version does not know.
class Opaque {
 public:
  Opaque() = default;
  // Copies the value.
  explicit Opaque(const json::Value& value);

  const json::Value& value() const;

 private:
  json::DocumentPtr document_;  // nullptr: a null value
};

struct Config {
  std::vector<std::string_view> requests;  // empty: all
  Opaque opaque;
};

// A Toleration that owns its text.
struct ResultToleration {
  std::string key, op, value, effect;
  std::optional<int64_t> seconds;

  ResultToleration(const Toleration& from)  // NOLINT: the same value
      : key(from.key), op(from.op), value(from.value), effect(from.effect), seconds(from.seconds) {}
};

// One device (or share of a device) that a claim was given.
struct DeviceResult {
  std::string request;  // "gpu", or "gpu/large" for an alternative
  std::string driver, pool, device;
  bool admin_access = false;
  std::vector<ResultToleration> tolerations;
  std::vector<std::string> binding_conditions, binding_failure_conditions;
  std::string share_id;                          // empty: the device is taken whole
  std::vector<NamedQuantity> consumed_capacity;  // sorted by name
};

struct AllocatedConfig {
  bool from_class = false;
  std::vector<std::string> requests;
  Opaque opaque;
};

struct Allocation {
  std::vector<DeviceResult> results;
  std::vector<AllocatedConfig> config;
  std::optional<NodeSelector> node_selector;

  static Result<Allocation> Read(const json::Value& object);
  void Write(json::Builder& to) const;
};

// Whether both are the same decision: the same devices and shares for the same requests, in the same order. Other fields do not count.
bool SameDevices(const Allocation& a, const Allocation& b);

struct ResourceClaim {
  std::string_view name, name_space;
  std::string uid;
  std::vector<Request> requests;
  std::vector<Constraint> constraints;
  std::vector<Config> config;
  std::optional<Allocation> allocation;
  std::vector<std::string> reserved_for;  // names of Pods (or other users)

  // "namespace/name", or the name where the claim has no namespace.
  std::string FullName() const;

  static Result<ResourceClaim> Read(const json::Value& object);
};

// A claim to be: what a Pod's claims are made from.
struct ResourceClaimTemplate {
  std::string_view name, name_space;
  ResourceClaim spec;

  static Result<ResourceClaimTemplate> Read(const json::Value& object);
};

struct DeviceClass {
  std::string_view name;
  std::string_view created;  // metadata.creationTimestamp
  std::vector<Selector> selectors;
  std::vector<Config> config;
  std::string_view extended_resource_name;

  // Whether containers that ask for an amount of this resource mean devices of the class: it says so, or the resource is named after it.
  bool StandsFor(std::string_view resource) const;

  static Result<DeviceClass> Read(const json::Value& object);
};

}  // namespace allot::model
