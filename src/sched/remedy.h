#pragma once
// What would let a waiting Pod start: changes that were tried, each by itself, on a snapshot that has them.

#include <optional>
#include <string>
#include <vector>

#include "sched/decide.h"

namespace allot::sched {

struct Remedy {
  enum class Kind {
    kLess,    // the Pod asks for less
    kAllow,   // the Pod, or an admin, lifts a rule: a taint, a cordon, a label
    kEnding,  // other Pods end
    kNode,    // one more node
  };
  Kind kind = Kind::kLess;
  std::string text;  // "2048 MiB less (16384 instead of 18432)", "lab/train-2 ending", "a node with a free 24 GiB GPU"
  std::string node;  // where the Pod would start then
};

// MiB of the largest device that there is; 0: none has memory.
int64_t LargestDevice(const Snapshot& snapshot);

// The decision, where the Pod would start; nothing: it would not.
std::optional<Decision> PlaceOf(Decider& decider, const Snapshot& snapshot, const Request& request);

// Cheapest first: asking for less, lifting a rule, waiting for others, buying hardware. With each of them, Decide places the Pod. Empty
// where none of the changes that are tried helps.
std::vector<Remedy> FindRemedies(Decider& decider, const Snapshot& snapshot, const Request& request);

}  // namespace allot::sched
