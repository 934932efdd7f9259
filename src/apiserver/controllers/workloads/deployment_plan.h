#pragma once
// Computes how many replicas each ReplicaSet of a Deployment should have. Numbers only, no objects.

#include <cstdint>
#include <optional>
#include <vector>

#include "json/value.h"

namespace allot::apiserver {

// What the Deployment asks for.
struct RolloutPlan {
  int64_t replicas = 1;
  int64_t surge = 0;        // Pods above `replicas` during a rollout
  int64_t unavailable = 0;  // Pods below `replicas` during a rollout
  bool rolling = true;      // false: delete all old Pods first

  int64_t most() const { return replicas + surge; }
  int64_t least_available() const { return replicas - unavailable; }
};
RolloutPlan PlanOf(const json::Value& deployment);

// The size of a ReplicaSet.
struct SetSize {
  int64_t replicas = 0;                // in its spec
  int64_t available = 0;               // in its status
  std::optional<int64_t> most_before;  // the Deployment's max-replicas when the set was last sized
};

// Returns the new set's size for the next step: as large as the surge allows, at most what is asked for.
int64_t NextSize(const RolloutPlan& plan, const SetSize& current, const std::vector<SetSize>& old);

// Returns the old sets' sizes for the next step, oldest first: as small as availability allows. Unavailable Pods go first.
std::vector<int64_t> NextOldSizes(const RolloutPlan& plan, const SetSize& current, const std::vector<SetSize>& old);

// Returns the sizes of the sets, all of which have replicas, after the Deployment was scaled during a rollout. Each grows or shrinks in
// proportion; the first takes the rest from rounding. `replicas_now` comes from the Deployment's status.
std::vector<int64_t> ProportionalSizes(const RolloutPlan& plan, const std::vector<SetSize>& sets, int64_t replicas_now);

}  // namespace allot::apiserver
