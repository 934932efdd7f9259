#pragma once
// The place of a Pod among those that wait for their turn.

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "kube/client.h"

namespace allot::local {

// Whether, of two that wait, the first is asked first: by priority, then by age, then by name, as the queue does (sched/queue.h).
bool IsAheadOf(const kube::Object& a, const kube::Object& b);

// The first is 1. Among Pods without a node, as `allot explain` counts. Who can never start, or is
// held back, is not in the queue. 0: nor is the Pod itself.
size_t PlaceAmong(const std::vector<kube::ObjectPtr>& pods, std::string_view uid);

// The same, of all Pods of the API. 0 where they cannot be listed.
size_t AskForPlace(kube::Client& client, std::string_view uid, const http::Patience& patience);

// What the scheduler says of a Pod that it has found no place for.
inline constexpr std::string_view kNeverStarts = "can never start here: ";

// Why the Pod has no node yet, as the scheduler says; empty: it has said nothing.
std::string WhyNot(const kube::Object& pod);

}  // namespace allot::local
