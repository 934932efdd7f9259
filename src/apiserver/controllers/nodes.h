#pragma once
// Keeps a Node's taints in step with its conditions and with cordoning: not-ready, unreachable, the pressures, unschedulable.
//
// A Node that never reported ready counts as not ready. Other taints are left alone.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Nodes final : public Controller {
 public:
  explicit Nodes(World& world) : Controller(world, "node-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
