#include "view/status.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "control/server_features.h"
#include "view/cluster.h"

namespace allot::view {
namespace {

constexpr size_t kMostReasons = 50;  // Pods to find a reason for; more would fill no screen

bool IsBlind(const StatusLists& lists) { return IsForbidden(lists.slices.status) && IsForbidden(lists.waiting.claims.status); }

void SetMissing(const Listing& slices, const sched::Cluster& cluster, Overview& overview) {
  if (!overview.devices.empty() || (!slices.ok() && !IsMissing(slices.status))) return;
  std::set<std::string> drivers;
  for (const sched::SlicePtr& one : cluster.Slices()) drivers.emplace(one->slice.driver);
  overview.drivers.assign(drivers.begin(), drivers.end());
  using Missing = Overview::Missing;
  overview.missing = IsMissing(slices.status) ? Missing::kNotServed : drivers.empty() ? Missing::kNoSlices : Missing::kNoMemory;
}

Status KeepNodes(const std::vector<std::string>& nodes, Overview& overview) {
  for (const std::string& node : nodes) {
    const bool known =
        std::any_of(overview.devices.begin(), overview.devices.end(), [&](const Device& device) { return device.node == node; });
    if (!known)
      return NotFound("node ", Quoted(node),
                      " has no devices with memory; `allot status` lists the nodes that have, `allot doctor` says why");
  }
  if (nodes.empty()) return Status();
  const auto is_other = [&](const std::string& node) { return std::find(nodes.begin(), nodes.end(), node) == nodes.end(); };
  std::erase_if(overview.devices, [&](const Device& device) { return is_other(device.node); });
  std::erase_if(overview.waiting, [&](const WaitingEntry& waiting) { return is_other(waiting.pod.node); });
  return Status();
}

// Adds why Pods without a node wait, as far as claims and nodes tell. Running Pods are not listed, so only a Pod that does not fit is
// certain.
void AddReasons(const StatusLists& lists, std::vector<WaitingEntry>& waiting) {
  World world;
  world.pods = lists.waiting.pods;
  world.claims = lists.waiting.claims;
  world.classes = lists.waiting.classes;
  world.slices = lists.slices;
  world.nodes = lists.nodes;
  world.features = lists.features;
  if (!world.SeesDevices() || !world.nodes.ok() || waiting.empty()) return;
  std::vector<std::string> keys;
  for (const auto& [pod, brief] : waiting) {
    if (pod.node.empty() && keys.size() < kMostReasons) keys.push_back(StrCat(pod.namespace_name, "/", pod.name));
  }
  const std::map<std::string, Brief> briefs = WhyTheyWait(ClusterOf(world), keys);
  for (auto& [pod, brief] : waiting) {
    const auto found = briefs.find(StrCat(pod.namespace_name, "/", pod.name));
    if (found != briefs.end()) brief = found->second;
  }
}

}  // namespace

StatusLists ListForStatus(kube::Client& client) {
  StatusLists lists;
  lists.slices = ListAll(client, kube::types::kResourceSlices);
  lists.waiting.claims = ListAll(client, kube::types::kResourceClaims);
  if (IsBlind(lists)) return lists;
  lists.waiting.pods = PendingPods(client);
  lists.waiting.classes = ListAll(client, kube::types::kDeviceClasses);
  lists.waiting.events = FailedPreparations(client, lists.waiting.pods);
  lists.nodes = ListAll(client, kube::types::kNodes);
  if (lists.waiting.pods.objects.empty()) return lists;  // features matter only for reasons
  if (const Result<alloc::Features> features = control::AskFeatures(client, {}); features.ok()) lists.features = *features;
  return lists;
}

Result<Overview> OverviewOf(kube::Client& client, const StatusLists& lists, const std::vector<std::string>& nodes) {
  const WaitingLists& waiting = lists.waiting;
  if (IsBlind(lists)) return lists.slices.status;
  Overview overview;
  Lists objects;
  objects.slices = lists.slices;
  objects.claims = waiting.claims;
  std::vector<LeftOut> left_out;
  const sched::Cluster cluster = ClusterOf(objects, left_out);
  Notice(std::move(left_out), overview.notes);
  overview.devices = WithMemory(DevicesOf(cluster, StatesOf(lists.nodes), {lists.slices.ok(), waiting.claims.ok()}));
  SetMissing(lists.slices, cluster, overview);
  if (!IsMissing(lists.slices.status)) {
    TRY(Notice(lists.slices, Note::List::kSlices, overview.notes));
    TRY(Notice(waiting.claims, Note::List::kClaims, overview.notes));
    TRY(Notice(waiting.classes, Note::List::kClasses, overview.notes));
  }
  TRY(Notice(lists.nodes, Note::List::kNodes, overview.notes));
  TRY(Notice(waiting.pods, Note::List::kPods, overview.notes));
  TRY(Notice(waiting.events, Note::List::kEvents, overview.notes));
  const auto get_template = [&](std::string_view name_space, std::string_view name) {
    return client.Get(kube::types::kResourceClaimTemplates, name_space, name);
  };
  for (WaitingPod& pod : WaitingPods(waiting, get_template)) overview.waiting.push_back({std::move(pod), std::nullopt});
  AddReasons(lists, overview.waiting);
  TRY(KeepNodes(nodes, overview));
  return overview;
}

}  // namespace allot::view
