// What several checks look at, and the order of the checks.

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "json/editor.h"
#include "model/memory.h"
#include "view/doctor/checks.h"
#include "view/waiting.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using json::TextOf;

bool IsAgent(const kube::Object& pod) {
  if (pod.json()["metadata"]["deletionTimestamp"].IsString()) return false;
  const auto owners = ItemsOf(pod.json()["metadata"]["ownerReferences"]);
  return std::any_of(owners.begin(), owners.end(), [](const json::Value& owner) { return TextOf(owner["kind"]) == "DaemonSet"; });
}

std::map<std::string, OfferedGpus> OfferedOf(const std::vector<Device>& devices) {
  std::map<std::string, OfferedGpus> offered;
  for (const Device& device : devices) {
    if (!device.offered || device.driver != kGpuDriver) continue;
    OfferedGpus& node = offered[device.node];
    ++node.gpus;
    node.shared += device.shared ? 1 : 0;
  }
  return offered;
}

// Whether findings say the same. The agent's Pod and the UUID only matter for a command.
bool AreAlike(const Finding& a, const Finding& b) {
  const auto facts = [](const Finding& f) {
    return std::tie(f.check, f.verdict, f.kind, f.name, f.message, f.error, f.reason, f.resource, f.version, f.claim, f.exit_code, f.names,
                    f.count, f.total, f.affinity, f.trouble);
  };
  const auto taint = [](const Finding& f) {
    return f.taint ? StrCat(f.taint->key, "=", f.taint->value, ":", f.taint->effect) : std::string();
  };
  return facts(a) == facts(b) && taint(a) == taint(b);
}

}  // namespace

void FindingGroups::Add(std::string_view subject, Finding finding) {
  auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Finding& other) { return AreAlike(other, finding); });
  if (group == groups_.end()) group = groups_.insert(group, std::move(finding));
  std::vector<std::string>& subjects = group->subjects;
  if (std::find(subjects.begin(), subjects.end(), subject) == subjects.end()) subjects.emplace_back(subject);
}

void FindingGroups::Take(Findings& findings) {
  for (Finding& finding : groups_) findings.push_back(std::move(finding));
  groups_.clear();
}

Finding NotSeen(Finding::Check check, std::string_view verb, std::string_view resource, const Status& status) {
  return {.check = check,
          .verdict = Finding::Verdict::kUnknown,
          .kind = Finding::Kind::kNotSeen,
          .message = ServerMessage(status),
          .verb = std::string(verb),
          .resource = std::string(resource),
          .forbidden = IsForbidden(status)};
}

Release ReleaseOf(const kube::Object& daemon_set) {
  Release release;
  const std::string_view instance = TextOf(daemon_set.json()["metadata"]["labels"]["app.kubernetes.io/instance"]);
  if (!instance.empty()) release.name = instance;
  release.namespace_name = daemon_set.namespace_name();
  return release;
}

void ReadCluster(kube::Client& client, std::string_view namespace_name, ClusterFacts& facts) {
  static const kube::ResourceType kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
  kube::ListOptions ours;
  ours.label_selector = kOurLabel;
  facts.nodes = ListAll(client, kube::types::kNodes);
  facts.slices = ListAll(client, kube::types::kResourceSlices);
  facts.claims = ListAll(client, kube::types::kResourceClaims);
  facts.classes = ListAll(client, kube::types::kDeviceClasses);
  facts.daemon_sets = ListAll(client, kDaemonSets, namespace_name, ours);
  facts.agents = ListAll(client, kube::types::kPods, namespace_name, ours);
  std::erase_if(facts.agents.objects, [](const kube::ObjectPtr& pod) { return !IsAgent(*pod); });
  if (!facts.daemon_sets.objects.empty()) {
    facts.release = ReleaseOf(*facts.daemon_sets.objects[0]);
  } else if (facts.daemon_sets.ok()) {
    kube::ListOptions nvidias;
    // The second name is the one since the driver moved to the Kubernetes organization.
    nvidias.label_selector = StrCat("app.kubernetes.io/name in (", kChart, ",dra-driver-nvidia-gpu)");
    facts.nvidias_sets = ListAll(client, kDaemonSets, namespace_name, nvidias);
  }
  facts.pending = PendingPods(client);
  facts.events = FailedPreparations(client, facts.pending);
  Lists lists;
  lists.slices = facts.slices;
  lists.claims = facts.claims;
  std::vector<Device> devices = DevicesOf(ClusterOf(lists, facts.left_out), StatesOf(facts.nodes), {facts.slices.ok(), facts.claims.ok()});
  facts.offered = OfferedOf(devices);
  facts.devices = WithMemory(std::move(devices));
}

Findings Examine(kube::Client& client, std::string_view namespace_name) {
  Findings findings;
  ClusterFacts facts;
  if (!CheckServer(client, facts, findings) || !CheckResourceApi(client, findings)) return findings;
  ReadCluster(client, namespace_name, facts);
  CheckGates(client, facts, findings);
  CheckClass(facts, findings);
  CheckSets(facts, findings);
  CheckAgents(client, facts, findings);
  CheckBareNodes(facts, findings);
  CheckPermissions(client, facts, findings);
  CheckNodes(facts, findings);
  CheckPods(client, facts, findings);
  CheckClaims(facts, findings);
  return findings;
}

Result<std::vector<GpuHold>> GpuHolds(kube::Client& client) {
  std::set<GpuHold> holds;
  const auto add = [&](const json::Value& object) {
    const Result<model::ResourceClaim> claim = model::ResourceClaim::Read(object);
    if (!claim.ok() || !claim->allocation) return;
    for (const model::DeviceResult& result : claim->allocation->results) {
      if (result.driver != kGpuDriver) continue;
      const std::optional<model::MiB> mib = model::MemoryTaken(result);
      for (const std::string_view pod : claim->reserved_for) {
        holds.insert({std::string(claim->name_space), std::string(pod), std::string(claim->name),
                      mib ? std::optional(mib->count()) : std::nullopt, std::string(result.pool), std::string(result.device)});
      }
    }
  };
  const Result<std::string> listed = client.ListValues(kube::types::kResourceClaims, "", {}, add);
  if (!listed.ok() && !IsMissing(listed.status())) return listed.status();
  return std::vector<GpuHold>(holds.begin(), holds.end());
}

}  // namespace allot::view
