#pragma once
// The parts of Explain, each in a file of its own. Pure.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sched/decide.h"
#include "sched/queue.h"
#include "view/explain/answer.h"

namespace allot::view {

// What a question is asked with.
struct Inquiry {
  const World& world;
  const sched::Cluster& cluster;
  sched::Decider& decider;
};

// The devices of a node. `reasons`: why each of them was ruled out; empty: none was. `pod_key`: the Pod whose parts are marked as its own.
std::vector<DeviceRow> RowsOf(const sched::Node& node, const alloc::Reasons& reasons, std::string_view pod_key);
// Groups nodes with the same reason, and adds their devices.
std::vector<NodeGroup> GroupsOf(const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                                const std::vector<sched::NodeReason>& reasons);

// Why a Pod waits, as far as the reasons of single nodes tell.
struct Refusal {
  bool never = false;  // no node would have room even if all other Pods ended
  std::vector<NodeGroup> groups;
  Headline headline;
};
Refusal RefusalOf(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                  const std::vector<sched::NodeReason>& reasons);

// What all reasons have in common.
Headline HeadlineOf(const sched::PodWithClaims& request, const std::vector<NodeGroup>& groups);
// The same for a Pod that would not fit even if all other Pods ended.
Headline NeverHeadlineOf(const sched::PodWithClaims& request, const std::vector<NodeGroup>& groups);

// FindRemedies, and what lifts the rules of the Pod and its claims: selectors, constraints, affinities, device taints.
std::vector<sched::Remedy> RemediesFor(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::PodWithClaims& request);
// How much less memory lets the Pod start while no Pod ahead of it is delayed. Empty unless the Pod asks for exactly one amount.
std::vector<sched::Remedy> LessInOrder(const Inquiry& inquiry, std::string_view pod_key);
// What lets a Pod start that has room, which is kept for `keeper`. Each change was tried on the whole queue.
std::vector<sched::Remedy> RemediesForKept(const Inquiry& inquiry, const sched::Queue& queue, std::string_view pod_key,
                                           std::string_view keeper);
// Whether the Pod would start now if the Pods `ended` had ended, tried on the whole queue.
bool StartsWithout(const Inquiry& inquiry, std::string_view pod_key, const std::set<std::string, std::less<>>& ended);

// A Pod that is blocked: what is missing, and what to do.
void ExplainBlocked(const World& world, const sched::PodWithClaims& request, Answer& answer);
// A Pod whose claims make no sense: `error` says why.
void ExplainUndecided(const World& world, const sched::PodWithClaims& request, std::string_view error, Answer& answer);
void ExplainWaiting(const Inquiry& inquiry, const sched::PodPtr& pod, Answer& answer);
void ExplainPlaced(const Inquiry& inquiry, const sched::PodPtr& pod, Answer& answer);

// What the Pod's scheduler said last, or that none has looked at the Pod.
Detail SchedulersWords(const World& world, const sched::Pod& pod);

}  // namespace allot::view
