// Pods that nothing is decided about: what is missing, and the command that helps.

#include <algorithm>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_parts.h"
#include "sched/asks.h"

namespace allot::cli {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The one of these objects whose name is nearest; empty: none is near.
std::string NearestOf(const Listing& objects, std::string_view name_space, std::string_view name) {
  std::vector<std::string> names;
  for (const kube::ObjectPtr& object : objects.objects) {
    if (object->namespace_name() == name_space) names.emplace_back(object->name());
  }
  return Nearest(name, names);
}

std::string DidYouMean(const std::string& nearest) { return nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)"); }

// The Pod's entry whose claim is not there yet.
const model::PodClaim* Unmade(const model::Pod& pod) {
  for (const model::PodClaim& use : pod.claims) {
    const bool made =
        std::any_of(pod.generated_claims.begin(), pod.generated_claims.end(), [&](const auto& g) { return g.first == use.name; });
    if (!use.claim_name && !made) return &use;
  }
  return nullptr;
}

void AddUnmadeFix(const ExplainWorld& world, const model::Pod& pod, std::string_view scheduler, ExplainAnswer& answer) {
  const model::PodClaim* const use = Unmade(pod);
  const std::string events = StrCat("allot describe pod ", pod.name, " -n ", pod.name_space);
  if (use == nullptr) {
    const bool served = scheduler.empty() || scheduler == "default-scheduler" || scheduler == kOwnScheduler;
    answer.fixes.push_back({served ? "allot's scheduler makes it in a moment. If it stays so, the Pod's events say why:"
                                   : StrCat("scheduler ", scheduler, " is to make it, and that is not allot's. The Pod's events:"),
                            events});
    return;
  }
  const std::string_view name = use->template_name.value_or("");
  if (!world.templates.contains(StrCat(pod.name_space, "/", name))) {
    std::vector<std::string> names;
    for (const auto& [key, object] : world.templates) {
      if (object->namespace_name() == pod.name_space) names.emplace_back(object->name());
    }
    answer.headline = StrCat("its claim ", use->name, " is made from template ", name, ", which does not exist in namespace ",
                             pod.name_space, DidYouMean(Nearest(name, names)));
    answer.fixes.push_back(
        {"make a template of this name, and the Pod goes on by itself; or delete the Pod, and make it again with the name "
         "of one that there is:",
         StrCat("allot get templates -n ", pod.name_space)});
    return;
  }
  answer.headline = StrCat("its claim ", use->name, " is not made yet");
  const std::string maker = world.own_api ? "allot's API server" : "kube-controller-manager";
  answer.fixes.push_back({StrCat("template ", name, " is there, and ", maker,
                                 " makes the claim from it in a moment. If it stays so, the Pod's events say why:"),
                          events});
}

// The claim that stands in the way, by the words of the obstacle: "claim lab/x ...".
std::string ClaimIn(std::string_view obstacle) {
  const size_t begin = obstacle.find('/') + 1;
  return std::string(obstacle.substr(begin, obstacle.find(' ', begin) - begin));
}

}  // namespace

void ExplainHeld(const ExplainWorld& world, const sched::Request& request, ExplainAnswer& answer) {
  answer.state = ExplainAnswer::State::kHeld;
  const model::Pod& pod = request.pod->pod;
  const auto& gates = request.pod->placement.gates;
  if (!gates.empty()) {
    const std::vector<std::string> names(gates.begin(), gates.end());
    answer.headline = StrCat("it has ", names.size() == 1 ? "a scheduling gate" : "scheduling gates", ": ", Names(names));
    answer.fixes.push_back({StrCat("no scheduler looks at it until whoever set ",
                                   names.size() == 1 ? "it has removed it" : "them has removed them", ". By hand:"),
                            StrCat("kubectl patch pod ", pod.name, " -n ", pod.name_space,
                                   R"( --type=json -p '[{"op":"remove","path":"/spec/schedulingGates"}]')")});
    return;
  }
  const std::string& obstacle = request.obstacle;
  answer.headline = obstacle;
  if (Has(obstacle, "is not made yet")) return AddUnmadeFix(world, pod, request.pod->placement.scheduler, answer);
  const std::string claim = ClaimIn(obstacle);
  if (Has(obstacle, "does not exist")) {
    answer.headline += DidYouMean(NearestOf(world.claims, pod.name_space, claim));
    answer.fixes.push_back({"make a claim of this name; the Pod starts as soon as it can be allocated. Those that there are:",
                            StrCat("allot get claims -n ", pod.name_space)});
  } else if (Has(obstacle, "is being deleted")) {
    answer.fixes.push_back({"it goes when nobody uses it any more, and must then be made again. Who uses it, and its finalizers:",
                            StrCat("allot describe claim ", claim, " -n ", pod.name_space)});
  } else if (Has(obstacle, "was not made for this Pod")) {
    answer.fixes.push_back(
        {"something else made it, under the name that the Pod's own would have. Delete the Pod, so that it is made again:",
         StrCat("allot delete pod ", pod.name, " -n ", pod.name_space)});
  } else if (Has(obstacle, "more are not possible")) {
    answer.fixes.push_back(
        {"end some of them, or let Pods beyond that share another claim:", StrCat("allot describe claim ", claim, " -n ", pod.name_space)});
  }
}

void ExplainUndecided(const ExplainWorld& world, const sched::Request& request, std::string_view error, ExplainAnswer& answer) {
  answer.state = ExplainAnswer::State::kUndecided;
  const std::string prefix = StrCat("Pod ", request.pod->key, ": ");
  answer.headline = error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  const std::string_view name_space = request.pod->pod.name_space;
  for (const sched::ClaimPtr& claim : request.claims) {
    for (const model::Request& one : claim->claim.requests) {
      for (const model::DeviceRequest* const ask : sched::AsksOf(one)) {
        const bool there = std::any_of(world.classes.objects.begin(), world.classes.objects.end(),
                                       [&](const kube::ObjectPtr& c) { return c->name() == ask->class_name; });
        if (there || ask->class_name.empty()) continue;
        answer.headline = StrCat("class ", ask->class_name, ", which request ", one.name, " of claim ", claim->key,
                                 " names, does not exist", DidYouMean(NearestOf(world.classes, "", ask->class_name)));
        answer.fixes.push_back({"install what brings the class, or name one that there is:", "allot get classes"});
        return;
      }
    }
  }
  if (request.claims.empty()) return;
  const model::ResourceClaim& first = request.claims[0]->claim;
  if (first.name == request.pod->pod.extended_claim && !first.requests.empty() && first.requests[0].exactly) {
    const std::string_view by = first.requests[0].exactly->class_name;
    answer.fixes.push_back({StrCat("the claim was made of the Pod's limits, by class ", by,
                                   ". Make the Pod again with other limits (it can ", "have 32 devices), or mend the class:"),
                            StrCat("allot describe class ", by)});
    return;
  }
  const std::string_view name = first.name;
  answer.fixes.push_back(
      {"no scheduler can decide it until this is mended. A claim cannot be changed: delete it and make it again, or mend "
       "the template and make the Pod again.",
       StrCat("allot describe claim ", name, " -n ", name_space)});
}

}  // namespace allot::cli
