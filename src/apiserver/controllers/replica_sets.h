#pragma once
// ReplicaSets: as many Pods of a template as they ask for.

#include "apiserver/controllers/owned.h"

namespace allot::apiserver {

class ReplicaSets final : public OwningController {
 public:
  explicit ReplicaSets(World& world) : OwningController(world, "replicaset-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  Status Scale(const Stored& set, const std::vector<Stored>& active);
  Status AddPods(const Stored& set, int64_t count);
  Status RemovePods(const std::vector<Stored>& active, size_t count);
  // Writes the status; returns when a Pod that is ready becomes available.
  Result<Again> WriteStatus(const Stored& set, const std::vector<Stored>& active, const Status& scaled);
};

// The Pods to delete first come first: those that do the least good. What is young is less loved than what is old.
std::vector<const Stored*> LeastUsefulFirst(const std::vector<Stored>& pods);

}  // namespace allot::apiserver
