#pragma once
// The scheduler's picture of a cluster, made of lists of the API. All views are computed from it, so they agree with the scheduler on what
// is offered, held and free.

#include <string>
#include <vector>

#include "sched/cluster.h"
#include "view/listing.h"

namespace allot::view {

// The lists that a caller read. A list that the caller did not ask for stays empty.
struct Lists {
  Listing nodes, slices, classes, namespaces, claims, pods;
};

// An object that could not be read, and is missing in the picture.
struct LeftOut {
  std::string kind;  // "node", "slice", "class", "namespace", "claim" or "Pod"
  std::string key;   // "namespace/name", or the name
  std::string why;
};

// Puts all objects into a cluster. Objects that cannot be read are appended to `left_out`.
sched::Cluster ClusterOf(const Lists& lists, std::vector<LeftOut>& left_out);

}  // namespace allot::view
