#pragma once
// The claims of a Pod, checked and laid out for the search: what is asked for, in the order in which it is looked for.

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "alloc/allocator.h"
#include "alloc/compat.h"
#include "alloc/inventory.h"
#include "alloc/ledger.h"
#include "alloc/matcher.h"
#include "base/status.h"
#include "model/claim.h"

namespace allot::alloc {

// One request of a claim, or one alternative of a request.
struct Ask {
  uint32_t claim = 0;
  uint32_t position = 0;  // of its request in CheckedClaims::requests
  uint32_t request = 0;   // number of the first request of the claim with its name
  const model::DeviceRequest* spec = nullptr;
  const model::Request* parent = nullptr;  // of an alternative
  const model::DeviceClass* device_class = nullptr;
  bool all = false;                   // mode All; ExactCount otherwise
  bool admin = false;                 // admin access
  int64_t count = 0;                  // devices needed
  std::vector<uint32_t> all_devices;  // of mode All: which
  uint32_t group = 0;                 // of the Matcher
  uint32_t capacity_group = 0;        // asks with equal capacity requests have the same

  std::string_view RequestName() const { return parent != nullptr ? parent->name : spec->name; }
  std::string_view SubName() const { return parent != nullptr ? spec->name : std::string_view(); }
  // "gpu" or "gpu/large"
  std::string FullName() const;
};

struct CheckedRequest {
  uint32_t first_ask = 0, end_ask = 0;  // one, or as many as there are alternatives
  bool has_alternatives = false;
};

struct CheckedClaim {
  const model::ResourceClaim* claim = nullptr;
  uint32_t first_request = 0, end_request = 0;
};

struct CheckedClaims {
  explicit CheckedClaims(std::pmr::memory_resource& arena) : claims(&arena), requests(&arena), asks(&arena) {}

  std::pmr::vector<CheckedClaim> claims;
  std::pmr::vector<CheckedRequest> requests;  // of all claims
  std::pmr::vector<Ask> asks;                 // of all requests

  std::span<const CheckedRequest> RequestsOf(const CheckedClaim& claim) const {
    return std::span(requests).subspan(claim.first_request, claim.end_request - claim.first_request);
  }
};

// Errors as Kubernetes gives them, in its order. `arena` must outlive the result.
Result<CheckedClaims> CheckClaims(std::span<const model::ResourceClaim* const> claims, const Classes& classes, const Inventory& inventory,
                                  const Ledger& ledger, const Features& features, Matcher& matcher, std::pmr::memory_resource& arena);

}  // namespace allot::alloc
