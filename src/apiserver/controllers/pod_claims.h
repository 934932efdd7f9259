#pragma once
// Claims from templates: a Pod that names a template gets a ResourceClaim of its own, and is told its name in its status.
//
// A claim that was made for the Pod is found again by its owner and the annotation with the Pod's name for it, so that none is made twice,
// whatever happened in between. A Pod that was bound without the scheduler gets its reservations here.

#include <string>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class PodClaims final : public Controller {
 public:
  explicit PodClaims(World& world) : Controller(world, "resource-claim-controller") {}

  void Notice(const Sight& sight) override;
  // Of a Pod.
  Result<Again> Reconcile(const Key& key) override;

 private:
  // The name of the claim that stands for an entry of spec.resourceClaims, made if need be. Empty: there is none yet, for want of a
  // template.
  Result<std::string> ClaimFor(const Stored& pod, const json::Value& wanted);
  // The claim that was made for it; nothing: none.
  std::optional<std::string> FindClaim(const Stored& pod, std::string_view wanted) const;
  Result<std::string> MakeClaim(const Stored& pod, const json::Value& wanted, const Stored& claim_template);
  Status WriteNames(const Stored& pod, const std::vector<std::pair<std::string, std::string>>& names);
  Status Reserve(const Stored& pod, const std::string& claim);
};

}  // namespace allot::apiserver
