#pragma once
// Releases ResourceClaims that are not in use any more. Removes the reservations of Pods that are gone or done, then the allocation, then
// the finalizer that protects it. Deletes a claim that was made for such a Pod.
//
// Promises:
//   1. a reservation is removed only if its Pod is gone, was replaced by another of the same name, or will not run any more;
//   2. an allocation is removed only together with the last reservation, or if the claim is being deleted and has none;
//   3. the finalizer is removed only after the allocation.

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class ClaimRelease final : public Controller {
 public:
  explicit ClaimRelease(World& world) : Controller(world, "resource-claim-controller") {}

  void Notice(const Sight& sight) override;
  void Forget() override { users_.Clear(); }
  // `key` is a claim.
  Result<Again> Reconcile(const Key& key) override;

 private:
  bool IsUsed(const std::string& space, const json::Value& reservation) const;
  Status DropReservations(const Stored& claim);
  Status DropFinalizer(const Stored& claim);
  Status DeleteIfPodIsDone(const Stored& claim);

  Referrers users_;  // the claims that refer to a Pod, by reservation or as owner
};

}  // namespace allot::apiserver
