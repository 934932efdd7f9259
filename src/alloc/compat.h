#pragma once
// Which Kubernetes the allocator agrees with: the feature gates that are on, and the quirks of the release.

#include <span>
#include <string_view>

#include "base/status.h"

namespace allot::alloc {

// Kubernetes picks one of three allocators by the gates that are on; they differ in small ways.
enum class Channel { kStable, kIncubating, kExperimental };

// The gates that change allocation. Default-constructed: all off.
struct Features {
  bool admin_access = false;
  bool prioritized_list = false;
  bool partitionable_devices = false;
  bool device_taints = false;
  bool binding_conditions = false;  // DRADeviceBindingConditions and DRAResourceClaimDeviceStatus
  bool consumable_capacity = false;
  bool list_type_attributes = false;

  bool operator==(const Features&) const = default;

  // The gates that are on by default in Kubernetes 1.36.
  static Features Defaults();
  // From names such as "DRAConsumableCapacity"; "A+B" is one switch for two gates. kInvalid names one that is not known.
  static Result<Features> FromGates(std::span<const std::string_view> gates);

  Channel channel() const;
};

// Behaviours of Kubernetes 1.36 that look like mistakes and decide what it allocates. Each is one switch; where it is off, the allocator
// does what the later releases do.
struct Quirks {
  // A slice with shared counters counts for every node, even when it names another one.
  bool counter_slices_of_other_nodes = true;
  // Selectors run before the node of a device is looked at, so that an error in one aborts for devices of other nodes too.
  bool selectors_before_node = true;
  // Admin access marks its device as taken for the rest of the Pod.
  bool admin_access_takes_device = true;
  // A share without consumed capacity does not count as use when a further share asks for the counters.
  bool share_without_capacity_is_unused = true;
  // distinctAttribute remembers one value for each request, and forgets it when a device of that request is given back.
  bool distinct_keeps_one_value_per_request = true;
  // matchAttribute over lists does not get back the values that a device, since given back, had ruled out.
  bool match_keeps_narrowed_list = true;
  // A config of the claim is copied once for each request that it names.
  bool config_once_per_request = true;
};

// kUnsupported, by name, for any level but "1.36".
Result<Quirks> QuirksOf(std::string_view level);

}  // namespace allot::alloc
