#pragma once
// Which features of dynamic resource allocation an API server has.
//
// A server creates an object without the fields of features that are off. So a dry run shows what is on: the dry run of a ResourceClaim
// shows DRAConsumableCapacity, DRADeviceTaints and DRAPrioritizedList, the dry run of a ResourceSlice also DRAPartitionableDevices and
// DRADeviceBindingConditions. A scheduler may create ResourceClaims anyway, so it needs no further rights.
//
// What cannot be asked, for example because the caller may not create ResourceSlices, counts as in Features::Defaults(). That is safe: with
// a feature off, the server stores no object with its fields, so the allocator finds nothing to use the feature for.

#include "alloc/compat.h"
#include "base/patience.h"
#include "kube/client.h"

namespace allot::control {

// kUnavailable: the server did not answer.
Result<alloc::Features> AskFeatures(kube::Client& client, const Patience& patience);

}  // namespace allot::control
