#pragma once
// Every namespace has a ServiceAccount called default, which comes back when it is deleted.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class ServiceAccounts final : public Controller {
 public:
  explicit ServiceAccounts(World& world) : Controller(world, "service-account-controller") {}

  void Notice(const Sight& sight) override;
  // Of a namespace.
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
