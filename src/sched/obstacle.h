#pragma once
// Why a Pod is blocked, as a value: the scheduler does not consider the Pod on any node while this lasts. sched/words.h has the sentence.

#include <cstddef>
#include <string>
#include <vector>

namespace allot::sched {

// A Pod's volume that may be on some nodes only.
struct Volume {
  std::string name;   // in the Pod's spec.volumes
  std::string claim;  // the name of the PersistentVolumeClaim; empty: an ephemeral one, which is made for the Pod
};

// Each kind lists the members that it sets. All others are empty.
struct Obstacle {
  enum class Kind {
    kNone,
    kGates,            // gates
    kClaimNotMade,     // entry, name_space, source: the claim is not made from its template yet
    kResourceNotMade,  // resource: the claim for an amount of it is not made yet
    kClaimMissing,     // claim
    kClaimOfOther,     // claim: it has the name of the Pod's own claim, but another owner
    kClaimDeleting,    // claim
    kClaimFull,        // claim, users: no more Pods can use it
    kVolume,           // volume: allot's scheduler does not place volumes
  };
  Kind kind = Kind::kNone;
  std::vector<std::string> gates{};
  std::string entry{};       // the name in the Pod's spec.resourceClaims
  std::string name_space{};  // of the Pod
  std::string source{};      // the name of the template
  std::string resource{};    // "nvidia.com/gpu"
  std::string claim{};       // "namespace/name"
  size_t users = 0;
  Volume volume{};

  bool empty() const { return kind == Kind::kNone; }
};

}  // namespace allot::sched
