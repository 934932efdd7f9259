#pragma once
// Who holds what of devices, as allocated claims say it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "kube/object.h"
#include "model/quantity.h"

namespace allot::cli {

// What one claim was given of a device.
struct Share {
  kube::ObjectPtr claim;
  json::Value result;  // of the claim's status.allocation.devices.results
};

// What is taken of one device.
struct Use {
  std::map<std::string, model::Quantity> consumed;  // by the name of the capacity
  std::vector<Share> shares;
};
using Uses = std::map<std::string, Use>;  // by the device's whole name

// What claims hold of all devices. Admin access takes nothing and is left out.
Uses UsesOf(const std::vector<kube::ObjectPtr>& claims);

// The node that the allocation is tied to by its name, as that of a node's own device is; empty: none.
std::string_view AllocatedNode(const json::Value& claim);

// "driver/pool/device" of a result.
std::string DeviceName(const json::Value& result);

}  // namespace allot::cli
