// Why a Pod waits: alone, or among those that allot's scheduler asks in order.

#include <algorithm>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_parts.h"
#include "sched/plan.h"
#include "sched/queue.h"

namespace allot::cli {
namespace {

using State = ExplainAnswer::State;
using Keys = std::set<std::string, std::less<>>;

// A node with room that is kept for somebody.
struct Kept {
  std::string node, keeper;
};
std::optional<Kept> KeptIn(const std::vector<sched::Refusal>& refusals) {
  for (const sched::Refusal& refusal : refusals) {
    if (!refusal.kept_for.empty()) return Kept{refusal.node, refusal.kept_for};
  }
  return std::nullopt;
}

// Whether it is asked before the other: as the queue orders those that it has just met.
bool ComesBefore(const sched::Pod& a, const sched::Pod& b) {
  if (a.placement.priority != b.placement.priority) return a.placement.priority > b.placement.priority;
  if (sched::WasMadeBefore(a, b) || sched::WasMadeBefore(b, a)) return sched::WasMadeBefore(a, b);
  return a.key < b.key;
}

std::string PlaceText(std::string_view node, const std::vector<model::Allocation>& allocations) {
  std::vector<std::string> devices;
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) devices.emplace_back(result.device);
  }
  return devices.empty() ? StrCat("on ", node) : StrCat("on ", node, ", with ", Names(devices));
}

void SetFits(const Inquiry& inquiry, const sched::Pod& pod, std::string place, ExplainAnswer& answer) {
  answer.state = State::kFits;
  answer.headline = StrCat("it fits now, ", place);
  answer.details.push_back(SchedulersWords(inquiry.world, pod));
}

void SetRefused(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::Request& request,
                const std::vector<sched::Refusal>& refusals, ExplainAnswer& answer) {
  const Result<bool> never = inquiry.decider.NeverFits(snapshot, request);
  answer.state = never.ok() && *never ? State::kNever : State::kWaits;
  answer.reasons = ReasonsOf(snapshot, request, refusals);
  answer.headline = answer.state == State::kNever ? NeverHeadlineOf(request, answer.reasons) : HeadlineOf(request, answer.reasons);
}

void AskAlone(const Inquiry& inquiry, const sched::Request& request, ExplainAnswer& answer) {
  sched::Cluster cluster = inquiry.cluster;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  const Result<sched::Decision> decision = inquiry.decider.Decide(*snapshot, request);
  if (!decision.ok()) return ExplainUndecided(inquiry.world, request, decision.status().message(), answer);
  if (decision->outcome == sched::Decision::Outcome::kPlaced) {
    return SetFits(inquiry, *request.pod, PlaceText(decision->node, decision->allocations), answer);
  }
  SetRefused(inquiry, *snapshot, request, decision->refusals, answer);
  answer.remedies = RemediesFor(inquiry.decider, *snapshot, request);
}

// Those that the Pod waits behind, in order.
std::vector<const sched::Waiting*> AheadOf(const sched::Queue& queue, const sched::Waiting& self, ExplainAnswer& answer) {
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

std::string Ends(const sched::Plan& plan) {
  return StrCat(Names({plan.ends.begin(), plan.ends.end()}), plan.ends.size() == 1 ? " has ended on " : " have ended on ", plan.node);
}

// "lab/a and lab/b ending", where that lets the Pod start though others are ahead of it.
void AddEndingInOrder(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::Request& request, const sched::Waiting& self,
                      const std::vector<const sched::Waiting*>& ahead, ExplainAnswer& answer) {
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
    answer.remedies.push_back({sched::Remedy::Kind::kEnding, StrCat(Names({ends.begin(), ends.end()}), " ending"), ""});
    return;
  }
}

