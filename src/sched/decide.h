#pragma once
// The decision: which node and which devices for one Pod, or one reason for each node.
//
// Pure: the same snapshot and request have the same answer, but for the IDs of shares.
// Among the nodes that will do: what the Pod prefers counts first (its own preferences, then taints that would rather keep it away), then
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
#include "sched/predicates.h"
#include "sched/snapshot.h"

namespace allot::sched {

enum class Strategy {
  kPack,    // the node and device on which the least is left over: large free parts stay whole for large requests
  kSpread,  // where the most is left
};

// Why one node will not do.
struct Refusal {
  std::string node;
  std::string text;        // "is cordoned (unschedulable)"; of claims: the summary, without the node's name
  alloc::Reasons devices;  // of claims: device by device
  // Of a Pod that asks for several devices, or shares, of a kind: how many, and how many would do, each by itself. 0: it does not.
  size_t asked = 0, would_do = 0;
  std::string kept_for{};  // the Pod ("namespace/name") ahead of this one, for which its room is kept; empty: that is not the reason
};

struct Decision {
  enum class Outcome {
    kPlaced,
    kWaits,  // no node will do now; `refusals` say why
    kHeld,   // nothing is decided: scheduling gates, or what Request::obstacle has; `why` says so
  };
  Outcome outcome = Outcome::kWaits;
  std::string node;                                      // of kPlaced
  std::vector<model::Allocation> allocations;            // one for each claim of the request that had none, in order
  std::vector<Refusal> refusals;                         // one for each node, by name; empty where nobody wanted to know
  std::map<std::string, std::string, std::less<>> kept;  // of kWaits: nodes that have room, and the Pods that they are kept for
  std::string why;                                       // of kHeld
};

// "0/3 nodes will do: n2, n3: has no devices; n1: 1 device asked, and the only one of node n1 does not fit (gpu-0: 6144 MiB asked, ...)"
std::string Summary(const Decision& decision);

struct DecideOptions {
  Strategy strategy = Strategy::kPack;
  bool explain = true;  // with refusals
  // For whom ("namespace/name") the node is to be kept; empty: it may be used, with the allocations as they are then. Asked last.
  std::function<std::string(const Node& node, std::vector<model::Allocation>& allocations)> veto;
};

class Decider {
 public:
  // Both must outlive it.
  Decider(cel::Cache& selectors, Random& random);
  ~Decider();

  // An error: the question cannot be decided (a selector that fails, a rule that makes no sense), and names the field.
  // Remembers what it found out about nodes: asking for like Pods again costs only the nodes that changed. Not thread-safe.
  Result<Decision> Decide(const Snapshot& snapshot, const Request& request, const DecideOptions& options = {});

  // What Decide would have told of a decision to wait that it made with explain = false, on the same snapshot or one in which later Pods
  // are placed too. Of many that wait, the refusals of all nodes are large: whoever needs them one by one asks for them one by one.
  Result<std::vector<Refusal>> RefusalsOf(const Snapshot& snapshot, const Request& request, const Decision& decision,
                                          Strategy strategy = Strategy::kPack);
  // Summary, of the same.
  Result<std::string> WhyWaits(const Snapshot& snapshot, const Request& request, const Decision& decision,
                               Strategy strategy = Strategy::kPack);

  // Decide, for a question that does not come again: nothing is remembered, no refusals are told.
  Result<Decision> DecideOnce(const Snapshot& snapshot, const Request& request, Strategy strategy = Strategy::kPack);

  // The allocations on this node, with all others as the snapshot has them; nothing: it does not fit there. Nothing is remembered.
  Result<std::optional<std::vector<model::Allocation>>> DecideOn(const Snapshot& snapshot, const NodePtr& node, const Request& request,
                                                                 Strategy strategy = Strategy::kPack);

  // Whether waiting can help on this node: it would fit if no other Pod were there, nor anywhere else. What its own claims have, stays.
  Result<bool> FitsWhenEmpty(const Snapshot& snapshot, const Node& node, const Request& request);

  // Whether no node has the devices and amounts for it, even if nobody else were there and nothing kept it away: taints, cordons, its own
  // choice of nodes, rules about other Pods.
  // Nobody says so while the devices of a node are not all known, or took too long to try.
  Result<bool> NeverFits(const Snapshot& snapshot, const Request& request);

 private:
  enum class Fit { kYes, kNo, kUnknown };
  using RefusalPtr = std::shared_ptr<const Refusal>;  // that like Pods share
  struct Verdict {
    uint64_t serial = 0;  // of the node of which this was found out; 0: nothing was
    bool fits = false;
    double cost = 0;
    int64_t points = 0;
    RefusalPtr refusal;  // null: nobody has asked
  };
  struct Memory {
    std::shared_ptr<const Classes> classes;
    std::vector<Verdict> verdicts;  // in the order of the snapshot's nodes
    uint64_t used = 0;              // when, by clock_
  };

  Result<Decision> Choose(const Snapshot& snapshot, const Request& request, const DecideOptions& options, std::vector<Verdict>& known);
  Result<std::vector<RefusalPtr>> Refuse(const Snapshot& snapshot, const Request& request, const Decision& decision, Strategy strategy,
                                         std::vector<Verdict>& known);
  static std::vector<Refusal> CopyOf(const std::vector<RefusalPtr>& refusals, const Request& request);
  // `none` where nothing is to be remembered.
  std::vector<Verdict>& Known(const Snapshot& snapshot, const Request& request, Strategy strategy, std::vector<Verdict>& none);
  // Finds it out where the node is not the one that it is about.
  Status Update(Verdict& verdict, const Snapshot& snapshot, const Request& request, const NodePtr& node, Strategy strategy);
  Memory& Recall(const Snapshot& snapshot, const Request& request, Strategy strategy);
  Result<Verdict> Judge(const Snapshot& snapshot, const Request& request, const NodePtr& node, Strategy strategy);
  Result<alloc::Answer> Allocate(const Snapshot& snapshot, const Request& request, const Node& node, const alloc::Ledger& ledger,
                                 Strategy strategy, bool explain);
  Result<Fit> FitWhenEmpty(const Snapshot& snapshot, const Node& node, const Request& request);
  // Without the rules about other Pods.
  Result<Refusal> Explain(const Snapshot& snapshot, const Request& request, const Node& node);
  // False: it does not ask for several, or they would do one by one.
  Result<bool> ExplainSeveral(const Snapshot& snapshot, const Request& request, const Node& node, Refusal& refusal);

  cel::Cache& selectors_;
  Random& random_;
  const std::unique_ptr<const alloc::Preference> pack_, spread_;
  std::unordered_map<std::string, Memory> memories_;
  uint64_t clock_ = 0;
};

}  // namespace allot::sched
