#pragma once
// The taints of a Node follow its conditions and whether it is cordoned: not-ready, unreachable, the pressures, unschedulable.
//
// A Node that never said it is ready counts as not ready. Taints of others are left alone.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Nodes final : public Controller {
 public:
  explicit Nodes(World& world) : Controller(world, "node-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
