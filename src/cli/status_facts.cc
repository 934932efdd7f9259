#include "cli/status_facts.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_answer.h"

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
  const auto other = [&](const auto& one) { return std::find(nodes.begin(), nodes.end(), one.node) == nodes.end(); };
  std::erase_if(facts.devices, other);
  std::erase_if(facts.waiting, other);
  return Status();
}

// Why each of those that are nowhere waits, as far as claims and nodes tell: what running Pods take besides is not looked at, so that only
// a "no" counts.
void AddReasons(const StatusLists& lists, std::vector<WaitingPod>& waiting) {
  ExplainWorld world;
  world.pods = lists.waiting.pods;
  world.claims = lists.waiting.claims;
  world.classes = lists.waiting.classes;
  world.slices = lists.slices;
  world.nodes = lists.nodes;
  if (!world.SeesDevices() || !world.nodes.ok() || waiting.empty()) return;
  std::vector<std::string> keys;
  for (const WaitingPod& pod : waiting) {
    if (pod.node.empty() && keys.size() < kMostReasons) keys.push_back(StrCat(pod.namespace_name, "/", pod.name));
  }
  const std::map<std::string, std::string> reasons = WhyTheyWait(ClusterOf(world), keys);
  for (WaitingPod& pod : waiting) {
    const auto found = reasons.find(StrCat(pod.namespace_name, "/", pod.name));
    if (found != reasons.end()) pod.why = found->second;
  }
}

}  // namespace

StatusLists ListForStatus(Session& session) {
  StatusLists lists;
  lists.slices = ListAll(session, kube::types::kResourceSlices);
  lists.waiting.claims = ListAll(session, kube::types::kResourceClaims);
  if (IsForbidden(lists.slices.status) && IsForbidden(lists.waiting.claims.status)) return lists;
  lists.waiting.pods = PendingPods(session);
  lists.waiting.classes = ListAll(session, kube::types::kDeviceClasses);
  lists.waiting.events = FailedPreparations(session, lists.waiting.pods);
  lists.nodes = ListAll(session, kube::types::kNodes);
  return lists;
}

Result<StatusFacts> FactsOf(Session& session, const StatusLists& lists, const std::vector<std::string>& nodes) {
  StatusFacts facts;
  const WaitingFacts& waiting = lists.waiting;
  if (IsForbidden(lists.slices.status) && IsForbidden(waiting.claims.status)) return lists.slices.status;
  facts.devices = DevicesOf(lists.slices, waiting.claims, lists.nodes);
  if (facts.devices.empty() && (lists.slices.ok() || IsMissing(lists.slices.status))) facts.missing = MissingText(lists.slices);
  if (!IsMissing(lists.slices.status)) {
    TRY(Notice(lists.slices, "slices", "only what is held is shown", facts));
    TRY(Notice(waiting.claims, "claims", "who holds what is not known", facts));
    TRY(Notice(waiting.classes, "classes", "Pods that ask by an extended resource are left out", facts));
  }
  TRY(Notice(lists.nodes, "nodes", "it is not known whether they are ready", facts));
  TRY(Notice(waiting.pods, "Pods", "it is not known who waits", facts));
  TRY(Notice(waiting.events, "events", "it is not known whose devices could not be prepared", facts));
  facts.waiting = WaitingPods(session, waiting);
  AddReasons(lists, facts.waiting);
  TRY(KeepNodes(nodes, facts));
  return facts;
}

}  // namespace allot::cli
