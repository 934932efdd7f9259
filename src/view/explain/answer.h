#pragma once
// Why a Pod is where it is, or why it waits, as values: facts of the cluster at one moment. Pure. cli/explain makes sentences and JSON of
// them.
//
// Nothing is guessed: the scheduler's own code says whether the Pod fits, and tries every change that would let it start.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/cluster.h"
#include "sched/remedy.h"
#include "view/explain/headline.h"
#include "view/explain/world.h"

namespace allot::view {

// One device of a node, and why the Pod does not get it.
struct DeviceRow {
  struct Part {
    std::vector<std::string> pods;  // "namespace/name"; empty: no Pod uses the claim
    std::string claim;              // "namespace/name"
    int64_t mib = 0;
    bool own = false;  // the Pod in question uses the claim

    bool operator==(const Part&) const = default;
  };

  std::string name, model;           // the model may be empty
  std::optional<int64_t> mib, free;  // memory; nullopt: the device has none
  std::vector<Part> held;
  std::optional<alloc::Reason> reason;  // nullopt: the device fits

  bool operator==(const DeviceRow&) const = default;
};

// Nodes that do not fit for the same reason.
struct NodeGroup {
  std::vector<std::string> nodes;
  sched::NodeReason reason;          // without a node
  bool one_of_several = false;       // the Pod has several requests, and the reason is about one of them
  std::vector<DeviceRow> devices{};  // the same on all nodes; empty: the reason is not about devices
  bool when_empty = false;           // the reasons leave out what other Pods hold
};

// One more fact beside the headline. Each kind lists the members that it sets.
struct Detail {
  enum class Kind {
    kContainerWaits,     // name, reason, message: of the container
    kWarning,            // reason, message: the newest warning about a Pod that does not run yet
    kMessage,            // message: status.message of the Pod
    kSchedulerSaid,      // name: the scheduler, reason, message
    kNotLookedAt,        // name: the scheduler
    kOthersStartFirst,   // pods: they are ahead, and can start now
    kKeeperStarts,       // name: the Pod that the room is kept for, pods, node: it starts when these Pods have ended there
    kTurn,               // pods, node, ahead: the Pod starts when these Pods have ended there
    kNodeGone,           // node
    kClaimNotAllocated,  // claim
    kDeviceGone,         // name: the device, claim
    kOptionsUnknown,     // obstacle: other places are not known
    kNowhereToday,       // today the Pod would not be placed
    kHereToday,          // name: the place, left, fits, ours
    kElsewhereToday,     // the same
  };
  Kind kind = Kind::kMessage;
  std::string name{}, reason{}, message{}, node{}, claim{};
  std::vector<std::string> pods{};  // "namespace/name"
  bool ahead = false;               // other Pods are ahead in the queue
  bool ours = false;                // allot's scheduler decides for the Pod
  std::optional<int64_t> left{};    // MiB that would be left of the device
  size_t fits = 0;                  // how many places fit
  sched::Obstacle obstacle{};
};

// What helps a Pod that no scheduler can decide about, beside remedies. Each kind lists the members that it sets.
struct Fix {
  enum class Kind {
    kRemoveGates,    // count
    kAwaitClaim,     // source: the template exists, and the API server makes the claim; own_api
    kAwaitResource,  // scheduler: it makes the claim; ours
    kMakeTemplate,
    kMakeClaim,
    kAwaitDeletion,  // claim
    kRecreatePod,
    kShareLess,  // claim
    kInstallClass,
    kLowerLimits,   // device_class
    kReplaceClaim,  // claim
    kAskByClaim,    // resource: it counts whole GPUs only
    kNoPluginHere,  // resource: nothing offers it
  };
  Kind kind = Kind::kMakeClaim;
  std::string pod{}, name_space{};  // of the Pod
  std::string source{}, scheduler{}, claim{}, device_class{}, resource{};
  size_t count = 0;
  bool own_api = false, ours = false;
};

// Where a placed Pod could be if it were placed today.
struct Option {
  std::string node;
  std::string device;             // empty unless the Pod has exactly one device
  std::optional<int64_t> left{};  // MiB that would be left of the device; nullopt: it has no memory
  bool fits = true;
  bool here = false;  // the Pod is there

  // "n1/gpu-0", or "n1".
  std::string Place() const;

  // Why the Pod does not fit: about the device, else about the node, else an error.
  std::optional<alloc::Reason> reason{};
  std::optional<sched::NodeReason> node_reason{};
  std::string error{};
};

struct Answer {
  enum class State {
    kWaits,      // no node has room now
    kNever,      // no node would have room even if all other Pods ended
    kBlocked,    // no scheduler considers it: a scheduling gate, a missing claim
    kUndecided,  // what it asks for makes no sense, or cannot be seen
    kFits,       // a node has room, and yet the Pod is not placed
    kPlaced,
    kEnded,
  };
  State state = State::kWaits;
  std::string pod;  // "lab/late"
  Headline headline;
  std::vector<Detail> details;

  // The place among the Pods that wait; 0: there is no order, as another scheduler than allot's decides.
  size_t place = 0, waiting = 0;
  std::vector<NodeGroup> groups;  // reasons about devices first
  std::vector<sched::Remedy> remedies;
  std::vector<Fix> fixes;

  // Of kPlaced and kEnded:
  std::string node, phase;
  std::string since;               // when the Pod started; may be empty
  std::vector<DeviceRow> devices;  // that the Pod holds a part of, without reasons
  std::vector<Option> options;     // fitting ones first, then by name

  // Whether a Pod that is ahead in the queue could make use of the remedy first.
  bool IsContested(const sched::Remedy& remedy) const;
};

// REQUIRES that the world has the Pod, and that `cluster` is made of the world.
Answer Explain(const World& world, const sched::Cluster& cluster, std::string_view pod_key);

// Why a Pod waits, without remedies.
struct Brief {
  bool never = false;  // State::kNever, else kWaits
  Headline headline;
};
// By key, for Pods that have no node yet. Pods that fit, or that cannot be decided, are left out.
std::map<std::string, Brief> WhyTheyWait(sched::Cluster cluster, const std::vector<std::string>& pod_keys);

}  // namespace allot::view
