#pragma once
// Plans the writes that turn the ResourceSlices of a node into those that are wanted, with Kubernetes' own algorithm (resourceslice
// controller 1.36). Pure.
//
// A pool is the slices of one driver on one node; its name is the node's. Promises:
//   1. a pool that is as wanted is not written, so that a restart writes nothing;
//   2. readers never mistake half of a change for the whole: if more than one slice changes, the pool gets a new generation, and slices of
//      an older generation do not count;
//   3. a taint that stays keeps the time at which it was added.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "kube/object.h"

namespace allot::node {

struct DesiredPool {
  std::string_view driver, node_name, node_uid;
  const json::Value& slices;  // a list of lists of devices (slices.h), at least one
};

struct SliceOperation {
  enum class Kind { kDelete, kUpdate, kCreate };
  Kind kind = Kind::kDelete;
  kube::ObjectPtr before;  // the slice to delete (by UID and resourceVersion) or update; null for kCreate
  size_t index = 0;        // of the slice in the pool; unused for kDelete
  std::string body;        // JSON; empty for kDelete
};

struct SyncPlan {
  int64_t generation = 0;                  // of the pool after the operations
  std::vector<SliceOperation> operations;  // in their order
};

// `existing` are all slices of the driver on the node, of any pool, in any order. `accept` returns true for a slice that differs from what
// is wanted but cannot be improved; it may be empty.
SyncPlan PlanSync(std::vector<kube::ObjectPtr> existing, const DesiredPool& pool,
                  const std::function<bool(const kube::Object&)>& accept = {});

// Whether Kubernetes takes both lists for the same devices: amounts with the same value are equal, the time of a taint does not matter, and
// an absent field equals an empty one.
bool SameDevices(const json::Value& wanted, const json::Value& stored);

// What a server did not store of the devices that it was sent. A server silently drops fields whose feature gate is off.
struct Dropped {
  bool sharing = false;  // allowMultipleAllocations or requestPolicy
  bool taints = false;
  bool other = false;  // something that no feature gate explains
};
Dropped DroppedFields(const json::Value& sent, const json::Value& stored);

// Returns the JSON of a new slice, number `index` of the pool.
std::string NewSlice(const DesiredPool& pool, size_t index, int64_t generation);

}  // namespace allot::node
