#pragma once
// The queue of Pods without a node, as the API tells it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"
#include "kube/object.h"

namespace allot::view {

// The scheduler's message on a Pod that it found no node for. Empty: it has not said anything.
std::string WhyNot(const kube::Object& pod);
// Whether the scheduler found that no node could take the Pod even if all other Pods ended (sched/conditions.h).
bool NeverFits(const kube::Object& pod);

// Whether the Pod waits for its turn. False for a Pod that can never start, is blocked (by a gate or a missing claim), cannot be decided or
// is being deleted. A Pod that the scheduler has not looked at yet is in the queue.
bool IsInQueue(const kube::Object& pod);

// Sorts Pods without a node into the order of the queue (sched/order.h). Pods that cannot be read come last, by name.
std::vector<kube::ObjectPtr> InQueueOrder(const std::vector<kube::ObjectPtr>& pods);

// The place of the Pod with this uid among `pods`, all of them without a node; the first is 1. 0: it is not in the queue.
size_t PlaceAmong(const std::vector<kube::ObjectPtr>& pods, std::string_view uid);

// The same among all Pods of the API. 0 also where they cannot be listed.
size_t AskForPlace(kube::Client& client, std::string_view uid, const Patience& patience);

}  // namespace allot::view
