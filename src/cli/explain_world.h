#pragma once
// What `allot explain` looks at: the cluster's objects, as far as the caller may list them, and the scheduler's picture made of them.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/listing.h"
#include "cli/session.h"
#include "kube/object.h"
#include "sched/cluster.h"

namespace allot::cli {

struct ExplainWorld {
  Listing pods, nodes, namespaces, claims, slices, classes;
  // By "namespace/name": templates that claims of the Pods in question are to be made from, and where one is missing, the others of its
  // namespace. One that is asked for and not here does not exist.
  std::map<std::string, kube::ObjectPtr> templates;
  // Of the Pods in question, by "namespace/name", the newest last.
  std::map<std::string, std::vector<kube::ObjectPtr>> events;
  // The API is allot's own, whose scheduler decides for every Pod.
  bool own_api = false;
  // What could not be seen, and what that means for the answer.
  std::vector<std::string> notes;

  // nullptr: not there.
  const kube::Object* FindPod(std::string_view key) const;
  // Whether devices, and what of them is free, can be told.
  bool SeesDevices() const { return slices.ok() && classes.ok() && claims.ok(); }
};

// Asks the API. What is forbidden is left out with a note; Pods and claims are then those of these namespaces alone. Any other error is
// one.
Result<ExplainWorld> GatherWorld(Session& session, const std::set<std::string>& namespaces);
// Adds what only these Pods need: the templates of their claims, and their events.
void GatherDetails(Session& session, std::string_view pod_key, ExplainWorld& world);

// An object that cannot be read is left out, with a note. Who asks kube-scheduler for devices as amounts of a resource, and waits, has the
// claim for them that is made when there is a place.
sched::Cluster ClusterOf(ExplainWorld& world);

}  // namespace allot::cli
