// Why a Pod waits: by itself, or in the queue of allot's scheduler.

#include <algorithm>

#include "json/editor.h"
#include "sched/order.h"
#include "sched/plan.h"
#include "sched/queue.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using json::TextOf;
using State = Answer::State;
using Keys = std::set<std::string, std::less<>>;

// The first node with room that is kept for another Pod; nullptr: there is none.
const sched::NodeReason* KeptIn(const std::vector<sched::NodeReason>& reasons) {
  const auto kept = std::find_if(reasons.begin(), reasons.end(),
                                 [](const sched::NodeReason& reason) { return reason.kind == sched::NodeReason::Kind::kKept; });
  return kept == reasons.end() ? nullptr : &*kept;
}

Headline FitsHeadline(std::string_view node, const std::vector<model::Allocation>& allocations) {
  Headline headline{.kind = Headline::Kind::kFits, .node = std::string(node)};
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) headline.names.emplace_back(result.device);
  }
  return headline;
}

void SetFits(const Inquiry& inquiry, const sched::Pod& pod, Headline headline, Answer& answer) {
  answer.state = State::kFits;
  answer.headline = std::move(headline);
  answer.details.push_back(SchedulersWords(inquiry.world, pod));
}

void SetRefused(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                const std::vector<sched::NodeReason>& reasons, Answer& answer) {
  Refusal refusal = RefusalOf(inquiry.decider, snapshot, request, reasons);
  answer.state = refusal.never ? State::kNever : State::kWaits;
  answer.groups = std::move(refusal.groups);
  answer.headline = std::move(refusal.headline);
}

void AskAlone(const Inquiry& inquiry, const sched::PodWithClaims& request, Answer& answer) {
  sched::Cluster cluster = inquiry.cluster;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  const Result<sched::Decision> decision = inquiry.decider.Decide(*snapshot, request);
  if (!decision.ok()) return ExplainUndecided(inquiry.world, request, decision.status().message(), answer);
  if (decision->outcome == sched::Decision::Outcome::kPlaced) {
    return SetFits(inquiry, *request.pod, FitsHeadline(decision->node, decision->allocations), answer);
  }
  SetRefused(inquiry, *snapshot, request, decision->reasons, answer);
  answer.remedies = RemediesFor(inquiry.decider, *snapshot, request);
}

// The Pods that are ahead in the queue, in order. Sets the place of the Pod.
std::vector<const sched::Waiting*> AheadOf(const sched::Queue& queue, const sched::Waiting& self, Answer& answer) {
  std::vector<const sched::Waiting*> ahead;
  bool before = true;
  for (const sched::Waiting* const one : queue.waiting()) {
    before = before && one != &self;
    if (one->never || !one->error.empty() || one->decision.outcome != sched::Decision::Outcome::kWaits) continue;
    ++answer.waiting;
    if (before) ahead.push_back(one);
  }
  answer.place = ahead.size() + 1;
  return ahead;
}

// Adds kPodsEnd where that lets the Pod start although other Pods are ahead of it.
void AddEndingInOrder(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                      const sched::Waiting& self, const std::vector<const sched::Waiting*>& ahead, Answer& answer) {
  std::vector<Keys> tried;
  if (const auto plan = sched::MakePlan(inquiry.decider, snapshot, request)) tried.push_back(plan->ends);
  if (self.plan) {
    Keys all = self.plan->ends;
    for (const sched::Waiting* const one : ahead) {
      if (one->plan && one->plan->node == self.plan->node) all.insert(one->plan->ends.begin(), one->plan->ends.end());
    }
    tried.push_back(std::move(all));
  }
  for (const Keys& ends : tried) {
    if (ends.empty() || !StartsWithout(inquiry, request.pod->key, ends)) continue;
    answer.remedies.push_back({.change = sched::Remedy::Change::kPodsEnd, .pods = {ends.begin(), ends.end()}});
    return;
  }
}

