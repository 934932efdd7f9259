#pragma once
// Which features of dynamic resource allocation an API server has.
//
// A server creates an object without the fields of features that are off. So a dry run shows what is on: the dry run of a ResourceClaim
// shows DRAConsumableCapacity, DRADeviceTaints and DRAPrioritizedList, the dry run of a ResourceSlice also DRAPartitionableDevices and
// DRADeviceBindingConditions. A scheduler may create ResourceClaims anyway, so it needs no further rights.
//
// Not asked: DRAAdminAccess, DRAListTypeAttributes. They and everything that the server refuses to answer count as in
// Features::Defaults(). Objects written while a gate was on keep its fields.

#include "alloc/compat.h"
#include "base/patience.h"
#include "kube/client.h"

namespace allot::control {

// kUnavailable: the server did not answer.
Result<alloc::Features> AskFeatures(kube::Client& client, const Patience& patience);

}  // namespace allot::control
