#pragma once
// The one thing that explains a Pod's state best, as a value.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sched/node_reason.h"
#include "sched/obstacle.h"

namespace allot::view {

// Each kind lists the members that it sets; all others are empty.
struct Headline {
  enum class Kind {
    // The Pod waits, or can never start. Where `some_nodes` is set, the other nodes do not fit for reasons that are not about devices.
    kNoNodes,
    kNoNodeFits,    // count: that many nodes, for different reasons
    kNode,          // reason, names: the nodes that have it
    kTooLarge,      // asked, most: MiB of one GPU that the Pod asks for, and of the largest GPU
    kTooFew,        // several, fit, one_node, only_room: fewer devices or shares fit than the Pod asks for
    kNeverEnough,   // several, fit, one_node: the same if all other Pods ended
    kNotTogether,   // devices fit by themselves, but not together with the rest of the Pod's claims
    kNoMatch,       // some_nodes: no device matches the selectors
    kAllTaken,      // among, some_nodes: devices are taken whole
    kAllTainted,    // among, some_nodes
    kTooLittle,     // among, some_nodes, asked, most: MiB asked, and the most that a device has free; without `asked`, a whole GPU
    kNoDeviceFits,  // some_nodes

    // The Pod is blocked.
    kObstacle,         // obstacle, nearest
    kTemplateMissing,  // obstacle, nearest
    kClaimNotMade,     // obstacle: the template exists

    // Nothing can be decided.
    kUnreadable,
    kClaimsNotSeen,
    kClassesNotSeen,   // resource: a class may stand for it
    kTwoKindsOfNodes,  // resource: some nodes have it by a device plugin, others as devices
    kError,            // error
    kClassMissing,     // device_class, request, claim, nearest

    kFits,     // node, names: the devices
    kPlaced,   // node
    kEnded,    // phase, error: the message of the Pod's status
    kDeleted,  // it was deleted before it had a node
  };
  // The devices that kAllTaken, kAllTainted and kTooLittle are about.
  enum class Among { kAll, kMatching, kUntainted, kSuitable };
  struct Several {
    int64_t count = 0, mib = 0;  // mib of each; 0: whole GPUs
    bool differ = false;         // each on another device

    bool operator==(const Several&) const = default;
  };

  Kind kind = Kind::kUnreadable;
  Among among = Among::kAll;
  bool some_nodes = false;
  size_t count = 0;
  Several several{};
  size_t fit = 0;          // on the node where the most fit
  bool one_node = false;   // there is only one node with devices
  bool only_room = false;  // room is all that is missing
  std::optional<int64_t> asked{};
  int64_t most = 0;
  std::vector<std::string> names{};
  std::optional<sched::NodeReason> reason{};
  sched::Obstacle obstacle{};
  std::string nearest{};  // a name that was probably meant; empty: no name is near
  std::string node{}, resource{}, device_class{}, request{}, claim{}, phase{}, error{};
};

}  // namespace allot::view
