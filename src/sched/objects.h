#pragma once
// The objects of the API as the scheduler holds them: read once, immutable, shared.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "model/claim.h"
#include "model/device.h"
#include "model/node.h"
#include "model/placement.h"
#include "model/pod.h"

namespace allot::sched {

// Whatever the views of an object look into: its document.
using Kept = std::shared_ptr<const void>;

// "namespace/name"
std::string KeyOf(std::string_view name_space, std::string_view name);

struct Pod {
  Kept kept;
  std::string key;
  model::Pod pod;
  model::Placement placement;
  std::string_view created;  // metadata.creationTimestamp
  bool ended = false;        // Succeeded or Failed: it takes nothing
  bool deleting = false;     // on its way out, and takes what it has until then
  std::string volume;        // the first one that has to be placed: "data is PersistentVolumeClaim models"; empty: none
  // Pods of the same shape have the same answer on every node, as far as their labels and claims do not matter.
  std::string shape;

  static Result<std::shared_ptr<const Pod>> Read(const json::Value& object, Kept kept);
};
using PodPtr = std::shared_ptr<const Pod>;

struct Claim {
  Kept kept;
  std::string key;
  model::ResourceClaim claim;
  std::string owner;  // the name of the Pod that it was made for; empty: it was not
  bool deleting = false;
  uint64_t version = 0;  // metadata.resourceVersion as a number, which grows with every write; 0: not known
  std::string shape;     // of what it asks for

  static Result<std::shared_ptr<const Claim>> Read(const json::Value& object, Kept kept);
};
using ClaimPtr = std::shared_ptr<const Claim>;

// What a Pod needs, with its claims at hand.
struct Request {
  PodPtr pod;
  std::vector<ClaimPtr> claims;  // in the order of the Pod's
  // Why it cannot be decided yet, whatever the nodes have: a claim is missing, or is somebody else's. Empty: it can.
  std::string obstacle{};
  // Resources of its containers that device classes stand for, with the classes, where a claim for them is still to be made. That is the
  // obstacle then.
  std::map<std::string, std::string, std::less<>> to_claim{};

  std::string Shape() const;
};
// Whether the claim is one of the request's.
bool Has(const Request& request, const Claim& claim);

}  // namespace allot::sched
