#include "cli/explain_answer.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_parts.h"

namespace allot::cli {
namespace {

// What containers that do not run wait for.
void AddContainerWords(const json::Value& pod, ExplainAnswer& answer) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& status : ItemsOf(pod["status"][list])) {
      const json::Value& waiting = status["state"]["waiting"];
      if (!waiting.IsObject()) continue;
      const std::string_view message = Text(waiting["message"]);
      answer.details.push_back(
          StrCat("Container ", Text(status["name"]), " waits: ", Text(waiting["reason"]), message.empty() ? "" : ": ", message));
    }
  }
}

// The last warning about a Pod that is placed and does not run.
void AddLastWarning(const ExplainWorld& world, ExplainAnswer& answer) {
  const auto events = world.events.find(answer.pod);
  if (events == world.events.end()) return;
  for (auto event = events->second.rbegin(); event != events->second.rend(); ++event) {
    const json::Value& json = (*event)->json();
    if (Text(json["type"]) != "Warning" || Text(json["reason"]) == "FailedScheduling") continue;
    answer.details.push_back(StrCat(Text(json["reason"]), ": ", Text(json["message"])));
    return;
  }
}

// Who asked for whole GPUs as amounts of a resource has to ask in another way for less.
void AddAmountHint(const sched::Pod& pod, ExplainAnswer& answer) {
  const auto is_part = [](const sched::Remedy& remedy) { return remedy.text.find("instead of a whole GPU") != std::string::npos; };
  if (pod.placement.claimed.empty() || std::none_of(answer.remedies.begin(), answer.remedies.end(), is_part)) return;
  answer.fixes.push_back(
      {StrCat(pod.placement.claimed[0].first, " counts whole GPUs; a part of one is asked for by a claim:"), "allot demo --print"});
}

// Device plugins' way to ask for a GPU, where none answers to it.
void AddPluginHint(const ExplainWorld& world, const kube::Object& pod, ExplainAnswer& answer) {
  constexpr std::string_view kAsked = "nvidia.com/gpu";
  const auto asks = [&](const json::Value& container) {
    return !container["resources"]["limits"][kAsked].IsNull() || !container["resources"]["requests"][kAsked].IsNull();
  };
  const auto has = [&](const kube::ObjectPtr& node) { return !node->json()["status"]["allocatable"][kAsked].IsNull(); };
  const auto stands_for_it = [&](const kube::ObjectPtr& one) { return Text(one->json()["spec"]["extendedResourceName"]) == kAsked; };
  const std::span<const json::Value> containers = ItemsOf(pod.json()["spec"]["containers"]);
  if (std::none_of(containers.begin(), containers.end(), asks)) return;
  if (!pod.json()["status"]["extendedResourceClaimStatus"].IsNull()) return;  // somebody did
  if (std::any_of(world.nodes.objects.begin(), world.nodes.objects.end(), has)) return;
  if (!world.classes.ok() || std::any_of(world.classes.objects.begin(), world.classes.objects.end(), stands_for_it)) return;
  answer.fixes.push_back(
      {"no device plugin counts nvidia.com/gpu here, and no class stands for it. Ask for a GPU, or a part of one, by a claim:",
       "allot demo --print"});
}

}  // namespace

ExplainAnswer Explain(const ExplainWorld& world, const sched::Cluster& cluster, std::string_view pod_key) {
  cel::Cache selectors;
  SeededRandom random(1);
  sched::Decider decider(selectors, random);
  const Inquiry inquiry{world, cluster, decider};
  const kube::Object* const object = world.FindPod(pod_key);
  CHECK(object != nullptr);
  ExplainAnswer answer;
  answer.pod = pod_key;
  const sched::PodPtr pod = cluster.FindPod(pod_key);
  if (pod == nullptr) {
    answer.state = ExplainAnswer::State::kUndecided;
    answer.headline = "it cannot be read";
    return answer;
  }
  answer.since = Text(object->json()["status"]["startTime"]);
  if (pod->ended) {
    answer.state = ExplainAnswer::State::kEnded;
    answer.node = pod->pod.node_name;
    answer.phase = pod->pod.phase;
    const std::string_view why = Text(object->json()["status"]["message"]);
    answer.headline = StrCat(answer.phase, why.empty() ? "" : ": ", why);
  } else if (!pod->pod.node_name.empty()) {
    if (pod->pod.phase != "Running") AddLastWarning(world, answer);
    // Of a command of `allot run` whose share cannot be prepared.
    if (const std::string_view why = Text(object->json()["status"]["message"]); pod->pod.phase == "Pending" && !why.empty())
      answer.details.emplace_back(why);
    AddContainerWords(object->json(), answer);
    ExplainPlaced(inquiry, pod, answer);
  } else if (pod->deleting) {
    answer.state = ExplainAnswer::State::kEnded;
    answer.headline = "it is being deleted, and was nowhere";
  } else {
    ExplainWaiting(inquiry, pod, answer);
    AddAmountHint(*pod, answer);
    AddPluginHint(world, *object, answer);
  }
  return answer;
}

std::map<std::string, std::string> WhyTheyWait(sched::Cluster cluster, const std::vector<std::string>& pod_keys) {
  cel::Cache selectors;
  SeededRandom random(1);
  sched::Decider decider(selectors, random);
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  std::map<std::string, std::string> reasons;
  for (const std::string& key : pod_keys) {
    const sched::PodPtr pod = cluster.FindPod(key);
    if (pod == nullptr) continue;
    const sched::Request request = cluster.RequestOf(pod);
    const Result<sched::Decision> decision = decider.Decide(*snapshot, request);
    if (!decision.ok() || decision->outcome != sched::Decision::Outcome::kWaits) continue;
    const std::vector<NodeReason> refused = ReasonsOf(*snapshot, request, decision->refusals);
    const Result<bool> never = decider.NeverFits(*snapshot, request);
    reasons[key] =
        never.ok() && *never ? StrCat("can never start here: ", NeverHeadlineOf(request, refused)) : HeadlineOf(request, refused);
  }
  return reasons;
}

}  // namespace allot::cli
