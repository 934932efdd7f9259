#include "sched/predicates.h"

#include <algorithm>

#include "alloc/taint.h"

namespace allot::sched {
namespace {

constexpr int64_t kDefaultPods = 110;

// `running`: how many Pods; `used`: what they ask for.
std::string WhyNoRoom(const Pod& pod, const model::Node& node, size_t running, const model::Amounts& used) {
  const model::Amounts& has = node.allocatable;
  const int64_t pods = has.empty() ? kDefaultPods : model::AmountOf(has, "pods");
  if (static_cast<int64_t>(running) + 1 > pods) return StrCat("runs ", running, " Pods, of at most ", pods);
  for (const auto& [name, amount] : pod.placement.requests) {
    if (amount == 0) continue;
    const int64_t whole = model::AmountOf(has, name);
    const int64_t left = whole - model::AmountOf(used, name);
    if (amount <= left) continue;
    if (whole == 0) return StrCat("has no ", name);
    return StrCat(name, ": ", AmountText(name, amount), " asked, ", AmountText(name, std::max<int64_t>(left, 0)), " of ",
                  AmountText(name, whole), " free");
  }
  return "";
}

std::string WhyNotPorts(const Pod& pod, const Node& node) {
  for (const model::HostPort& wanted : pod.placement.ports) {
    for (const PodPtr& other : node.pods) {
      for (const model::HostPort& taken : other->placement.ports) {
        if (wanted.Collides(taken)) return StrCat("host port ", wanted.port, "/", wanted.protocol, " is taken by ", other->key);
      }
    }
  }
  return "";
}

std::string RequirementText(const model::NodeRequirement& r) {
  std::vector<std::string> values;
  for (const std::string_view value : r.values) values.emplace_back(value);
  return StrCat(r.key, " ", r.op, values.empty() ? "" : StrCat(" ", Join(values, ", ")));
}

Result<std::string> WhyNotChosen(const Pod& pod, const model::Node& node) {
  for (const auto& [key, value] : pod.placement.node_selector) {
    const std::string_view* label = node.Label(key);
    if (label == nullptr) return StrCat("has no label ", key, ", and the Pod's nodeSelector wants ", key, "=", value);
    if (*label != value) return StrCat("is ", key, "=", *label, ", and the Pod's nodeSelector wants ", value);
  }
  if (!pod.placement.required_nodes) return std::string();
  ASSIGN_OR_RETURN(const bool matches, pod.placement.required_nodes->Matches(node).Context("Pod ", pod.key, ": node affinity"));
  if (matches) return std::string();
  const auto& terms = pod.placement.required_nodes->terms;
  if (terms.size() == 1 && terms[0].expressions.size() + terms[0].fields.size() == 1) {
    return StrCat("does not match the Pod's node affinity: ",
                  RequirementText(terms[0].expressions.empty() ? terms[0].fields[0] : terms[0].expressions[0]));
  }
  return std::string("does not match the Pod's node affinity");
}

// What the node itself says, and what the Pod says of nodes.
Result<std::string> WhyNotAdmitted(const Pod& pod, const model::Node& spec) {
  if (!pod.pod.node_name.empty() && pod.pod.node_name != spec.name) return StrCat("the Pod names node ", pod.pod.node_name);
  static constexpr model::Taint kCordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (spec.unschedulable && !alloc::IsTolerated(kCordoned, pod.placement.tolerations)) return std::string("is cordoned (unschedulable)");
  if (const model::Taint* taint = alloc::PreventingTaint(spec.taints, pod.placement.tolerations)) {
    return StrCat("is tainted ", taint->key, taint->value.empty() ? "" : StrCat("=", taint->value), ":", taint->effect,
                  ", which the Pod does not tolerate");
  }
  return WhyNotChosen(pod, spec);
}

}  // namespace

std::string AmountText(std::string_view name, int64_t amount) {
  if (name == "cpu") return amount % 1000 == 0 ? StrCat(amount / 1000) : StrCat(amount, "m");
  if (name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-")) return StrCat(amount >> 20, " MiB");
  return StrCat(amount);
}

Result<std::string> WhyNotHere(const Pod& pod, const Node& node) {
  ASSIGN_OR_RETURN(std::string why, WhyNotAdmitted(pod, *node.node));
  if (why.empty()) why = WhyNotPorts(pod, node);
  if (why.empty()) why = WhyNoRoom(pod, *node.node, node.pods.size(), node.used);
  return why;
}

Result<std::string> WhyNotWhenEmpty(const Pod& pod, const model::Node& node) {
  ASSIGN_OR_RETURN(std::string why, WhyNotAdmitted(pod, node));
  if (why.empty()) why = WhyNoRoom(pod, node, 0, {});
  return why;
}

std::string WhyNotVolumes(const Pod& pod) {
  if (pod.volume.empty()) return "";
  return StrCat("its volume ", pod.volume, ", and allot's scheduler does not place volumes: leave the Pod to another ",
                "scheduler, or use a volume that is on every node");
}

bool LooksAtOthers(const Pod& pod) {
  const model::Placement& rules = pod.placement;
  const auto must_hold = [](const model::PodTerm& term) { return term.weight == 0; };
  return std::any_of(rules.spread.begin(), rules.spread.end(), [](const auto& constraint) { return constraint.required; }) ||
         std::any_of(rules.near.begin(), rules.near.end(), must_hold) || std::any_of(rules.away.begin(), rules.away.end(), must_hold);
}

int64_t NodePoints(const Pod& pod, const Node& node) {
  int64_t points = 0;
  for (const model::PreferredNode& preferred : pod.placement.preferred_nodes) {
    // A term without requirements matches nothing as a requirement, and everything as a preference.
    const bool empty = preferred.term.expressions.empty() && preferred.term.fields.empty();
    const Result<bool> matches = empty ? Result<bool>(true) : model::NodeSelector{{preferred.term}}.Matches(*node.node);
    if (matches.ok() && *matches) points += preferred.weight;
  }
  for (const model::Taint& taint : node.node->taints) {
    if (taint.effect == "PreferNoSchedule" && !alloc::IsTolerated(taint, pod.placement.tolerations)) points -= 100;
  }
  return points;
}

}  // namespace allot::sched
