// The rules about other Pods.

#include <algorithm>

#include "alloc/taint.h"
#include "sched/predicates.h"

namespace allot::sched {
namespace {

// How many Pods there are; 0: the node is in no domain.
int64_t CountIn(const std::unordered_map<std::string_view, int64_t>& domains, const std::string_view* value) {
  const auto at = value == nullptr ? domains.end() : domains.find(*value);
  return at == domains.end() ? 0 : at->second;
}

// Kubernetes leaves nodes out that lack a label of any constraint that must hold, for all of them.
bool HasAllKeys(const Pod& pod, const model::Node& node) {
  return std::all_of(pod.placement.spread.begin(), pod.placement.spread.end(),
                     [&](const auto& constraint) { return !constraint.required || node.Label(constraint.topology_key) != nullptr; });
}

// Whether the node counts for the constraint: nodes that the Pod could not use anyway do not.
bool Counts(const model::SpreadConstraint& constraint, const Pod& pod, const model::Node& node) {
  if (constraint.honor_affinity) {
    for (const auto& [key, value] : pod.placement.node_selector) {
      const std::string_view* label = node.Label(key);
      if (label == nullptr || *label != value) return false;
    }
    if (pod.placement.required_nodes) {
      const Result<bool> matches = pod.placement.required_nodes->Matches(node);
      if (!matches.ok() || !*matches) return false;
    }
  }
  return !constraint.honor_taints || alloc::PreventingTaint(node.taints, pod.placement.tolerations) == nullptr;
}

}  // namespace

OtherPods::OtherPods(const Pod& pod, const Snapshot& snapshot) : pod_(pod), snapshot_(snapshot) {
  for (const model::SpreadConstraint& constraint : pod.placement.spread) CountSpread(constraint);
  self_matches_ = MatchesAffinity(pod);
  for (const model::PodTerm& term : pod.placement.affinity) CountTerm(term, true);
  for (const model::PodTerm& term : pod.placement.anti_affinity) CountTerm(term, false);
  for (const NodePtr& node : snapshot.anti_affinity_nodes) {
    for (const PodPtr& other : node->pods) {
      if (other->key == pod.key) continue;
      for (const model::PodTerm& term : other->placement.anti_affinity) {
        const std::string_view* value = node->node->Label(term.topology_key);
        if (term.weight != 0 || value == nullptr || !Selects(term, *other, pod)) continue;
        const auto [at, is_new] = against_[term.topology_key].emplace(*value, other->key);
        if (!is_new) at->second = std::min<std::string_view>(at->second, other->key);
      }
    }
  }
}

bool OtherPods::Selects(const model::PodTerm& term, const Pod& owner, const Pod& other) const {
  const std::string_view space = other.pod.name_space;
  const bool own_only = term.namespaces.empty() && !term.namespace_selector.is_set;
  bool in_space =
      own_only ? space == owner.pod.name_space : std::find(term.namespaces.begin(), term.namespaces.end(), space) != term.namespaces.end();
  if (term.namespace_selector.is_set && term.namespace_selector.requirements.empty()) {
    in_space = true;  // an empty selector also selects unknown namespaces
  } else if (!in_space && term.namespace_selector.is_set && snapshot_.namespaces != nullptr) {
    const auto found = snapshot_.namespaces->find(space);
    in_space = found != snapshot_.namespaces->end() && term.namespace_selector.Matches(found->second.labels);
  }
  return in_space && term.selector.Matches(other.placement.labels);
}

bool OtherPods::MatchesAffinity(const Pod& other) const {
  const auto& terms = pod_.placement.affinity;
  return std::all_of(terms.begin(), terms.end(), [&](const auto& term) { return term.weight != 0 || Selects(term, pod_, other); });
}

void OtherPods::CountSpread(const model::SpreadConstraint& constraint) {
  Spread spread{&constraint, {}, 0, constraint.selector.Matches(pod_.placement.labels)};
  for (const NodePtr& node : snapshot_.nodes) {
    const std::string_view* value = node->node->Label(constraint.topology_key);
    if (value == nullptr || (constraint.required && !HasAllKeys(pod_, *node->node)) || !Counts(constraint, pod_, *node->node)) continue;
    int64_t& count = spread.domains[*value];
    for (const PodPtr& other : node->pods) {
      if (!other->deleting && other->key != pod_.key && other->pod.name_space == pod_.pod.name_space &&
          constraint.selector.Matches(other->placement.labels)) {
        ++count;
      }
    }
  }
  if (!spread.domains.empty() && static_cast<int64_t>(spread.domains.size()) >= constraint.min_domains) {
    spread.least = std::min_element(spread.domains.begin(), spread.domains.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->second;
  }
  spread_.push_back(std::move(spread));
}

void OtherPods::CountTerm(const model::PodTerm& term, bool is_affinity) {
  Term counted{&term, is_affinity, {}};
  const bool together = is_affinity && term.weight == 0;
  for (const NodePtr& node : snapshot_.nodes) {
    const std::string_view* value = node->node->Label(term.topology_key);
    if (value == nullptr) continue;
    for (const PodPtr& other : node->pods) {
      if (other->key == pod_.key || !(together ? MatchesAffinity(*other) : Selects(term, pod_, *other))) continue;
      ++counted.domains[*value];
      any_matches_ = any_matches_ || together;
    }
  }
  terms_.push_back(std::move(counted));
}

std::optional<NodeReason> OtherPods::WhyNot(const Node& node) const {
  using Kind = NodeReason::Kind;
  const auto about = [](Kind kind, std::string_view key, const std::string_view* value) {
    return NodeReason{.kind = kind, .key = std::string(key), .value = std::string(value == nullptr ? "" : *value)};
  };
  for (const Spread& spread : spread_) {
    if (!spread.constraint->required) continue;
    const std::string_view key = spread.constraint->topology_key;
    const std::string_view* value = node.node->Label(key);
    if (value == nullptr) return about(Kind::kSpreadLabelMissing, key, value);
    const int64_t skew = CountIn(spread.domains, value) + (spread.matches_self ? 1 : 0) - spread.least;
    if (skew <= spread.constraint->max_skew) continue;
    NodeReason reason = about(Kind::kSpread, key, value);
    reason.count = skew;
    reason.limit = spread.constraint->max_skew;
    return reason;
  }
  for (const Term& term : terms_) {
    if (term.term->weight != 0) continue;
    const std::string_view key = term.term->topology_key;
    const std::string_view* value = node.node->Label(key);
    const bool there = CountIn(term.domains, value) > 0;
    if (!term.is_affinity) {
      if (there) return about(Kind::kAntiAffinity, key, value);
      continue;
    }
    // The first Pod of a group with affinity to itself may start anywhere.
    if (value != nullptr && (there || (!any_matches_ && self_matches_))) continue;
    return about(value == nullptr ? Kind::kAffinityLabelMissing : Kind::kAffinity, key, value);
  }
  for (const auto& [key, pods] : against_) {
    const std::string_view* value = node.node->Label(key);
    const auto pod = value == nullptr ? pods.end() : pods.find(*value);
    if (pod == pods.end()) continue;
    NodeReason reason = about(Kind::kUnwanted, key, value);
    reason.pod = pod->second;
    return reason;
  }
  return std::nullopt;
}

int64_t OtherPods::Points(const Node& node) const {
  int64_t points = 0;
  for (const Spread& spread : spread_) {
    if (spread.constraint->required) continue;
    points -= 10 * CountIn(spread.domains, node.node->Label(spread.constraint->topology_key));
  }
  for (const Term& term : terms_) {
    const int64_t pods = CountIn(term.domains, node.node->Label(term.term->topology_key));
    points += (term.is_affinity ? 1 : -1) * term.term->weight * pods;  // of what must hold, 0
  }
  return points;
}

}  // namespace allot::sched
