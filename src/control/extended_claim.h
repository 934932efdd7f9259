#pragma once
// The claim of a Pod that asks for devices as amounts of a resource (dialect/extended_resources.h), in the API.
//
// It is made before the Pod is decided, where kube-scheduler makes it afterwards: from then on the Pod is one with a claim, like others.

#include "dialect/extended_resources.h"
#include "kube/client.h"

namespace allot::control {

// Makes the claim and tells the Pod of it. As often as wanted: what is done already is left as it is. One that was made when there were
// other classes, and is not allocated, is made again. An error: nothing of it is told to the Pod; kConflict where a claim of this name is
// somebody else's. Where the Pod is another one by now, the claim is garbage, as its owner is gone.
Status MakeExtendedClaim(kube::Client& client, const kube::Object& pod, const dialect::ExtendedClaim& made, const http::Patience& patience);

}  // namespace allot::control
