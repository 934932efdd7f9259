#pragma once
// What the NVIDIA driver reports about its GPUs: taints for schedulers, health for kubelet, use for metrics.

#include <span>
#include <vector>

#include "device/nvidia/inventory.h"
#include "json/value.h"
#include "node/driver.h"
#include "node/nvidia/offer.h"

namespace allot::node::nvidia {

// An unhealthy GPU gets a taint that keeps new claims away. A GPU with a note gets a taint without effect.
DeviceTaints TaintsOf(const device::nvidia::Snapshot& snapshot);

// Adds the errors that the taints of published devices describe. `devices`: a list as `spec.devices` has it.
void ReadErrors(const json::Value& devices, std::span<const device::nvidia::Gpu> gpus, std::vector<device::nvidia::DeviceError>& errors);

// Returns all devices that are offered.
std::vector<DeviceReport> ReportsOf(const device::nvidia::Snapshot& snapshot);

// Asks NVML. Values that it does not report are absent.
DeviceUse UseOf(const device::nvidia::Inventory& inventory);

}  // namespace allot::node::nvidia
