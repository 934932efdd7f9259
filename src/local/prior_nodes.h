#pragma once
// Nodes of an earlier `allot up` that this one does not have: they go, unless something of them is still in use.

#include <set>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "local/state_folder.h"

namespace allot::local {

// Removes each local node that is not among `wanted`, with its folders. One whose claims are held, or that has Pods or containers which
// have not ended, stays and is marked as not ready; the log says why. kInvalid where `offers_real`, and such a node has claims of the
// machine's own GPUs: offered again by another node, they would be promised twice.
Status RemovePriorNodes(kube::Client& client, FileSystem& files, StateFolder& folder, const std::set<std::string>& wanted, bool offers_real,
                        const Clock& clock, Log& log, const http::Patience& patience);

}  // namespace allot::local
