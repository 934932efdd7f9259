#include "view/cluster.h"

namespace allot::view {
namespace {

using sched::Cluster;
using Put = Status (Cluster::*)(json::DocumentPtr document);

void PutAll(const Listing& listing, std::string_view kind, Put put, Cluster& cluster, std::vector<LeftOut>& left_out) {
  for (const kube::ObjectPtr& object : listing.objects) {
    // The ledger enters claims by their uid, which every object of an API server has.
    const bool lacks_uid = kind == "claim" && object->uid().empty();
    const Status status = lacks_uid ? Invalid("it has no uid") : (cluster.*put)(object);
    if (!status.ok()) left_out.push_back({std::string(kind), kube::KeyOf(*object), status.message()});
  }
}

}  // namespace

Cluster ClusterOf(const Lists& lists, std::vector<LeftOut>& left_out) {
  Cluster cluster;
  PutAll(lists.nodes, "node", &Cluster::PutNode, cluster, left_out);
  PutAll(lists.slices, "slice", &Cluster::PutSlice, cluster, left_out);
  PutAll(lists.classes, "class", &Cluster::PutClass, cluster, left_out);
  PutAll(lists.namespaces, "namespace", &Cluster::PutNamespace, cluster, left_out);
  PutAll(lists.claims, "claim", &Cluster::PutClaim, cluster, left_out);
  PutAll(lists.pods, "Pod", &Cluster::PutPod, cluster, left_out);
  return cluster;
}

}  // namespace allot::view
