#include "sched/predicates.h"

#include <algorithm>

#include "alloc/taint.h"

namespace allot::sched {
namespace {

using Kind = NodeReason::Kind;
using Why = std::optional<NodeReason>;

constexpr int64_t kDefaultPods = 110;

// `running`: the number of other Pods; `used`: the sum of their requests.
Why WhyNoRoom(const Pod& pod, const model::Node& node, size_t running, const model::Amounts& used) {
  const model::Amounts& has = node.allocatable;
  const int64_t pods = has.empty() ? kDefaultPods : model::AmountOf(has, "pods");
  const auto count = static_cast<int64_t>(running);
  if (count + 1 > pods) return NodeReason{.kind = Kind::kPodLimit, .count = count, .limit = pods};
  for (const auto& [name, amount] : pod.placement.requests) {
    if (amount == 0) continue;
    const int64_t whole = model::AmountOf(has, name);
    const int64_t left = whole - model::AmountOf(used, name);
    if (amount <= left) continue;
    if (whole == 0) return NodeReason{.kind = Kind::kNoResource, .key = std::string(name)};
    return NodeReason{
        .kind = Kind::kResource, .key = std::string(name), .asked = amount, .free = std::max<int64_t>(left, 0), .whole = whole};
  }
  return std::nullopt;
}

Why WhyNotPorts(const Pod& pod, const Node& node) {
  for (const model::HostPort& wanted : pod.placement.ports) {
    for (const PodPtr& other : node.pods) {
      for (const model::HostPort& taken : other->placement.ports) {
        if (!wanted.Collides(taken)) continue;
        return NodeReason{.kind = Kind::kHostPort,
                          .port = static_cast<int32_t>(wanted.port),
                          .protocol = std::string(wanted.protocol),
                          .pod = other->key};
      }
    }
  }
  return std::nullopt;
}

NodeReason NodeAffinity(const model::NodeSelector& required) {
  NodeReason reason{.kind = Kind::kNodeAffinity};
  const auto& terms = required.terms;
  if (terms.size() != 1 || terms[0].expressions.size() + terms[0].fields.size() != 1) return reason;
  const model::NodeRequirement& only = terms[0].expressions.empty() ? terms[0].fields[0] : terms[0].expressions[0];
  reason.key = only.key;
  reason.op = only.op;
  reason.values.assign(only.values.begin(), only.values.end());
  return reason;
}

Result<Why> WhyNotChosen(const Pod& pod, const model::Node& node) {
  for (const auto& [key, value] : pod.placement.node_selector) {
    const std::string_view* label = node.Label(key);
    if (label != nullptr && *label == value) continue;
    NodeReason reason{.kind = label == nullptr ? Kind::kLabelMissing : Kind::kLabelDiffers};
    reason.key = key;
    reason.wanted = value;
    if (label != nullptr) reason.value = *label;
    return Why(std::move(reason));
  }
  if (!pod.placement.required_nodes) return Why();
  ASSIGN_OR_RETURN(const bool matches, pod.placement.required_nodes->Matches(node).Context("node affinity"));
  return matches ? Why() : Why(NodeAffinity(*pod.placement.required_nodes));
}

// What the node itself says, and what the Pod says of nodes.
Result<Why> WhyNotAdmitted(const Pod& pod, const model::Node& spec) {
  if (!pod.pod.node_name.empty() && pod.pod.node_name != spec.name) {
    return Why(NodeReason{.kind = Kind::kNamesOtherNode, .wanted = std::string(pod.pod.node_name)});
  }
  static constexpr model::Taint kCordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (spec.unschedulable && !alloc::IsTolerated(kCordoned, pod.placement.tolerations)) return Why(NodeReason{.kind = Kind::kCordoned});
  if (const model::Taint* taint = alloc::PreventingTaint(spec.taints, pod.placement.tolerations)) {
    return Why(
        NodeReason{.kind = Kind::kTainted, .taint = {std::string(taint->key), std::string(taint->value), std::string(taint->effect)}});
  }
  return WhyNotChosen(pod, spec);
}

}  // namespace

Result<Why> WhyNotHere(const Pod& pod, const Node& node) {
  ASSIGN_OR_RETURN(Why why, WhyNotAdmitted(pod, *node.node));
  if (!why) why = WhyNotPorts(pod, node);
  if (!why) why = WhyNoRoom(pod, *node.node, node.pods.size(), node.used);
  return why;
}

Result<Why> WhyNotWhenEmpty(const Pod& pod, const model::Node& node) {
  ASSIGN_OR_RETURN(Why why, WhyNotAdmitted(pod, node));
  if (!why) why = WhyNoRoom(pod, node, 0, {});
  return why;
}

Obstacle VolumeObstacle(const Pod& pod) {
  if (!pod.volume) return {};
  return {.kind = Obstacle::Kind::kVolume, .volume = *pod.volume};
}

bool LooksAtOthers(const Pod& pod) {
  const model::Placement& rules = pod.placement;
  const auto must_hold = [](const model::PodTerm& term) { return term.weight == 0; };
  return std::any_of(rules.spread.begin(), rules.spread.end(), [](const auto& constraint) { return constraint.required; }) ||
         std::any_of(rules.affinity.begin(), rules.affinity.end(), must_hold) ||
         std::any_of(rules.anti_affinity.begin(), rules.anti_affinity.end(), must_hold);
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
