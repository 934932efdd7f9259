#pragma once
// The settings that a claim or its class may carry for this driver: GpuConfig and MigDeviceConfig of resource.nvidia.com/v1beta1.
//
// Read strictly: an unknown field, strategy or interval is an error that names its place in the claim's status.

#include <span>
#include <string_view>

#include "base/status.h"
#include "model/claim.h"
#include "node/holding.h"

namespace allot::node {

// The settings for one result of the allocation: the last entry of a claim, else of a class, that is meant for it. An entry that names
// the request must fit the device (GpuConfig: a GPU, MigDeviceConfig: a MIG device); one for all requests is passed over where it does
// not. `uuids`: those of all devices of the claim, sorted, which MPS' limits for one device count by.
Result<Sharing> SharingOf(const model::Allocation& allocation, std::string_view driver, const model::DeviceResult& result, bool is_mig,
                          std::string_view uuid, std::span<const std::string> uuids);

// Ok where the two can live on one device; else what is in the way, as the end of a sentence about `b`.
Status Compatible(const Sharing& a, const Sharing& b);

}  // namespace allot::node
