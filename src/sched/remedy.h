#pragma once
// Changes that would let a waiting Pod start. Each was tried, alone, on a copy of the snapshot. sched/words.h has the sentences.

#include <optional>
#include <string>
#include <vector>

#include "model/memory.h"
#include "sched/decide.h"

namespace allot::sched {

struct Remedy {
  // The cheapest first.
  enum class Kind {
    kLess,    // the Pod asks for less
    kAllow,   // the Pod, or an admin, lifts a rule: a taint, a cordon, a label
    kEnding,  // other Pods end
    kNode,    // one more node
  };
  // Each change lists the members that it sets beside `node`. All others are empty.
  enum class Change {
    kLessMemory,     // memory_asked, memory_enough, each, request, alternative, claim, delays_no_pod
    kPartOfGpu,      // memory_enough, each, request, alternative, claim, delays_no_pod: instead of a whole GPU
    kFewerDevices,   // asked, enough: devices or shares, each
    kLessOfNode,     // resource, asked, enough: CPU in thousandths, memory in bytes
    kUncordon,       // target
    kNodeReady,      // target, taints: the node is not ready, and nothing should tolerate that
    kTaintGone,      // target, taints: Kubernetes' own taint, which nothing should tolerate
    kToleration,     // target, taints
    kLabel,          // target, label, value
    kNoSelectors,    // request, claim
    kNoConstraints,  // claim
    kDeviceTaints,   // taints
    kNoNodeAffinity,
    kNoPodAffinity,
    kNoAntiAffinity,
    kNoSpread,
    kNoHostPorts,
    kPodsEnd,          // pods
    kPodStopsWaiting,  // pods: the only one is ahead in the queue
    kMoreNodes,        // gpus
  };
  enum class Each { kNone, kGpu, kShare };
  struct Taint {
    alloc::Reason::Taint taint;
    std::string device;  // empty: the node's
  };

  Change change = Change::kLessMemory;
  std::string node{};                          // where the Pod would start; empty: not known
  std::string target{};                        // the node that is changed
  model::MiB memory_asked{}, memory_enough{};  // of devices: what the Pod asks for, and what would fit now
  int64_t asked = 0, enough = 0;               // the same, of anything else
  Each each = Each::kNone;                     // whether the amount is one of several
  std::string resource{};
  std::string claim{}, request{};  // empty: the Pod has only one
  std::string alternative{};       // of the request; empty: it has none
  std::string label{}, value{};
  std::vector<Taint> taints{};
  std::vector<std::string> pods{};  // "namespace/name"
  std::vector<model::MiB> gpus{};   // the memory of each GPU that the Pod would use; 0: a device without memory
  bool delays_no_pod = false;       // tried with the whole queue: no Pod ahead starts later

  Kind kind() const;
};

// The memory of the largest device; 0: no device has memory.
model::MiB LargestDevice(const Snapshot& snapshot);

// The decision that places the Pod; nullopt: it would not start.
std::optional<Decision> PlaceOf(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking);

// Returns the changes that let Decide place the Pod, the cheapest first.
std::vector<Remedy> FindRemedies(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking);

}  // namespace allot::sched
