#pragma once
// The rules that keep a Pod off a node, except those about its claims. Each function returns the reason, or nullopt.
//
// The rules are those of Kubernetes 1.36's default plugins, with two exceptions. Volumes are not looked at: the queue holds Pods back
// that have a PersistentVolumeClaim (VolumeObstacle). A Pod whose resources are being changed in place counts with the requests of its
// spec, where Kubernetes takes the larger of spec and status. Local rules look at the node alone. The others look at the whole cluster, so
// their answer changes with any Pod.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "sched/node_reason.h"
#include "sched/snapshot.h"

namespace allot::sched {

// The reasons below have no node name. kInvalid: the Pod's own rules make no sense.
Result<std::optional<NodeReason>> WhyNotHere(const Pod& pod, const Node& node);
// Leaves out what would change if every other Pod ended: looks at cordons, taints, the Pod's own choice, and the node's whole amounts.
Result<std::optional<NodeReason>> WhyNotWhenEmpty(const Pod& pod, const model::Node& node);
// A volume of the Pod that this scheduler cannot place; empty: the Pod has none.
Obstacle VolumeObstacle(const Pod& pod);
// Whether Pods on other nodes decide where it may be: required topology spread, affinity and anti-affinity, not preferred ones.
bool LooksAtOthers(const Pod& pod);

// The rules about other Pods: topology spread, affinity and anti-affinity. Made once for a Pod and a snapshot, then asked for each node.
class OtherPods {
 public:
  // Both must outlive it.
  OtherPods(const Pod& pod, const Snapshot& snapshot);

  std::optional<NodeReason> WhyNot(const Node& node) const;
  // How well the node meets the Pod's preferences about other Pods. More is better.
  int64_t Points(const Node& node) const;
  // Nothing to ask.
  bool empty() const { return spread_.empty() && terms_.empty() && against_.empty(); }

 private:
  // How many Pods there are in each domain: "zone=a".
  using Domains = std::unordered_map<std::string_view, int64_t>;
  struct Spread {
    const model::SpreadConstraint* constraint;
    Domains domains;
    int64_t least = 0;
    bool matches_self = false;
  };
  struct Term {
    const model::PodTerm* term;
    bool is_affinity = true;
    Domains domains;
  };

  void CountSpread(const model::SpreadConstraint& constraint);
  void CountTerm(const model::PodTerm& term, bool is_affinity);
  // Whether the other Pod matches every required term of the Pod's affinity. Kubernetes counts only such Pods.
  bool MatchesAffinity(const Pod& other) const;
  bool Selects(const model::PodTerm& term, const Pod& owner, const Pod& other) const;

  const Pod& pod_;
  const Snapshot& snapshot_;
  std::vector<Spread> spread_;
  std::vector<Term> terms_;
  bool any_matches_ = false;   // some Pod in the cluster matches all required terms of the affinity
  bool self_matches_ = false;  // the Pod itself matches them
  // By key and value of a domain: a Pod there whose anti-affinity forbids this Pod.
  std::map<std::string_view, std::unordered_map<std::string_view, std::string_view>> against_;
};

// How well the node itself meets the Pod's preferences. More is better.
int64_t NodePoints(const Pod& pod, const Node& node);

}  // namespace allot::sched