void AddRemediesInOrder(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                        const sched::Waiting& self, const std::vector<const sched::Waiting*>& ahead, Answer& answer) {
  answer.remedies = RemediesFor(inquiry.decider, snapshot, request);
  if (ahead.empty()) return;
  // Pods ahead could make use of these first, so they are tried again on the whole queue.
  std::erase_if(answer.remedies, [](const sched::Remedy& remedy) {
    return remedy.kind() == sched::Remedy::Kind::kEnding || remedy.kind() == sched::Remedy::Kind::kLess;
  });
  for (sched::Remedy& remedy : LessInOrder(inquiry, request.pod->key)) answer.remedies.push_back(std::move(remedy));
  AddEndingInOrder(inquiry, snapshot, request, self, ahead, answer);
  std::stable_sort(answer.remedies.begin(), answer.remedies.end(), [](const auto& a, const auto& b) { return a.kind() < b.kind(); });
}

void AskInOrder(const Inquiry& inquiry, const sched::PodWithClaims& request, Answer& answer) {
  const sched::Pod& pod = *request.pod;
  sched::Cluster cluster = inquiry.cluster;
  sched::Queue queue(inquiry.decider, {.schedulers = inquiry.world.OurSchedulers(), .explain = false});
  std::optional<Headline> fits;
  std::vector<std::string> start_first;
  queue.Run(cluster, [&](const sched::Placed& placed) {
    const sched::Pod& one = *placed.asking.pod;
    if (one.key == pod.key) fits = FitsHeadline(placed.node, placed.allocations);
    if (one.key != pod.key && sched::IsAhead(one, pod)) start_first.push_back(one.key);
  });
  const sched::Waiting* const self = queue.Find(pod.key);
  if (fits) return SetFits(inquiry, pod, *std::move(fits), answer);
  if (self == nullptr) return AskAlone(inquiry, request, answer);
  if (!self->error.empty()) return ExplainUndecided(inquiry.world, request, self->error, answer);
  // Pods that are behind are not in the way.
  for (const sched::PodPtr& one : inquiry.cluster.Unplaced()) {
    if (!sched::IsAhead(*one, pod)) cluster.Forget(*one);
  }
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  const Result<std::vector<sched::NodeReason>> reasons = inquiry.decider.ReasonsOf(*snapshot, request, self->decision);
  if (!reasons.ok()) return ExplainUndecided(inquiry.world, request, reasons.status().message(), answer);
  SetRefused(inquiry, *snapshot, request, *reasons, answer);
  if (!start_first.empty()) answer.details.push_back({.kind = Detail::Kind::kOthersStartFirst, .pods = std::move(start_first)});
  const sched::NodeReason* const kept = KeptIn(*reasons);
  if (answer.state == State::kNever) {
    answer.remedies = RemediesFor(inquiry.decider, *snapshot, request);
    return;
  }
  const std::vector<const sched::Waiting*> ahead = AheadOf(queue, *self, answer);
  if (kept != nullptr) {
    const std::string& keeper = kept->pod;
    const sched::Waiting* const one = queue.Find(keeper);
    answer.headline = {.kind = Headline::Kind::kNode, .names = {kept->node}, .reason = *kept};
    if (one != nullptr && one->plan && !one->plan->ends.empty()) {
      answer.details.push_back({.kind = Detail::Kind::kKeeperStarts,
                                .name = keeper,
                                .node = one->plan->node,
                                .pods = {one->plan->ends.begin(), one->plan->ends.end()}});
    }
    answer.remedies = RemediesForKept(inquiry, queue, pod.key, keeper);
    return;
  }
  if (self->plan && !self->plan->ends.empty()) {
    answer.details.push_back({.kind = Detail::Kind::kTurn,
                              .node = self->plan->node,
                              .pods = {self->plan->ends.begin(), self->plan->ends.end()},
                              .ahead = !ahead.empty()});
  }
  AddRemediesInOrder(inquiry, *snapshot, request, *self, ahead, answer);
}