void AddRemediesInOrder(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::Request& request, const sched::Waiting& self,
                        const std::vector<const sched::Waiting*>& ahead, ExplainAnswer& answer) {
  answer.remedies = RemediesFor(inquiry.decider, snapshot, request);
  if (ahead.empty()) return;
  // Those that others could take first are asked again, of everybody.
  std::erase_if(answer.remedies, [](const sched::Remedy& remedy) {
    return remedy.kind == sched::Remedy::Kind::kEnding || remedy.kind == sched::Remedy::Kind::kLess;
  });
  for (sched::Remedy& remedy : LessInOrder(inquiry, request.pod->key)) answer.remedies.push_back(std::move(remedy));
  AddEndingInOrder(inquiry, snapshot, request, self, ahead, answer);
  std::stable_sort(answer.remedies.begin(), answer.remedies.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
}

void AskInOrder(const Inquiry& inquiry, const sched::Request& request, ExplainAnswer& answer) {
  const sched::Pod& pod = *request.pod;
  sched::Cluster cluster = inquiry.cluster;
  sched::Queue queue(inquiry.decider, {.schedulers = OwnSchedulers(inquiry.world), .explain = false});
  std::string place;
  std::vector<std::string> start_first;
  queue.Run(cluster, [&](const sched::Placed& placed) {
    const sched::Pod& one = *placed.request.pod;
    if (one.key == pod.key) place = PlaceText(placed.node, placed.allocations);
    if (one.key != pod.key && ComesBefore(one, pod)) start_first.push_back(one.key);
  });
  const sched::Waiting* const self = queue.Find(pod.key);
  if (!place.empty()) return SetFits(inquiry, pod, std::move(place), answer);
  if (self == nullptr) return AskAlone(inquiry, request, answer);
  if (!self->error.empty()) return ExplainUndecided(inquiry.world, request, self->error, answer);
  // Who was asked later is not in the way.
  for (const sched::PodPtr& one : inquiry.cluster.Unplaced()) {
    if (!ComesBefore(*one, pod)) cluster.Forget(*one);
  }
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  const Result<std::vector<sched::Refusal>> refusals = inquiry.decider.RefusalsOf(*snapshot, request, self->decision);
  if (!refusals.ok()) return ExplainUndecided(inquiry.world, request, refusals.status().message(), answer);
  SetRefused(inquiry, *snapshot, request, *refusals, answer);
  if (!start_first.empty())
    answer.details.push_back(StrCat(Names(start_first), start_first.size() == 1 ? " is" : " are", " ahead of it, and can start now."));
  const std::optional<Kept> kept = KeptIn(*refusals);
  if (answer.state == State::kNever) {
    answer.remedies = RemediesFor(inquiry.decider, *snapshot, request);
    return;
  }
  const std::vector<const sched::Waiting*> ahead = AheadOf(queue, *self, answer);
  if (kept) {
    const std::string& keeper = kept->keeper;
    const sched::Waiting* const one = queue.Find(keeper);
    answer.headline = StrCat("node ", kept->node, " has room, but is kept for ", keeper, ", which is ahead of it");
    if (one != nullptr && one->plan && !one->plan->ends.empty()) {
      answer.details.push_back(
          StrCat(keeper, " starts when ", Ends(*one->plan), "; with this Pod in its place it would have to wait longer."));
    }
    answer.remedies = RemediesForKept(inquiry, queue, pod.key, keeper);
    return;
  }
  if (self->plan && !self->plan->ends.empty()) {
    // Those ahead may find another place first, and then it is another plan.
    answer.details.push_back(StrCat("Its turn comes ", ahead.empty() ? "at the latest" : "after those ahead of it: by their plans,",
                                    " when ", Ends(*self->plan), "."));
  }
  AddRemediesInOrder(inquiry, *snapshot, request, *self, ahead, answer);
}

// Of an amount that may be one of devices, by a class: why nothing can be said of it. Empty: there is none.
std::string UnsureResource(const ExplainWorld& world, const sched::Pod& pod) {
  for (const auto& [resource, amount] : pod.placement.requests) {
    if (amount <= 0 || resource.find('/') == resource.npos) continue;
    const auto has = [&, r = resource](const kube::ObjectPtr& node) { return !node->json()["status"]["allocatable"][r].IsNull(); };
    const auto& nodes = world.nodes.objects;
    if (std::all_of(nodes.begin(), nodes.end(), has)) continue;
    if (!world.classes.ok()) return StrCat("it asks for ", resource, ", and whether a class stands for that cannot be seen");
    const auto stands = [&, r = resource](const kube::ObjectPtr& one) {
      const Result<model::DeviceClass> read = model::DeviceClass::Read(one->json());
      return read.ok() && read->StandsFor(r);
    };
    const auto& classes = world.classes.objects;
    if (std::any_of(nodes.begin(), nodes.end(), has) && std::any_of(classes.begin(), classes.end(), stands)) {
      return StrCat("it asks for ", resource,
                    ", which some nodes have by a device plugin and others as devices; that is not looked at yet");
    }
  }
  return "";
}

}  // namespace

Keys OwnSchedulers(const ExplainWorld& world) { return world.own_api ? Keys{} : Keys{std::string(kOwnScheduler)}; }

bool IsOurs(const ExplainWorld& world, const sched::Pod& pod) { return world.own_api || pod.placement.scheduler == kOwnScheduler; }

std::string SchedulersWords(const ExplainWorld& world, const sched::Pod& pod) {
  const std::string_view named = pod.placement.scheduler;
  const std::string scheduler(named.empty() ? "default-scheduler" : named);
  if (const kube::Object* const object = world.FindPod(pod.key)) {
    for (const json::Value& condition : ItemsOf(object->json()["status"]["conditions"])) {
      if (Text(condition["type"]) != "PodScheduled" || Text(condition["status"]) == "True") continue;
      return StrCat(scheduler, " said last: ", Text(condition["reason"]), ": ", Text(condition["message"]));
    }
  }
  if (const auto events = world.events.find(pod.key); events != world.events.end()) {
    for (auto event = events->second.rbegin(); event != events->second.rend(); ++event) {
      if (Text((*event)->json()["reason"]) != "FailedScheduling") continue;
      return StrCat(scheduler, " said last: ", Text((*event)->json()["message"]));
    }
  }
  return StrCat("No scheduler has looked at it yet: does one run that is named ", scheduler, "?");
}

void ExplainWaiting(const Inquiry& inquiry, const sched::PodPtr& pod, ExplainAnswer& answer) {
  sched::Request request = inquiry.cluster.RequestOf(pod);
  if (request.obstacle.empty() && IsOurs(inquiry.world, *pod)) request.obstacle = sched::WhyNotVolumes(*pod);
  const bool sees_claims = inquiry.world.claims.ok() || !pod->placement.gates.empty();
  const bool by_claims = !pod->pod.claims.empty() || !pod->pod.extended_claim.empty();
  if (by_claims && (!sees_claims || (request.obstacle.empty() && !inquiry.world.SeesDevices()))) {
    answer.state = State::kUndecided;
    answer.headline = "what its claims need cannot be seen";
    answer.details.push_back(SchedulersWords(inquiry.world, *pod));
    return;
  }
  if (!pod->placement.gates.empty() || !request.obstacle.empty()) return ExplainHeld(inquiry.world, request, answer);
  if (const std::string unsure = UnsureResource(inquiry.world, *pod); !unsure.empty()) {
    answer.state = State::kUndecided;
    answer.headline = unsure;
    answer.details.push_back(SchedulersWords(inquiry.world, *pod));
    return;
  }
  if (IsOurs(inquiry.world, *pod)) return AskInOrder(inquiry, request, answer);
  AskAlone(inquiry, request, answer);
}

}  // namespace allot::cli
