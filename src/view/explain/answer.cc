#include "view/explain/answer.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "base/random.h"
#include "base/strings.h"
#include "json/editor.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using json::TextOf;

// Containers that wait, with the reasons of kubelet.
void AddContainers(const json::Value& pod, Answer& answer) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& status : ItemsOf(pod["status"][list])) {
      const json::Value& waiting = status["state"]["waiting"];
      if (!waiting.IsObject()) continue;
      answer.details.push_back({.kind = Detail::Kind::kContainerWaits,
                                .name = std::string(TextOf(status["name"])),
                                .reason = std::string(TextOf(waiting["reason"])),
                                .message = std::string(TextOf(waiting["message"]))});
    }
  }
}

// The newest warning about a Pod that is placed and does not run.
void AddLastWarning(const World& world, Answer& answer) {
  const auto events = world.events.find(answer.pod);
  if (events == world.events.end()) return;
  for (auto event = events->second.rbegin(); event != events->second.rend(); ++event) {
    const json::Value& json = (*event)->json();
    if (TextOf(json["type"]) != "Warning" || TextOf(json["reason"]) == "FailedScheduling") continue;
    answer.details.push_back(
        {.kind = Detail::Kind::kWarning, .reason = std::string(TextOf(json["reason"])), .message = std::string(TextOf(json["message"]))});
    return;
  }
}

// A Pod that asks for whole GPUs as an amount of a resource can get a part of one only by a claim.
void AddAmountFix(const sched::Pod& pod, Answer& answer) {
  const auto is_part = [](const sched::Remedy& remedy) { return remedy.change == sched::Remedy::Change::kPartOfGpu; };
  if (pod.placement.claimed.empty() || std::none_of(answer.remedies.begin(), answer.remedies.end(), is_part)) return;
  answer.fixes.push_back({.kind = Fix::Kind::kAskByClaim, .resource = std::string(pod.placement.claimed[0].first)});
}

// A Pod that asks a device plugin for a GPU where there is no plugin, and no class in its place.
void AddPluginFix(const World& world, const kube::Object& pod, Answer& answer) {
  constexpr std::string_view kAsked = "nvidia.com/gpu";
  const auto asks = [&](const json::Value& container) {
    return !container["resources"]["limits"][kAsked].IsNull() || !container["resources"]["requests"][kAsked].IsNull();
  };
  const auto has = [&](const kube::ObjectPtr& node) { return !node->json()["status"]["allocatable"][kAsked].IsNull(); };
  const auto stands_for_it = [&](const kube::ObjectPtr& one) { return TextOf(one->json()["spec"]["extendedResourceName"]) == kAsked; };
  const std::span<const json::Value> containers = ItemsOf(pod.json()["spec"]["containers"]);
  if (std::none_of(containers.begin(), containers.end(), asks)) return;
  if (!pod.json()["status"]["extendedResourceClaimStatus"].IsNull()) return;  // a claim was made
  if (std::any_of(world.nodes.objects.begin(), world.nodes.objects.end(), has)) return;
  if (!world.classes.ok() || std::any_of(world.classes.objects.begin(), world.classes.objects.end(), stands_for_it)) return;
  answer.fixes.push_back({.kind = Fix::Kind::kNoPluginHere, .resource = std::string(kAsked)});
}

}  // namespace

std::string Option::Place() const { return device.empty() ? node : StrCat(node, "/", device); }

bool Answer::IsContested(const sched::Remedy& remedy) const {
  // LessInOrder and StartsWithout try the other kinds on the whole queue.
  return place > 1 && (remedy.kind() == sched::Remedy::Kind::kAllow || remedy.kind() == sched::Remedy::Kind::kNode);
}

Answer Explain(const World& world, const sched::Cluster& cluster, std::string_view pod_key) {
  cel::Cache selectors;
  SeededRandom random(1);
  sched::Decider decider(selectors, random);
  const Inquiry inquiry{world, cluster, decider};
  const kube::Object* const object = world.FindPod(pod_key);
  CHECK(object != nullptr);
  Answer answer;
  answer.pod = pod_key;
  const sched::PodPtr pod = cluster.FindPod(pod_key);
  if (pod == nullptr) {
    answer.state = Answer::State::kUndecided;
    answer.headline = {.kind = Headline::Kind::kUnreadable};
    return answer;
  }
  const json::Value& status = object->json()["status"];
  answer.since = TextOf(status["startTime"]);
  if (pod->ended) {
    answer.state = Answer::State::kEnded;
    answer.node = pod->pod.node_name;
    answer.phase = pod->pod.phase;
    answer.headline = {.kind = Headline::Kind::kEnded, .phase = answer.phase, .error = std::string(TextOf(status["message"]))};
  } else if (!pod->pod.node_name.empty()) {
    if (pod->pod.phase != "Running") AddLastWarning(world, answer);
    // A command of `allot run` whose share cannot be prepared has a message.
    if (const std::string_view why = TextOf(status["message"]); pod->pod.phase == "Pending" && !why.empty())
      answer.details.push_back({.kind = Detail::Kind::kMessage, .message = std::string(why)});
    AddContainers(object->json(), answer);
    ExplainPlaced(inquiry, pod, answer);
  } else if (pod->deleting) {
    answer.state = Answer::State::kEnded;
    answer.headline = {.kind = Headline::Kind::kDeleted};
  } else {
    ExplainWaiting(inquiry, pod, answer);
    AddAmountFix(*pod, answer);
    AddPluginFix(world, *object, answer);
  }
  return answer;
}

std::map<std::string, Brief> WhyTheyWait(sched::Cluster cluster, const std::vector<std::string>& pod_keys) {
  cel::Cache selectors;
  SeededRandom random(1);
  sched::Decider decider(selectors, random);
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  std::map<std::string, Brief> briefs;
  for (const std::string& key : pod_keys) {
    const sched::PodPtr pod = cluster.FindPod(key);
    if (pod == nullptr) continue;
    const sched::PodWithClaims request = cluster.WithClaims(pod);
    const Result<sched::Decision> decision = decider.Decide(*snapshot, request);
    if (!decision.ok() || decision->outcome != sched::Decision::Outcome::kWaits) continue;
    Refusal refusal = RefusalOf(decider, *snapshot, request, decision->reasons);
    briefs[key] = {refusal.never, std::move(refusal.headline)};
  }
  return briefs;
}

}  // namespace allot::view
