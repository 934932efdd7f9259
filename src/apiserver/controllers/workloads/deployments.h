#pragma once
// The controller of Deployments. Makes one ReplicaSet per template and moves the Pods to the latest one step by step.

#include <string>

#include "apiserver/controllers/workloads/deployment_plan.h"
#include "apiserver/controllers/workloads/deployment_status.h"
#include "apiserver/controllers/workloads/owned.h"

namespace allot::apiserver {

class Deployments final : public OwningController {
 public:
  explicit Deployments(World& world) : OwningController(world, "deployment-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  Result<Rollout> Look(Stored deployment);
  // Takes one step towards what is asked for.
  Status Advance(Rollout& rollout);
  Status Roll(Rollout& rollout);
  Status Recreate(Rollout& rollout);
  Status ScaleAll(Rollout& rollout);
  Status CleanUp(const Rollout& rollout);
  bool HasPods(const Stored& set) const;

  // Makes the ReplicaSet of the Deployment's template, or updates the existing one.
  Status HaveCurrent(Rollout& rollout);
  Status MakeCurrent(Rollout& rollout, int64_t revision);
  Status KeepCurrent(Rollout& rollout, int64_t revision);
  Status CountCollision(const Stored& deployment);

  // Sets the size of a set and records what the Deployment asked for, so that a later scaling is recognized.
  Status Resize(const RolloutPlan& plan, const Stored& set, int64_t replicas);
  Result<Again> WriteStatus(const Rollout& rollout);
};

// Returns a name part for a template. It is always the same for one template; `collisions` changes it.
std::string TemplateHash(const json::Value& pod_template, int64_t collisions);

}  // namespace allot::apiserver
