#pragma once
// The decision: which node and which devices for one Pod, or one reason for each node.
//
// Pure: the same snapshot and Pod have the same answer, except for the IDs of shares.
// Among the nodes that fit: what the Pod prefers counts first (its own preferences, then PreferNoSchedule taints of the node), then
// how well it packs (or spreads), then the name.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "alloc/allocator.h"
#include "base/random.h"
#include "cel/cache.h"
#include "sched/node_reason.h"
#include "sched/predicates.h"
#include "sched/snapshot.h"

namespace allot::sched {

enum class Strategy {
  kPack,    // the node and device on which the least is left over: large free parts stay whole for large requests
  kSpread,  // where the most is left
};

struct Decision {
  enum class Outcome {
    kPlaced,
    kWaits,    // no node fits now; `reasons` say why
    kBlocked,  // nothing is decided, because of `obstacle`
  };
  Outcome outcome = Outcome::kWaits;
  std::string node;                                      // of kPlaced
  std::vector<model::Allocation> allocations;            // one for each claim of the Pod that had none, in order
  std::vector<NodeReason> reasons;                       // one for each node, by name; empty unless asked for
  std::map<std::string, std::string, std::less<>> kept;  // of kWaits: nodes that have room, and the Pods that they are kept for
  Obstacle obstacle;                                     // of kBlocked
};

struct DecideOptions {
  Strategy strategy = Strategy::kPack;
  bool explain = true;  // with reasons
  // The Pod ("namespace/name") that the node is kept for; empty: the node may be used, with the allocations as changed. Called last.
  std::function<std::string(const Node& node, std::vector<model::Allocation>& allocations)> veto;
};

class Decider {
 public:
  // Both must outlive it.
  Decider(cel::Cache& selectors, Random& random);
  ~Decider();

  // An error: the question cannot be decided (a selector that fails, a rule that makes no sense), and names the field.
  // Remembers the verdicts about nodes: asking again for Pods of the same shape costs only the changed nodes. Not thread-safe.
  Result<Decision> Decide(const Snapshot& snapshot, const PodWithClaims& asking, const DecideOptions& options = {});

  // The reasons that Decide left out with explain = false, for a decision to wait on the same snapshot or on one in which later Pods are
  // placed too. The reasons of all nodes for many Pods are large, so a caller asks for one Pod at a time.
  Result<std::vector<NodeReason>> ReasonsOf(const Snapshot& snapshot, const PodWithClaims& asking, const Decision& decision,
                                            Strategy strategy = Strategy::kPack);
  // The same without copies. Pods of one shape share them, so they may name the only claim of another Pod.
  Result<std::vector<NodeReasonPtr>> SharedReasonsOf(const Snapshot& snapshot, const PodWithClaims& asking, const Decision& decision,
                                                     Strategy strategy = Strategy::kPack);

  // Decide, for a question that does not come again: nothing is remembered, no reasons are told.
  Result<Decision> DecideOnce(const Snapshot& snapshot, const PodWithClaims& asking, Strategy strategy = Strategy::kPack);

  // The allocations on this node, with all others as the snapshot has them; nothing: it does not fit there. Nothing is remembered.
  Result<std::optional<std::vector<model::Allocation>>> DecideOn(const Snapshot& snapshot, const NodePtr& node, const PodWithClaims& asking,
                                                                 Strategy strategy = Strategy::kPack);

  // Whether waiting can help on this node: the Pod would fit if no other Pod were in the cluster. Its own claims keep their devices.
  Result<bool> FitsWhenEmpty(const Snapshot& snapshot, const Node& node, const PodWithClaims& asking);

  // Whether no node has the devices and amounts for the Pod, even without other Pods, taints, cordons, node selectors and rules about other
  // Pods.
  // False while the devices of some node are not all known, or took too long to try.
  Result<bool> NeverFits(const Snapshot& snapshot, const PodWithClaims& asking);
  // Why such a Pod does not fit: one reason for each node. Like NeverFits, it leaves out other Pods and the rules. Nothing is remembered.
  Result<std::vector<NodeReason>> WhyNever(const Snapshot& snapshot, const PodWithClaims& asking);

 private:
  enum class Fit { kYes, kNo, kUnknown };
  struct Verdict {
    uint64_t serial = 0;  // of the node that this is about; 0: nothing is known
    bool fits = false;
    double cost = 0;
    int64_t points = 0;
    NodeReasonPtr reason;  // null: not computed yet. Pods of the same shape share it.
  };
  struct Memory {
    std::shared_ptr<const Classes> classes;
    std::vector<Verdict> verdicts;  // in the order of the snapshot's nodes
    uint64_t used = 0;              // when, by clock_
  };

  Result<Decision> Choose(const Snapshot& snapshot, const PodWithClaims& asking, const DecideOptions& options, std::vector<Verdict>& known);
  Result<std::vector<NodeReasonPtr>> FindReasons(const Snapshot& snapshot, const PodWithClaims& asking, const Decision& decision,
                                                 Strategy strategy, std::vector<Verdict>& known);
  static std::vector<NodeReason> CopyOf(const std::vector<NodeReasonPtr>& reasons, const PodWithClaims& asking);
  // Returns `none` if nothing is to be remembered.
  std::vector<Verdict>& Known(const Snapshot& snapshot, const PodWithClaims& asking, Strategy strategy, std::vector<Verdict>& none);
  // Computes the verdict unless it is about this state of the node.
  Status Update(Verdict& verdict, const Snapshot& snapshot, const PodWithClaims& asking, const NodePtr& node, Strategy strategy);
  Memory& Recall(const Snapshot& snapshot, const PodWithClaims& asking, Strategy strategy);
  Result<Verdict> Judge(const Snapshot& snapshot, const PodWithClaims& asking, const NodePtr& node, Strategy strategy);
  Result<alloc::Answer> Allocate(const Snapshot& snapshot, const PodWithClaims& asking, const Node& node, const alloc::Ledger& ledger,
                                 Strategy strategy, bool explain);
  Result<Fit> FitWhenEmpty(const Snapshot& snapshot, const Node& node, const PodWithClaims& asking);
  // Without the rules about other Pods.
  Result<NodeReason> Explain(const Snapshot& snapshot, const PodWithClaims& asking, const Node& node);
  // Sets `reason` and returns true if the Pod asks for several devices of a kind and too few fit, each by itself.
  Result<bool> ExplainSeveral(const Snapshot& snapshot, const PodWithClaims& asking, const Node& node, NodeReason& reason);

  cel::Cache& selectors_;
  Random& random_;
  const std::unique_ptr<const alloc::Preference> pack_, spread_;
  std::unordered_map<std::string, Memory> memories_;
  uint64_t clock_ = 0;
};

}  // namespace allot::sched
