#pragma once
// What the agent tells others of its GPUs: taints for the scheduler, health for kubelet, use for Prometheus.

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "device/inventory.h"
#include "node/holding.h"
#include "node/kube_world.h"
#include "node/offer.h"
#include "node/rpc/messages.h"

namespace allot::node {

// A GPU that is unhealthy keeps new claims away; what is only noted can be seen and does nothing.
DeviceTaints TaintsOf(const device::Snapshot& snapshot);

// The errors that the taints of published devices tell of. `devices`: a list as `spec.devices` has it.
void ReadErrors(const json::Value& devices, std::span<const device::Gpu> gpus, std::vector<device::DeviceError>& errors);

// All devices that are offered.
std::vector<rpc::DeviceHealth> HealthOf(const device::Snapshot& snapshot, const std::string& node_name, WallTime now,
                                        std::chrono::seconds timeout);

// The metrics of devices and claims, with what their processes use as far as the driver tells. `proc`: "/proc" of the machine.
void AppendUse(const device::Inventory& inventory, const KubeWorld& world, const Holdings& holdings, const FileSystem& files,
               const std::string& proc, std::string_view node_name, std::string& text);

}  // namespace allot::node
