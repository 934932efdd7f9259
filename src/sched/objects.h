#pragma once
// The objects of the API as the scheduler holds them: read once, immutable, shared. Each keeps the document that its text is in.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dialect/extended_resources.h"
#include "json/value.h"
#include "model/claim.h"
#include "model/device.h"
#include "model/node.h"
#include "model/placement.h"
#include "model/pod.h"
#include "sched/obstacle.h"

namespace allot::sched {

// "namespace/name"
std::string KeyOf(std::string_view name_space, std::string_view name);

struct Pod {
  json::DocumentPtr document;
  std::string key;
  model::Pod pod;
  model::Placement placement;
  std::string_view created;      // metadata.creationTimestamp
  bool ended = false;            // Succeeded or Failed: it holds nothing
  bool deleting = false;         // has a deletionTimestamp; it holds its devices until it is gone
  std::optional<Volume> volume;  // the first that may be on some nodes only; nullopt: none
  // Pods of the same shape fit on the same nodes, apart from their labels and claims.
  std::string shape;

  // The root of the document is the object.
  static Result<std::shared_ptr<const Pod>> Read(json::DocumentPtr document);
};
using PodPtr = std::shared_ptr<const Pod>;

struct Claim {
  json::DocumentPtr document;
  std::string key;
  model::ResourceClaim claim;
  std::string owner;           // the name of the Pod that the claim was made for; empty: none
  std::string_view created;    // metadata.creationTimestamp
  std::string_view allocated;  // status.allocation.allocationTimestamp; empty: the writer did not set it
  bool deleting = false;
  uint64_t version = 0;  // metadata.resourceVersion as a number, which grows with every write; 0: not known
  std::string shape;     // of its requests

  static Result<std::shared_ptr<const Claim>> Read(json::DocumentPtr document);
};
using ClaimPtr = std::shared_ptr<const Claim>;

// What a Pod needs, with its claims at hand.
struct PodWithClaims {
  PodPtr pod;
  std::vector<ClaimPtr> claims;  // in the order of the Pod's
  // Why the Pod is blocked: a claim is missing, or belongs to another Pod. Scheduling gates are not here: the Pod itself has them.
  Obstacle obstacle{};
  // Resources of its containers that still need a claim, with the classes that stand for them. Not empty: the missing claim is the
  // obstacle.
  dialect::ResourceClasses to_claim{};

  std::string Shape() const;
};
// Whether the claim is one of the Pod's.
bool Has(const PodWithClaims& asking, const Claim& claim);

}  // namespace allot::sched
