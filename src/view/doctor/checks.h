#pragma once
// The checks of `allot doctor`: whether a cluster is ready for allot. Each adds what it found, good or bad.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"
#include "view/cluster.h"
#include "view/devices.h"
#include "view/doctor/finding.h"
#include "view/listing.h"

namespace allot::view {

// GPUs that a node offers, and how many of them are shared.
struct OfferedGpus {
  size_t gpus = 0, shared = 0;
};

// What several checks look at, read once.
struct ClusterFacts {
  int minor = 0;  // of Kubernetes 1.x; 0: not known
  Listing nodes, slices, claims, classes;
  Listing daemon_sets, agents;  // of the chart; agents are Pods that are not being deleted
  Listing nvidias_sets;         // of NVIDIA's own chart, listed where our chart is not installed
  Release release;              // of the first DaemonSet; the usual one where there is none
  Listing pending, events;      // Pods that do not run, and failed preparations
  std::vector<Device> devices;
  std::vector<LeftOut> left_out;               // slices and claims that cannot be read
  std::map<std::string, OfferedGpus> offered;  // by node, including GPUs without memory
};

// All checks, in the order in which they are printed. Agents are looked for in the namespace, or in all where it is empty.
Findings Examine(kube::Client& client, std::string_view namespace_name);

Release ReleaseOf(const kube::Object& daemon_set);
void ReadCluster(kube::Client& client, std::string_view namespace_name, ClusterFacts& facts);

// False: no server answers, so the other checks make no sense.
bool CheckServer(kube::Client& client, ClusterFacts& facts, Findings& findings);
// False: the server has no claims and slices.
bool CheckResourceApi(kube::Client& client, Findings& findings);
// Which fields the API server keeps, seen by dry runs.
void CheckGates(kube::Client& client, const ClusterFacts& facts, Findings& findings);
void CheckClass(const ClusterFacts& facts, Findings& findings);
// The DaemonSets: whether our chart installed them, and whether they have their Pods.
void CheckSets(const ClusterFacts& facts, Findings& findings);
// Nodes without an agent.
void CheckBareNodes(const ClusterFacts& facts, Findings& findings);
// The agents' Pods: whether they are ready, and if not, what their logs say.
void CheckAgents(kube::Client& client, const ClusterFacts& facts, Findings& findings);
// What the agents' service accounts may do.
void CheckPermissions(kube::Client& client, const ClusterFacts& facts, Findings& findings);
// The nodes' GPUs, container runtimes and faults, and device plugins that offer the same GPUs.
void CheckNodes(const ClusterFacts& facts, Findings& findings);
// Pods that do not start because of their devices.
void CheckPods(kube::Client& client, const ClusterFacts& facts, Findings& findings);
// Claims on devices that are gone or over-committed.
void CheckClaims(const ClusterFacts& facts, Findings& findings);

// A list, or another request, that was refused.
Finding NotSeen(Finding::Check check, std::string_view verb, std::string_view resource, const Status& status);

// A Pod that holds a GPU, or a share of it.
struct GpuHold {
  std::string namespace_name, pod, claim;
  std::optional<int64_t> mib;  // nullopt: the whole GPU
  std::string pool, device;

  auto operator<=>(const GpuHold&) const = default;
};
// All of them, sorted. Lists claims only, which is all that the chart's hook may do.
Result<std::vector<GpuHold>> GpuHolds(kube::Client& client);

}  // namespace allot::view
