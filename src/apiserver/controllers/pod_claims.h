#pragma once
// Makes a ResourceClaim for each Pod that names a ResourceClaimTemplate, and writes its name into the Pod's status.
//
// A claim made for a Pod is found again by its owner and its pod-claim-name annotation, so an interruption never leads to a second claim.
// This controller also reserves claims for a Pod that was bound without the scheduler.

#include <string>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class PodClaims final : public Controller {
 public:
  explicit PodClaims(World& world) : Controller(world, "resource-claim-controller") {}

  void Notice(const Sight& sight) override;
  // `key` is a Pod.
  Result<Again> Reconcile(const Key& key) override;

 private:
  // Returns the name of the claim for an entry of spec.resourceClaims, and makes the claim if needed. Empty if the template does not exist
  // yet.
  Result<std::string> ClaimFor(const Stored& pod, const json::Value& wanted);
  // Returns the claim made for the entry, or nullopt.
  std::optional<std::string> FindClaim(const Stored& pod, std::string_view wanted) const;
  Result<std::string> MakeClaim(const Stored& pod, const json::Value& wanted, const Stored& claim_template);
  Status WriteNames(const Stored& pod, const std::vector<std::pair<std::string, std::string>>& names);
  Status Reserve(const Stored& pod, const std::string& claim);
};

}  // namespace allot::apiserver
