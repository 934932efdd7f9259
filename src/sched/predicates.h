#pragma once
// What keeps a Pod from a node, but for its claims: one function for each rule, which says in words why, or nothing.
//
// The rules are those of Kubernetes 1.36's default plugins, but for volumes: where a PersistentVolumeClaim can be is not looked at, and
// the queue holds Pods back that have one (WhyNotVolumes); and for a Pod whose resources are being changed in place: it counts with what
// its spec asks for, where Kubernetes takes the most of spec and status. Local rules look at the node alone; the others at the whole
// cluster, so that their answer changes with any Pod.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "sched/snapshot.h"

namespace allot::sched {

// Empty: the node will do. kInvalid: the Pod's own rules make no sense.
Result<std::string> WhyNotHere(const Pod& pod, const Node& node);
// The same of what stays though every other Pod ends: cordons, taints, the Pod's own choice, and amounts that the whole node has not.
Result<std::string> WhyNotWhenEmpty(const Pod& pod, const model::Node& node);
// An amount of a resource for people: "64" CPUs, "500m", "2048 MiB".
std::string AmountText(std::string_view name, int64_t amount);
// Of a Pod with volumes that this scheduler cannot place; empty: it has none.
std::string WhyNotVolumes(const Pod& pod);
// Whether it depends on Pods elsewhere where it may be: topology spread, affinity and anti-affinity that must hold, not such as it prefers.
bool LooksAtOthers(const Pod& pod);

// The rules about other Pods: topology spread, affinity and anti-affinity. Made once for a Pod and a snapshot, then asked for each node.
class OtherPods {
 public:
  // Both must outlive it.
  OtherPods(const Pod& pod, const Snapshot& snapshot);

  std::string WhyNot(const Node& node) const;
  // What the Pod would rather have, in points: more is better.
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
    bool near = true;
    Domains domains;
  };

  void CountSpread(const model::SpreadConstraint& constraint);
  void CountTerm(const model::PodTerm& term, bool near);
  // Of the required terms of the Pod's affinity: Kubernetes counts a Pod only where it matches all of them.
  bool MatchesAllNear(const Pod& other) const;
  bool Selects(const model::PodTerm& term, const Pod& owner, const Pod& other) const;

  const Pod& pod_;
  const Snapshot& snapshot_;
  std::vector<Spread> spread_;
  std::vector<Term> terms_;
  bool any_near_ = false;   // a Pod that matches all required terms is somewhere
  bool self_near_ = false;  // the Pod itself would
  // By key and value of a domain: a Pod there that wants none like this one in it.
  std::map<std::string_view, std::unordered_map<std::string_view, std::string_view>> against_;
};

// What the Pod would rather have of the node itself, in points: more is better.
int64_t NodePoints(const Pod& pod, const Node& node);

}  // namespace allot::sched
