// Pods that no scheduler can decide about: what is missing, and what helps.

#include <algorithm>

#include "base/edit_distance.h"
#include "base/strings.h"
#include "sched/asks.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

using Kind = sched::Obstacle::Kind;

// The object whose name is nearest; empty: none is near.
std::string NearestOf(const Listing& objects, std::string_view name_space, std::string_view name) {
  std::vector<std::string> names;
  for (const kube::ObjectPtr& object : objects.objects) {
    if (object->namespace_name() == name_space) names.emplace_back(object->name());
  }
  return Nearest(name, names);
}

std::string NameIn(std::string_view key) { return std::string(key.substr(key.find('/') + 1)); }

Fix MakeFix(Fix::Kind kind, const model::Pod& pod) {
  return {.kind = kind, .pod = std::string(pod.name), .name_space = std::string(pod.name_space)};
}

// The Pod's claim is not made from its template yet.
void ExplainUnmade(const World& world, const model::Pod& pod, Answer& answer) {
  const sched::Obstacle& obstacle = answer.headline.obstacle;
  if (!world.templates.contains(StrCat(pod.name_space, "/", obstacle.source))) {
    std::vector<std::string> names;
    for (const auto& [key, object] : world.templates) {
      if (object->namespace_name() == pod.name_space) names.emplace_back(object->name());
    }
    answer.headline.kind = Headline::Kind::kTemplateMissing;
    answer.headline.nearest = Nearest(obstacle.source, names);
    answer.fixes.push_back(MakeFix(Fix::Kind::kMakeTemplate, pod));
    return;
  }
  answer.headline.kind = Headline::Kind::kClaimNotMade;
  Fix fix = MakeFix(Fix::Kind::kAwaitClaim, pod);
  fix.source = obstacle.source;
  fix.own_api = world.own_api;
  answer.fixes.push_back(std::move(fix));
}

}  // namespace

void ExplainBlocked(const World& world, const sched::PodWithClaims& request, Answer& answer) {
  answer.state = Answer::State::kBlocked;
  const model::Pod& pod = request.pod->pod;
  const auto& gates = request.pod->placement.gates;
  sched::Obstacle obstacle = request.obstacle;
  if (!gates.empty()) obstacle = {.kind = Kind::kGates, .gates = {gates.begin(), gates.end()}};
  answer.headline = {.kind = Headline::Kind::kObstacle, .obstacle = obstacle};
  const auto add = [&](Fix::Kind kind) -> Fix& {
    answer.fixes.push_back(MakeFix(kind, pod));
    answer.fixes.back().claim = NameIn(obstacle.claim);
    return answer.fixes.back();
  };
  switch (obstacle.kind) {
    case Kind::kGates: add(Fix::Kind::kRemoveGates).count = gates.size(); return;
    case Kind::kClaimNotMade: return ExplainUnmade(world, pod, answer);
    case Kind::kResourceNotMade: {
      const std::string_view scheduler = request.pod->placement.scheduler;
      Fix& fix = add(Fix::Kind::kAwaitResource);
      fix.scheduler = scheduler;
      fix.ours = scheduler.empty() || scheduler == "default-scheduler" || scheduler == kOwnScheduler;
      return;
    }
    case Kind::kClaimMissing:
      answer.headline.nearest = NearestOf(world.claims, pod.name_space, NameIn(obstacle.claim));
      add(Fix::Kind::kMakeClaim);
      return;
    case Kind::kClaimDeleting: add(Fix::Kind::kAwaitDeletion); return;
    case Kind::kClaimOfOther: add(Fix::Kind::kRecreatePod); return;
    case Kind::kClaimFull: add(Fix::Kind::kShareLess); return;
    case Kind::kVolume:
    case Kind::kNone: return;
  }
}

void ExplainUndecided(const World& world, const sched::PodWithClaims& request, std::string_view error, Answer& answer) {
  answer.state = Answer::State::kUndecided;
  answer.headline = {.kind = Headline::Kind::kError, .error = std::string(error)};
  for (const sched::ClaimPtr& claim : request.claims) {
    for (const model::Request& one : claim->claim.requests) {
      for (const model::DeviceRequest* const ask : sched::AsksOf(one)) {
        const bool there = std::any_of(world.classes.objects.begin(), world.classes.objects.end(),
                                       [&](const kube::ObjectPtr& c) { return c->name() == ask->class_name; });
        if (there || ask->class_name.empty()) continue;
        answer.headline = {.kind = Headline::Kind::kClassMissing,
                           .nearest = NearestOf(world.classes, "", ask->class_name),
                           .device_class = std::string(ask->class_name),
                           .request = std::string(one.name),
                           .claim = claim->key};
        answer.fixes.push_back(MakeFix(Fix::Kind::kInstallClass, request.pod->pod));
        return;
      }
    }
  }
  if (request.claims.empty()) return;
  const model::ResourceClaim& first = request.claims[0]->claim;
  const bool from_limits = first.name == request.pod->pod.extended_claim && !first.requests.empty() && first.requests[0].exactly;
  Fix fix = MakeFix(from_limits ? Fix::Kind::kLowerLimits : Fix::Kind::kReplaceClaim, request.pod->pod);
  fix.claim = first.name;
  if (from_limits) fix.device_class = first.requests[0].exactly->class_name;
  answer.fixes.push_back(std::move(fix));
}

}  // namespace allot::view
