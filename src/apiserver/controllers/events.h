#pragma once
// Deletes Events one hour after they were last written.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Events final : public Controller {
 public:
  explicit Events(World& world) : Controller(world, "event-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
