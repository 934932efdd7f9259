#pragma once
// What this node offers to the cluster: its GPUs and MIG devices as the devices of ResourceSlices (resource.k8s.io/v1). Pure.
//
// A slices document is a list of slices, each a list of devices as `spec.devices` has them. Promises:
//   1. names, attributes and capacities are those of NVIDIA's DRA driver, so that its classes and selectors work;
//   2. the same GPUs give the same document: devices are sorted by minor, then placement;
//   3. it keeps the API's limits, and has at least one slice: "no devices" is not "no driver";
//   4. a device can be shared only where the server can add up what its holders take. So a GPU that does not tell its memory is exclusive.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/gpu.h"
#include "json/value.h"
#include "node/policy.h"

namespace allot::node {

// Any device may get a taint at any time, and slices with tainted devices hold 64; so that health never moves devices between slices, all
// do.
inline constexpr size_t kDevicesPerSlice = 64;

inline constexpr std::string_view kCordonTaint = "gpu.nvidia.com/cordoned";

struct DeviceTaint {
  std::string key, value;  // the value may be empty
  std::string effect;      // None, NoSchedule, NoExecute

  friend auto operator<=>(const DeviceTaint&, const DeviceTaint&) = default;
};

// By the UUID of a GPU, whose MIG devices have them too, or of a MIG device.
using DeviceTaints = std::map<std::string, std::vector<DeviceTaint>, std::less<>>;

struct OfferInput {
  std::span<const device::Gpu> gpus;
  std::string_view node_name;
  const NodeConfig& config;
  const std::set<std::string, std::less<>>& held;  // UUIDs of GPUs and MIG devices that claims hold
  const Policies& offered;                         // what was offered last
  const DeviceTaints& taints;                      // of health
};

struct Offer {
  json::Document slices;
  Policies policies;                  // what is offered, or was to GPUs that are away: the next input's `offered`
  std::vector<std::string> problems;  // devices that are left out, each a sentence for the log
};

Offer MakeOffer(const OfferInput& input);

// The policies that published devices were made with. `devices`: a list as `spec.devices` has it. Devices that are not ours are passed
// over.
void ReadPolicies(const json::Value& devices, Policies& policies);

// What the server can store of a device.
struct ServerFeatures {
  bool sharing = true;  // allowMultipleAllocations and requestPolicy: gate DRAConsumableCapacity
  bool taints = true;   // gate DRADeviceTaints
  bool notes = true;    // taints that only tell something: since 1.35

  bool all() const { return sharing && taints && notes; }
};

struct Reduced {
  json::Document slices;  // refers to what it was made of
  size_t shared = 0;      // devices left out because they would become exclusive,
  size_t tainted = 0;     // and because claims would get them in spite of a taint
};

// What can be offered through such a server without promising something else than was meant.
Reduced Reduce(const json::Value& slices, ServerFeatures features);

}  // namespace allot::node
