#pragma once
// A slices document says what a driver offers on this node. It is a list of slices, and each slice is a list of devices like
// `spec.devices` of a ResourceSlice. Pure.

#include <functional>
#include <string>

#include "json/builder.h"
#include "json/value.h"

namespace allot::node {

// The API allows 64 devices in a slice that has a tainted one. Any device can get a taint at any time, so all slices keep that limit, and a
// change of health never moves devices between slices.
inline constexpr size_t kDevicesPerSlice = 64;

struct DeviceTaint {
  std::string key, value;  // the value may be empty
  std::string effect;      // None, NoSchedule, NoExecute

  friend auto operator<=>(const DeviceTaint&, const DeviceTaint&) = default;
};

// Returns the document of `count` devices; write(i, builder) writes device i. It has at least one slice, because a driver without devices
// is not the same as no driver.
json::Document WriteSlices(size_t count, const std::function<void(size_t, json::Builder&)>& write);

// What the server can store of a device.
struct ServerFeatures {
  bool sharing = true;  // allowMultipleAllocations and requestPolicy: feature gate DRAConsumableCapacity
  bool taints = true;   // feature gate DRADeviceTaints
  bool notes = true;    // taints with the effect None: since 1.35

  bool all() const { return sharing && taints && notes; }
};

struct Reduced {
  json::Document slices;  // refers to the document that it was made from
  size_t shared = 0;      // devices left out because they would become exclusive
  size_t tainted = 0;     // devices left out because claims would get them in spite of a taint
};

// Returns the devices that such a server can store without changing their meaning.
Reduced Reduce(const json::Value& slices, ServerFeatures features);

}  // namespace allot::node
