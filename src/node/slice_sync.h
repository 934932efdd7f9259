#pragma once
// From the ResourceSlices that a node has to those that it should have: Kubernetes' own algorithm (resourceslice controller 1.36). Pure.
//
// A pool is the slices of one driver on one node; its name is the node's. Promises:
//   1. a pool that is as wanted is left alone, so that a restart writes nothing;
//   2. readers never take half of a change for the whole: more than one slice changes under a new generation, and slices of an older one
//      do not count;
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
  const json::Value& slices;  // a list of lists of devices (offer.h), at least one
};

struct SliceOperation {
  enum class Kind { kDelete, kUpdate, kCreate };
  Kind kind = Kind::kDelete;
  kube::ObjectPtr before;  // to delete (by UID and resourceVersion) or update; null of a new one
  size_t index = 0;        // of the slice in the pool, but of kDelete
  std::string body;        // JSON, but of kDelete
};

struct SyncPlan {
  int64_t generation = 0;                  // of the pool afterwards
  std::vector<SliceOperation> operations;  // in the order in which to do them
};

// `existing`: all slices of the driver on the node, of any pool, in any order. `accept` says of a slice that differs from what is wanted
// that it is as close as it gets; may be empty.
SyncPlan PlanSync(std::vector<kube::ObjectPtr> existing, const DesiredPool& pool,
                  const std::function<bool(const kube::Object&)>& accept = {});

// The same devices to Kubernetes: amounts by their value, taints whenever they were added. Absent is empty.
bool SameDevices(const json::Value& wanted, const json::Value& stored);

// What a server did not store of the devices that it was sent. A server drops the fields of feature gates that are off, without a word.
struct Dropped {
  bool sharing = false;  // allowMultipleAllocations or requestPolicy
  bool taints = false;
  bool other = false;  // something that no gate explains
};
Dropped DroppedFields(const json::Value& sent, const json::Value& stored);

// The JSON of a new slice: number `index` of the pool.
std::string NewSlice(const DesiredPool& pool, size_t index, int64_t generation);

}  // namespace allot::node
