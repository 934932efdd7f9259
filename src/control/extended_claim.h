#pragma once
// Creates the claim of a Pod that asks for devices as amounts of a resource (dialect/extended_resources.h).
//
// The scheduler creates it before it decides the Pod; kube-scheduler does so afterwards. From then on the Pod is like any Pod with a claim.

#include "dialect/extended_resources.h"
#include "kube/client.h"

namespace allot::control {

// Creates the claim and writes its name into the Pod's status. Calling it again changes nothing, except that a claim for other classes is
// replaced unless it is allocated. After an error the Pod's status is unchanged. kConflict: a claim of this name belongs to another owner,
// or the server does not keep the status. If the Pod was replaced by one of the same name, the claim is garbage: its owner is gone.
Status MakeExtendedClaim(kube::Client& client, const kube::Object& pod, const dialect::ExtendedClaim& made, const Patience& patience);

}  // namespace allot::control
