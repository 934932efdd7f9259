#pragma once
// A Pod's rules about where it may run: the fields that a scheduler reads, except its claims (pod.h).
//
// Text is viewed, not copied. Nothing is defaulted: the API server has done that.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "model/claim.h"
#include "model/label_selector.h"
#include "model/node.h"

namespace allot::model {

// Whole amounts of resources by name, sorted: "cpu" in thousandths, everything else in its own unit.
using Amounts = std::vector<std::pair<std::string_view, int64_t>>;

int64_t AmountOf(const Amounts& amounts, std::string_view name);  // 0: not there
void AddAmounts(Amounts& to, const Amounts& more);
Amounts ReadAmounts(const Reader& parent, std::string_view key);

struct HostPort {
  int64_t port = 0;
  std::string_view protocol, ip;  // "" and "0.0.0.0": every address

  bool Collides(const HostPort& other) const;
};

struct PreferredNode {
  int64_t weight = 0;
  NodeSelectorTerm term;
};

// A term of podAffinity or podAntiAffinity.
struct PodTerm {
  LabelSelector selector;
  std::string_view topology_key;
  std::vector<std::string_view> namespaces;  // if empty, and without a namespace_selector: the Pod's own
  LabelSelector namespace_selector;
  int64_t weight = 0;  // 0: required
};

struct SpreadConstraint {
  int64_t max_skew = 1;
  int64_t min_domains = 1;
  std::string_view topology_key;
  bool required = true;  // DoNotSchedule
  LabelSelector selector;
  bool honor_affinity = true, honor_taints = false;
};

struct Placement {
  Labels labels;  // the Pod's
  int64_t priority = 0;
  std::string_view scheduler;
  std::vector<std::string_view> gates;
  Labels node_selector;
  std::optional<NodeSelector> required_nodes;
  std::vector<PreferredNode> preferred_nodes;
  std::vector<PodTerm> affinity, anti_affinity;  // to other Pods
  std::vector<Toleration> tolerations;
  std::vector<SpreadConstraint> spread;
  std::vector<HostPort> ports;
  Amounts requests;  // of the whole Pod, with its overhead, without `claimed`
  Amounts claimed;   // amounts that a claim was made for (Pod::extended_claim): no node has to have them

  static Result<Placement> Read(const json::Value& pod);
};

}  // namespace allot::model
