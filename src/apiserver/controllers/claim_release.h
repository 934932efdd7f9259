#pragma once
// Claims that are not used any more: reservations of Pods that are gone or done are removed, then the allocation, then the finalizer that
// protects it; a claim that was made for such a Pod is deleted.
//
// Promises:
//   1. a reservation goes only when its Pod is gone, was replaced by another of its name, or will not run any more;
//   2. an allocation goes only together with the last reservation, or when the claim is being deleted and has none;
//   3. the finalizer goes only after the allocation.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class ClaimRelease final : public Controller {
 public:
  explicit ClaimRelease(World& world) : Controller(world, "resource-claim-controller") {}

  void Notice(const Sight& sight) override;
  void Forget() override { users_.Clear(); }
  // Of a claim.
  Result<Again> Reconcile(const Key& key) override;

 private:
  bool IsUsed(const std::string& space, const json::Value& reservation) const;
  Status DropReservations(const Stored& claim);
  Status DropFinalizer(const Stored& claim);
  Status DeleteIfPodIsDone(const Stored& claim);

  Referrers users_;  // the claims that name a Pod: in reservations, or as owner
};

}  // namespace allot::apiserver
