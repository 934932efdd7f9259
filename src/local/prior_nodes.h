#pragma once
// Removes nodes of an earlier `allot up` that the current one does not have, unless they are still in use.

#include <set>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "local/state_folder.h"

namespace allot::local {

// Removes each local node that is not in `wanted`, with its folders. A node with holdings, or with Pods or containers that have not ended,
// stays and is marked as not ready; the log says why. kInvalid if `offers_real` and such a node has claims of the machine's own GPUs: if
// another node offered these GPUs again, they would be promised twice.
Status RemovePriorNodes(kube::Client& client, FileSystem& files, StateFolder& folder, const std::set<std::string>& wanted, bool offers_real,
                        const Clock& clock, Log& log, const Patience& patience);

}  // namespace allot::local
