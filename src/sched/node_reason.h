#pragma once
// Why a node does not fit a Pod, as a value: a kind and its facts. sched/words.h turns it into a sentence, sched/reason_json.h into JSON.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alloc/reasons.h"

namespace allot::sched {

// Each kind lists the members that it sets beside `node`. All others are empty.
struct NodeReason {
  enum class Kind {
    kNone,            // the node fits
    kNamesOtherNode,  // wanted: the node that the Pod names
    kCordoned,
    kTainted,               // taint
    kLabelMissing,          // key, wanted: nodeSelector asks for the label
    kLabelDiffers,          // key, value, wanted: the same
    kNodeAffinity,          // key, op, values where the affinity is a single requirement
    kHostPort,              // port, protocol, pod: the Pod that has it
    kPodLimit,              // count: Pods that run, limit
    kNoResource,            // key
    kResource,              // key, asked, free, whole
    kClaimElsewhere,        // claim: it is allocated on another node
    kDevicesUnknown,        // detail
    kTooManyCombinations,   // the search for devices gave up
    kNoDevices,             // devices: what is asked for, and pools that are incomplete or invalid
    kDevices,               // devices
    kSeveralDevices,        // devices, asked, fit_alone, differ: the Pod asks for several devices or shares of a kind
    kSpreadLabelMissing,    // key: of a topology spread constraint
    kSpread,                // key, value, count: the skew, limit: maxSkew
    kAntiAffinity,          // key, value: the domain that has a Pod to avoid
    kAffinityLabelMissing,  // key
    kAffinity,              // key, value: the domain that has no Pod to join
    kUnwanted,              // pod, key, value: that Pod's anti-affinity keeps this one out of the domain
    kKept,                  // pod: the node has room, which is kept for that Pod, ahead of this one
  };

  Kind kind = Kind::kNone;
  std::string node{};
  std::string key{}, value{}, wanted{};  // of a label or a resource
  std::string op{};
  std::vector<std::string> values{};
  alloc::Reason::Taint taint{};
  int32_t port = 0;
  std::string protocol{};
  std::string pod{}, claim{};              // "namespace/name"
  int64_t asked = 0, free = 0, whole = 0;  // CPU in thousandths, memory in bytes, others in units
  int64_t count = 0, limit = 0;            // of Pods
  std::string detail{};
  alloc::Reasons devices{};
  size_t fit_alone = 0;  // how many of the devices, or shares, would fit, each by itself
  bool differ = false;   // each on another device

  bool operator==(const NodeReason&) const = default;
};
using NodeReasonPtr = std::shared_ptr<const NodeReason>;

}  // namespace allot::sched
