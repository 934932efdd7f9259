#pragma once
// Turns GPUs and MIG devices into the devices of ResourceSlices (resource.k8s.io/v1). Pure.
//
// Promises:
//   1. names, attributes and capacities are those of NVIDIA's DRA driver, so that its classes and selectors work;
//   2. the same GPUs give the same slices document (slices.h): devices are sorted by minor, then placement;
//   3. the document keeps the API's limits;
//   4. a device can be shared only if the server can add up what its holders take. So a GPU with unknown memory is exclusive.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/nvidia/gpu.h"
#include "json/value.h"
#include "node/nvidia/policy.h"
#include "node/publish/slices.h"

namespace allot::node::nvidia {

inline constexpr std::string_view kCordonTaint = "gpu.nvidia.com/cordoned";

// By UUID. The MIG devices of a GPU have the GPU's taints too.
using DeviceTaints = std::map<std::string, std::vector<DeviceTaint>, std::less<>>;

struct OfferInput {
  std::span<const device::nvidia::Gpu> gpus;
  std::string_view node_name;
  const NodeConfig& config;
  const std::set<std::string, std::less<>>& held;  // UUIDs of GPUs and MIG devices that claims hold
  const Policies& offered;                         // what was offered last
  const DeviceTaints& taints;                      // of health
};

struct Offer {
  json::Document slices;
  Policies policies;                  // what is offered, also of GPUs that are away; the next input's `offered`
  std::vector<std::string> problems;  // a sentence for the log about each device that is left out
};

Offer MakeOffer(const OfferInput& input);

// Adds the policies with which published devices were made. `devices` is the `spec.devices` of a slice. Skips devices that are not ours.
void ReadPolicies(const json::Value& devices, Policies& policies);

}  // namespace allot::node::nvidia
