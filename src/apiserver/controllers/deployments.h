#pragma once
// Deployments: a ReplicaSet for each template that they had, of which the latest gets the Pods, step by step.

#include <string>

#include "apiserver/controllers/deployment_plan.h"
#include "apiserver/controllers/deployment_status.h"
#include "apiserver/controllers/owned.h"

namespace allot::apiserver {

class Deployments final : public OwningController {
 public:
  explicit Deployments(World& world) : OwningController(world, "deployment-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  Result<Rollout> Look(Stored deployment);
  // One step towards what is asked for.
  Status Advance(Rollout& rollout);
  Status Roll(Rollout& rollout);
  Status Recreate(Rollout& rollout);
  Status ScaleAll(Rollout& rollout);
  Status CleanUp(const Rollout& rollout);
  bool HasPods(const Stored& set) const;

  // Makes the ReplicaSet of the Deployment's template, or brings the one that there is up to date.
  Status HaveCurrent(Rollout& rollout);
  Status MakeCurrent(Rollout& rollout, int64_t revision);
  Status KeepCurrent(Rollout& rollout, int64_t revision);
  Status CountCollision(const Stored& deployment);

  // The size of a set, and with it what the Deployment asks for, so that a later scaling is recognized.
  Status Resize(const RolloutPlan& plan, const Stored& set, int64_t replicas);
  Result<Again> WriteStatus(const Rollout& rollout);
};

// A name for a template, the same for the same template; `collisions` makes another one.
std::string TemplateHash(const json::Value& pod_template, int64_t collisions);

}  // namespace allot::apiserver
