#pragma once
// The settings that a claim or its class can have for this driver: GpuConfig and MigDeviceConfig of resource.nvidia.com/v1beta1.
//
// They are read strictly: an unknown field, strategy or interval is an error that names the field's path in the claim's status.

#include <span>
#include <string_view>

#include "base/status.h"
#include "model/claim.h"
#include "node/nvidia/share_state.h"

namespace allot::node::nvidia {

// Returns the settings for one result of the allocation, from the last entry of the claim that applies to it, or else of the class. An
// entry that names the request must match the device (GpuConfig: a GPU, MigDeviceConfig: a MIG device); an entry for all requests that does
// not match is skipped. `uuids` are those of all devices of the claim, sorted; MPS' limits for one device use their index.
Result<Sharing> SharingOf(const model::Allocation& allocation, std::string_view driver, const model::DeviceResult& result, bool is_mig,
                          std::string_view uuid, std::span<const std::string> uuids);

// Ok if claims with these settings can share a device. Otherwise the message says what is in the way, as the end of a sentence about `b`.
Status Compatible(const Sharing& a, const Sharing& b);

}  // namespace allot::node::nvidia
