#include "alloc/compat.h"

namespace allot::alloc {

Features Features::Defaults() {
  Features features;
  features.admin_access = true;
  features.prioritized_list = true;
  features.partitionable_devices = true;
  features.device_taints = true;
  features.binding_conditions = true;
  features.consumable_capacity = true;
  return features;
}

Result<Features> Features::FromGates(std::span<const std::string_view> gates) {
  Features features;
  bool conditions = false, device_status = false;
  for (const std::string_view entry : gates) {
    for (const std::string_view gate : Split(entry, '+')) {
      if (gate == "DRAAdminAccess") {
        features.admin_access = true;
      } else if (gate == "DRAPrioritizedList") {
        features.prioritized_list = true;
      } else if (gate == "DRAPartitionableDevices") {
        features.partitionable_devices = true;
      } else if (gate == "DRADeviceTaints") {
        features.device_taints = true;
      } else if (gate == "DRADeviceBindingConditions") {
        conditions = true;
      } else if (gate == "DRAResourceClaimDeviceStatus") {
        device_status = true;
      } else if (gate == "DRAConsumableCapacity") {
        features.consumable_capacity = true;
      } else if (gate == "DRAListTypeAttributes") {
        features.list_type_attributes = true;
      } else {
        return Invalid("feature gate ", Quoted(gate), " is not one that changes allocation");
      }
    }
  }
  features.binding_conditions = conditions && device_status;
  return features;
}

Channel Features::channel() const {
  if (list_type_attributes) return Channel::kExperimental;
  if (binding_conditions || consumable_capacity) return Channel::kIncubating;
  return Channel::kStable;
}

Result<Quirks> QuirksOf(std::string_view level) {
  if (level == "1.36") return Quirks();
  return Unsupported("compatibility level ", Quoted(level), " is not known; use \"1.36\"");
}

}  // namespace allot::alloc
