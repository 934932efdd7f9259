#pragma once
// How many replicas each ReplicaSet of a Deployment should have: numbers in, numbers out.

#include <cstdint>
#include <optional>
#include <vector>

#include "json/value.h"

namespace allot::apiserver {

// What the Deployment asks for.
struct RolloutPlan {
  int64_t replicas = 1;
  int64_t surge = 0;        // Pods above `replicas` while it rolls
  int64_t unavailable = 0;  // Pods below
  bool rolling = true;      // else all old Pods go first

  int64_t most() const { return replicas + surge; }
  int64_t least_available() const { return replicas - unavailable; }
};
RolloutPlan PlanOf(const json::Value& deployment);

// What a ReplicaSet has.
struct SetSize {
  int64_t replicas = 0;                // as its spec asks
  int64_t available = 0;               // as its status says
  std::optional<int64_t> most_before;  // Pods of the whole Deployment when it was last sized
};

// The new set's size for its next step: up as far as the surge allows, never above what is asked for.
int64_t NextSize(const RolloutPlan& plan, const SetSize& current, const std::vector<SetSize>& old);

// The old sets' sizes for their next step, oldest first: down as far as enough Pods stay available; those that do no good go first.
std::vector<int64_t> NextOldSizes(const RolloutPlan& plan, const SetSize& current, const std::vector<SetSize>& old);

// The sizes of the sets, all of them with replicas, when the Deployment is scaled in the middle of a rollout: each grows or shrinks in
// proportion, and the first takes what rounding leaves. `replicas_now` is of the Deployment's status.
std::vector<int64_t> ProportionalSizes(const RolloutPlan& plan, const std::vector<SetSize>& sets, int64_t replicas_now);

}  // namespace allot::apiserver
