#pragma once
// The parts of Explain, each in a file of its own. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "cli/explain_answer.h"
#include "sched/decide.h"
#include "sched/queue.h"

namespace allot::cli {

// Whose Pods allot's scheduler takes on another API than its own.
inline constexpr std::string_view kOwnScheduler = "allot";

// What a question is asked with.
struct Inquiry {
  const ExplainWorld& world;
  const sched::Cluster& cluster;
  sched::Decider& decider;
};

// The devices of a node. `reasons`: why each of them was ruled out; empty: it was not. `pod_key`: whose parts are its own.
std::vector<DeviceRow> RowsOf(const sched::Node& node, const alloc::Reasons& reasons, std::string_view pod_key);
// Refusals with what is known of the nodes' devices, the same ones together.
std::vector<NodeReason> ReasonsOf(const sched::Snapshot& snapshot, const sched::Request& request,
                                  const std::vector<sched::Refusal>& refusals);
// What all of them come down to: "no GPU has 8192 MiB free (the most is 6144)".
std::string HeadlineOf(const sched::Request& request, const std::vector<NodeReason>& reasons);
// The same for a Pod that would not fit even if nobody else were there.
std::string NeverHeadlineOf(const sched::Request& request, const std::vector<NodeReason>& reasons);

// FindRemedies, and what lifts the Pod's own rules: its selectors, constraints, node affinity, device taints.
std::vector<sched::Remedy> RemediesFor(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::Request& request);
// How much less the Pod would have to ask for to start now, asked of everybody who waits in order. Empty: nothing helps, or it has not
// exactly one amount.
std::vector<sched::Remedy> LessInOrder(const Inquiry& inquiry, std::string_view pod_key);
// What lets a Pod start for which there is room that is kept for `keeper`: each tried by asking everybody who waits again.
std::vector<sched::Remedy> RemediesForKept(const Inquiry& inquiry, const sched::Queue& queue, std::string_view pod_key,
                                           std::string_view keeper);
// Whether the Pod would start now if these had ended, asked of everybody who waits in order.
bool StartsWithout(const Inquiry& inquiry, std::string_view pod_key, const std::set<std::string, std::less<>>& ended);

// Of a Pod that nothing is decided about: what is missing, and what to do.
void ExplainHeld(const ExplainWorld& world, const sched::Request& request, ExplainAnswer& answer);
// Of one whose claims make no sense: `error` says why.
void ExplainUndecided(const ExplainWorld& world, const sched::Request& request, std::string_view error, ExplainAnswer& answer);
void ExplainWaiting(const Inquiry& inquiry, const sched::PodPtr& pod, ExplainAnswer& answer);
void ExplainPlaced(const Inquiry& inquiry, const sched::PodPtr& pod, ExplainAnswer& answer);

// What its scheduler said last, or that none has looked at it.
std::string SchedulersWords(const ExplainWorld& world, const sched::Pod& pod);
// Whom it is asked of who waits; empty: nobody in order.
std::set<std::string, std::less<>> OwnSchedulers(const ExplainWorld& world);
bool IsOurs(const ExplainWorld& world, const sched::Pod& pod);

// "a", "a and b", "a, b and 3 more"
std::string Names(const std::vector<std::string>& names);

}  // namespace allot::cli
