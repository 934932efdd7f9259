#include "cli/status/facts.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/describe/description.h"
#include "view/cluster.h"
#include "view/explain/answer.h"

namespace allot::cli {
namespace {

constexpr size_t kMostReasons = 50;  // Pods that are asked for; more fill no screen

// Notes what we may not see. What else goes wrong is an error.
Status Notice(const Listing& listing, std::string_view kind, std::string_view without, StatusFacts& facts) {
  if (listing.ok()) return Status();
  if (!IsForbidden(listing.status) && !IsMissing(listing.status)) return listing.status;
  facts.not_seen.push_back(
      StrCat(kind, IsForbidden(listing.status) ? ", as you may not list them: " : ", as the server has none: ", without));
  return Status();
}

std::string MissingText(const Listing& slices) {
  if (IsMissing(slices.status)) return "this cluster does not serve resource.k8s.io/v1 (Kubernetes 1.34 and later do)";
  if (slices.objects.empty()) return "no driver offers devices: there are no ResourceSlices";
  std::set<std::string> drivers;
  for (const kube::ObjectPtr& slice : slices.objects) drivers.emplace(Text(slice->json()["spec"]["driver"]));
  return StrCat("there are devices of ", Join({drivers.begin(), drivers.end()}, ", "), ", but none with memory to share");
}

// Leaves the nodes that are named. kNotFound for one without devices.
Status KeepNodes(const std::vector<std::string>& nodes, StatusFacts& facts) {
  for (const std::string& node : nodes) {
    const bool known = std::any_of(facts.devices.begin(), facts.devices.end(), [&](const auto& device) { return device.node == node; });
    if (!known)
      return NotFound("node ", Quoted(node), " has no devices with memory; `allot status` lists those that have, `allot doctor` says why");
  }
  if (nodes.empty()) return Status();
  const auto other = [&](const std::string& node) { return std::find(nodes.begin(), nodes.end(), node) == nodes.end(); };
  std::erase_if(facts.devices, [&](const view::Device& device) { return other(device.node); });
  std::erase_if(facts.waiting, [&](const WaitingEntry& waiting) { return other(waiting.pod.node); });
  return Status();
}

// Adds why Pods without a node wait, as far as claims and nodes tell. Running Pods are not listed, so only refusals are certain.
void AddReasons(const StatusLists& lists, std::vector<WaitingEntry>& waiting) {
  view::World world;
  world.pods = lists.waiting.pods;
  world.claims = lists.waiting.claims;
  world.classes = lists.waiting.classes;
  world.slices = lists.slices;
  world.nodes = lists.nodes;
  if (!world.SeesDevices() || !world.nodes.ok() || waiting.empty()) return;
  std::vector<std::string> keys;
  for (const auto& [pod, brief] : waiting) {
    if (pod.node.empty() && keys.size() < kMostReasons) keys.push_back(StrCat(pod.namespace_name, "/", pod.name));
  }
  const std::map<std::string, view::Brief> briefs = view::WhyTheyWait(view::ClusterOf(world), keys);
  for (auto& [pod, brief] : waiting) {
    const auto found = briefs.find(StrCat(pod.namespace_name, "/", pod.name));
    if (found != briefs.end()) brief = found->second;
  }
}

}  // namespace

StatusLists ListForStatus(Session& session) {
  StatusLists lists;
  lists.slices = ListAll(session, kube::types::kResourceSlices);
  lists.waiting.claims = ListAll(session, kube::types::kResourceClaims);
  if (IsForbidden(lists.slices.status) && IsForbidden(lists.waiting.claims.status)) return lists;
  lists.waiting.pods = view::PendingPods(session.client());
  lists.waiting.classes = ListAll(session, kube::types::kDeviceClasses);
  lists.waiting.events = view::FailedPreparations(session.client(), lists.waiting.pods);
  lists.nodes = ListAll(session, kube::types::kNodes);
  return lists;
}

Result<StatusFacts> FactsOf(Session& session, const StatusLists& lists, const std::vector<std::string>& nodes) {
  StatusFacts facts;
  const view::WaitingLists& waiting = lists.waiting;
  if (IsForbidden(lists.slices.status) && IsForbidden(waiting.claims.status)) return lists.slices.status;
  view::Lists cluster;
  cluster.slices = lists.slices;
  cluster.claims = waiting.claims;
  std::vector<view::LeftOut> left_out;
  facts.devices = view::WithMemory(
      view::DevicesOf(view::ClusterOf(cluster, left_out), view::StatesOf(lists.nodes), {lists.slices.ok(), waiting.claims.ok()}));
  for (const view::LeftOut& one : left_out) facts.not_seen.push_back(StrCat(one.kind, " ", one.key, ", which cannot be read: ", one.why));
  if (facts.devices.empty() && (lists.slices.ok() || IsMissing(lists.slices.status))) facts.missing = MissingText(lists.slices);
  if (!IsMissing(lists.slices.status)) {
    TRY(Notice(lists.slices, "slices", "only what is held is shown", facts));
    TRY(Notice(waiting.claims, "claims", "who holds what is not known", facts));
    TRY(Notice(waiting.classes, "classes", "Pods that ask by an extended resource are left out", facts));
  }
  TRY(Notice(lists.nodes, "nodes", "it is not known whether they are ready", facts));
  TRY(Notice(waiting.pods, "Pods", "it is not known who waits", facts));
  TRY(Notice(waiting.events, "events", "it is not known whose devices could not be prepared", facts));
  const auto get_template = [&](std::string_view name_space, std::string_view name) {
    return session.client().Get(kube::types::kResourceClaimTemplates, name_space, name);
  };
  for (view::WaitingPod& pod : view::WaitingPods(waiting, get_template)) facts.waiting.push_back({std::move(pod), std::nullopt});
  AddReasons(lists, facts.waiting);
  TRY(KeepNodes(nodes, facts));
  return facts;
}

}  // namespace allot::cli
