#pragma once
// Ensures that every namespace has the ServiceAccount `default`.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class ServiceAccounts final : public Controller {
 public:
  explicit ServiceAccounts(World& world) : Controller(world, "service-account-controller") {}

  void Notice(const Sight& sight) override;
  // `key` is a namespace.
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
