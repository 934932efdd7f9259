#pragma once
// The parts of a Pod that matter to sharing.

#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "model/claim.h"

namespace allot::model {

// spec.resourceClaims[]: which claim a Pod uses, by name or made from a template.
struct PodClaim {
  std::string_view name;
  std::optional<std::string_view> claim_name;
  std::optional<std::string_view> template_name;
};

struct Container {
  std::string_view name;
  std::vector<NamedQuantity> limits;  // sorted by name
  struct ClaimUse {
    std::string_view name;
    std::string_view request;  // empty: all requests of the claim
  };
  std::vector<ClaimUse> claims;
};

struct Pod {
  std::string_view name, name_space, uid;
  std::string_view node_name;  // empty: not bound yet
  std::string_view phase;
  std::vector<PodClaim> claims;
  std::vector<Container> init_containers, containers;
  // status.resourceClaimStatuses: the claim that was made for an entry of `claims`.
  std::vector<std::pair<std::string_view, std::string_view>> generated_claims;
  // status.extendedResourceClaimStatus: the claim for amounts that device classes stand for (`nvidia.com/gpu: 1`); empty: none was made.
  std::string_view extended_claim;

  static Result<Pod> Read(const json::Value& object);
};

}  // namespace allot::model
