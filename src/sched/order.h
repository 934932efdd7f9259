#pragma once
// The order of the queue.

#include <compare>

#include "sched/objects.h"

namespace allot::sched {

// Less: `a` is asked before `b`, whenever it came, as it has the higher priority.
std::strong_ordering ComparePriorities(const Pod& a, const Pod& b);

// Less: `a` is asked before `b`, as it has the higher priority or was created first. Equivalent: the API does not tell which was created
// first, and the Pods stay in the order in which the caller learned of them.
//
// The order of creation is what the API keeps of it. creationTimestamp has whole seconds. Within a second the time in the uid decides,
// which the embedded API's uids have and kube-apiserver's random ones do not. Other fields do not help: resourceVersion is that of the last
// write, and any creator of a Pod could forge an annotation of ours.
std::weak_ordering CompareTurns(const Pod& a, const Pod& b);

// Whether `a` is asked before `b` by a queue that learned of both from a list of the API, which is sorted by namespace and name.
bool IsAhead(const Pod& a, const Pod& b);

}  // namespace allot::sched
