#pragma once
// The controller of ReplicaSets: keeps the requested number of Pods.

#include "apiserver/controllers/workloads/owned.h"

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
  // Writes the status. Returns when the next ready Pod becomes available.
  Result<Again> WriteStatus(const Stored& set, const std::vector<Stored>& active, const Status& scaled);
};

// Returns the Pods in the order of deletion: the least useful first. Of two equally useful Pods the younger comes first.
std::vector<const Stored*> LeastUsefulFirst(const std::vector<Stored>& pods);

}  // namespace allot::apiserver
