#pragma once
// Decisions, reasons and remedies in words. Together with alloc/words.h this is the only place that makes sentences of them.

#include <string>
#include <string_view>
#include <vector>

#include "sched/node_reason.h"
#include "sched/obstacle.h"
#include "sched/remedy.h"

namespace allot::sched {

// Without the node's name: "is cordoned (unschedulable)", "1 device asked, none of the 8 fits". Empty: the node fits.
std::string Words(const NodeReason& reason);
// "node n1 is cordoned (unschedulable)", "on node n1, host port 80/TCP is taken by lab/a". `nodes` have the same reason.
std::string WordsWithNodes(const NodeReason& reason, const std::vector<std::string>& nodes);

// "claim lab/x does not exist", "it has scheduling gates (example.com/quota), which their owner has to remove"
std::string Words(const Obstacle& obstacle);

// "0/3 nodes fit: n2, n3: has no devices; n1: 1 device asked, and the only one does not fit (gpu-0: 6144 MiB asked, ...)"
std::string Summary(const std::vector<const NodeReason*>& reasons);
std::string Summary(const std::vector<NodeReasonPtr>& reasons);
// "placed on n1", the obstacle, or the reasons.
std::string Summary(const Decision& decision);

// "can never start here: no GPU has ..."
std::string NeverWords(std::string_view why);

// "2048 MiB less (16384 instead of 18432)", "lab/train-2 ending", "a node with a free 24 GiB GPU"
std::string Words(const Remedy& remedy);

// "a", "a and b", "a, b, c and 3 more"
std::string Names(const std::vector<std::string>& names);

// An amount of a resource for people: "64" CPUs, "500m", "2048 MiB".
std::string AmountText(std::string_view name, int64_t amount);

}  // namespace allot::sched
