#pragma once
// Pods that nobody else would remove: those of Nodes that are gone, those deleted before they had a Node, and the oldest of too many that
// have ended.
//
// A Node may come back, or be announced after its Pods were bound: its Pods stay for 40 seconds after it was first missed.

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
  // All of them at once, every 20 seconds: the key says nothing.
  Result<Again> Reconcile(const Key& key) override;

 private:
  struct Survey;
  Survey LookAround();
  Status MarkLost(const Stored& pod);

  const size_t most_ended_;
  bool looks_ = false;                           // Reconcile comes by itself
  std::map<std::string, MonotonicTime> missed_;  // Nodes that Pods are bound to and that are not there, and since when
};

}  // namespace allot::apiserver
