#pragma once
// What an explanation looks at: the cluster's objects, as far as the caller may list them, and the scheduler's picture made of them.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube/client.h"
#include "kube/object.h"
#include "sched/cluster.h"
#include "view/cluster.h"
#include "view/listing.h"
#include "view/note.h"

namespace allot::view {

// The name of allot's scheduler on other APIs than its own.
inline constexpr std::string_view kOwnScheduler = "allot";

struct World : Lists {
  // By "namespace/name": the templates that claims of the Pods in question are made from. Where one does not exist, the other templates of
  // its namespace.
  std::map<std::string, kube::ObjectPtr> templates;
  // The events of the Pods in question, by "namespace/name", the newest last.
  std::map<std::string, std::vector<kube::ObjectPtr>> events;
  // The API is allot's own, so its scheduler decides for every Pod.
  bool own_api = false;
  alloc::Features features = alloc::Features::Defaults();  // of the API server
  std::vector<Note> notes;

  // nullptr: there is no such Pod.
  const kube::Object* FindPod(std::string_view key) const;
  // Whether it is known which devices there are, and what of them is free.
  bool SeesDevices() const { return slices.ok() && classes.ok() && claims.ok(); }
  // Whether allot's scheduler decides for the Pod.
  bool IsOurs(const sched::Pod& pod) const;
  // The schedulers whose Pods are in allot's queue; empty: all.
  std::set<std::string, std::less<>> OurSchedulers() const;
};

// Asks the API. A list that is forbidden becomes a note; Pods and claims are then those of `namespaces` alone. Any other failure is an
// error.
Result<World> GatherWorld(kube::Client& client, const std::set<std::string>& namespaces);
// Adds what only this Pod needs: the templates of its claims, and its events.
void GatherDetails(kube::Client& client, std::string_view pod_key, World& world);

// An object that cannot be read becomes a note. kube-scheduler makes the claim for amounts of a resource only when it has found a node;
// such a Pod gets that claim here.
sched::Cluster ClusterOf(World& world);

}  // namespace allot::view