// An amount of a resource that may be one of devices, so that nothing can be told about the Pod. nullopt: there is none.
std::optional<Headline> UnsureResource(const World& world, const sched::Pod& pod) {
  for (const auto& [resource, amount] : pod.placement.requests) {
    if (amount <= 0 || resource.find('/') == resource.npos) continue;
    const auto has = [&, r = resource](const kube::ObjectPtr& node) { return !node->json()["status"]["allocatable"][r].IsNull(); };
    const auto& nodes = world.nodes.objects;
    if (std::all_of(nodes.begin(), nodes.end(), has)) continue;
    if (!world.classes.ok()) return Headline{.kind = Headline::Kind::kClassesNotSeen, .resource = std::string(resource)};
    const auto stands = [&, r = resource](const kube::ObjectPtr& one) {
      const Result<model::DeviceClass> read = model::DeviceClass::Read(one->json());
      return read.ok() && read->StandsFor(r);
    };
    const auto& classes = world.classes.objects;
    if (std::any_of(nodes.begin(), nodes.end(), has) && std::any_of(classes.begin(), classes.end(), stands)) {
      return Headline{.kind = Headline::Kind::kTwoKindsOfNodes, .resource = std::string(resource)};
    }
  }
  return std::nullopt;
}

void SetUndecided(const Inquiry& inquiry, const sched::Pod& pod, Headline headline, Answer& answer) {
  answer.state = State::kUndecided;
  answer.headline = std::move(headline);
  answer.details.push_back(SchedulersWords(inquiry.world, pod));
}

}  // namespace

Refusal RefusalOf(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                  const std::vector<sched::NodeReason>& reasons) {
  if (const Result<bool> never = decider.NeverFits(snapshot, request); never.ok() && *never) {
    if (const Result<std::vector<sched::NodeReason>> why = decider.WhyNever(snapshot, request); why.ok()) {
      std::vector<NodeGroup> groups = GroupsOf(snapshot, request, *why);
      for (NodeGroup& group : groups) group.when_empty = true;
      Headline headline = NeverHeadlineOf(request, groups);
      return {true, std::move(groups), std::move(headline)};
    }
  }
  std::vector<NodeGroup> groups = GroupsOf(snapshot, request, reasons);
  Headline headline = HeadlineOf(request, groups);
  return {false, std::move(groups), std::move(headline)};
}

Detail SchedulersWords(const World& world, const sched::Pod& pod) {
  const std::string_view named = pod.placement.scheduler;
  Detail detail{.kind = Detail::Kind::kNotLookedAt, .name = std::string(named.empty() ? "default-scheduler" : named)};
  if (const kube::Object* const object = world.FindPod(pod.key)) {
    for (const json::Value& condition : ItemsOf(object->json()["status"]["conditions"])) {
      if (TextOf(condition["type"]) != "PodScheduled" || TextOf(condition["status"]) == "True") continue;
      detail.kind = Detail::Kind::kSchedulerSaid;
      detail.reason = TextOf(condition["reason"]);
      detail.message = TextOf(condition["message"]);
      return detail;
    }
  }
  if (const auto events = world.events.find(pod.key); events != world.events.end()) {
    for (auto event = events->second.rbegin(); event != events->second.rend(); ++event) {
      if (TextOf((*event)->json()["reason"]) != "FailedScheduling") continue;
      detail.kind = Detail::Kind::kSchedulerSaid;
      detail.message = TextOf((*event)->json()["message"]);
      return detail;
    }
  }
  return detail;
}

void ExplainWaiting(const Inquiry& inquiry, const sched::PodPtr& pod, Answer& answer) {
  sched::PodWithClaims request = inquiry.cluster.WithClaims(pod);
  if (request.obstacle.empty() && inquiry.world.IsOurs(*pod)) request.obstacle = sched::VolumeObstacle(*pod);
  const bool sees_claims = inquiry.world.claims.ok() || !pod->placement.gates.empty();
  const bool by_claims = !pod->pod.claims.empty() || !pod->pod.extended_claim.empty();
  if (by_claims && (!sees_claims || (request.obstacle.empty() && !inquiry.world.SeesDevices()))) {
    return SetUndecided(inquiry, *pod, {.kind = Headline::Kind::kClaimsNotSeen}, answer);
  }
  if (!pod->placement.gates.empty() || !request.obstacle.empty()) return ExplainBlocked(inquiry.world, request, answer);
  if (std::optional<Headline> unsure = UnsureResource(inquiry.world, *pod)) return SetUndecided(inquiry, *pod, *std::move(unsure), answer);
  if (inquiry.world.IsOurs(*pod)) return AskInOrder(inquiry, request, answer);
  AskAlone(inquiry, request, answer);
}

}  // namespace allot::view
