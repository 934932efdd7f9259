#pragma once
// Removes Pods that nothing else removes: Pods of missing Nodes, Pods deleted before they had a Node, and the oldest of too many ended
// Pods.
//
// A Node may come back, or be registered after Pods were bound to it, so its Pods stay for 40 seconds after it was first missed.

#include <map>
#include <string>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class PodGarbage final : public Controller {
 public:
  static constexpr size_t kMostEnded = 12'500;

  explicit PodGarbage(World& world, size_t most_ended = kMostEnded) : Controller(world, "pod-garbage-collector"), most_ended_(most_ended) {}

  void Notice(const Sight& sight) override;
  void Forget() override { looks_ = false; }
  // Handles all Pods at once, every 20 seconds. Ignores the key.
  Result<Again> Reconcile(const Key& key) override;

 private:
  struct Survey;
  Survey LookAround();
  Status MarkLost(const Stored& pod);

  const size_t most_ended_;
  bool looks_ = false;                           // a key is already scheduled
  std::map<std::string, MonotonicTime> missed_;  // missing Nodes that Pods are bound to, and since when
};

}  // namespace allot::apiserver
