// Checks of the DaemonSets: whose they are, whether they have their Pods, and which nodes they leave out.

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "json/editor.h"
#include "view/doctor/checks.h"
#include "view/nodes.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using json::TextOf;
using Kind = Finding::Kind;
using Verdict = Finding::Verdict;

Finding SetFinding(Verdict verdict, Kind kind) { return {.check = Finding::Check::kAgents, .verdict = verdict, .kind = kind}; }

bool Tolerates(const json::Value& tolerations, const json::Value& taint) {
  for (const json::Value& one : ItemsOf(tolerations)) {
    const bool effect = TextOf(one["effect"]).empty() || TextOf(one["effect"]) == TextOf(taint["effect"]);
    const bool key = TextOf(one["key"]).empty() || TextOf(one["key"]) == TextOf(taint["key"]);
    if (effect && key && (TextOf(one["operator"]) == "Exists" || TextOf(one["value"]) == TextOf(taint["value"]))) return true;
  }
  return false;
}

// Why the DaemonSet has no Pod on the node, as far as that can be told.
Finding NoAgentOn(const json::Value& node, const json::Value& pod_spec) {
  Finding finding = SetFinding(Verdict::kWarning, Kind::kNoAgent);
  const json::Value& selector = pod_spec["nodeSelector"];
  for (const json::Member& label : selector.IsObject() ? selector.Members() : std::span<const json::Member>()) {
    if (TextOf(node["metadata"]["labels"][label.key]) == TextOf(label.value)) continue;
    finding.names = {std::string(label.key), std::string(TextOf(label.value))};
    return finding;
  }
  for (const json::Value& taint : ItemsOf(node["spec"]["taints"])) {
    const std::string_view key = TextOf(taint["key"]);
    // Pods of DaemonSets tolerate Kubernetes' own taints.
    if (TextOf(taint["effect"]) == "PreferNoSchedule" || key.starts_with("node.kubernetes.io/")) continue;
    if (Tolerates(pod_spec["tolerations"], taint)) continue;
    finding.taint = DeviceTaint{std::string(key), std::string(TextOf(taint["value"])), std::string(TextOf(taint["effect"]))};
    return finding;
  }
  finding.affinity = pod_spec["affinity"].IsObject();
  return finding;
}

bool IsOf(const kube::Object& pod, const kube::Object& set) {
  const auto owners = ItemsOf(pod.json()["metadata"]["ownerReferences"]);
  return pod.namespace_name() == set.namespace_name() &&
         std::any_of(owners.begin(), owners.end(), [&](const json::Value& owner) { return TextOf(owner["name"]) == set.name(); });
}

void CheckSet(const kube::Object& set, const Listing& agents, Findings& findings) {
  const json::Value& status = set.json()["status"];
  const auto number = [&](std::string_view name) { return status[name].IsNumber() ? status[name].AsInt64().value_or(0) : 0; };
  const int64_t wanted = number("desiredNumberScheduled"), made = number("currentNumberScheduled"), ready = number("numberReady");
  const auto is_its = [&](const kube::ObjectPtr& pod) { return IsOf(*pod, set); };
  const bool has_pods = !agents.ok() || std::any_of(agents.objects.begin(), agents.objects.end(), is_its);
  Finding finding = wanted == 0      ? SetFinding(Verdict::kFailed, Kind::kSetFitsNoNode)
                    : made < wanted  ? SetFinding(Verdict::kFailed, Kind::kSetIncomplete)
                    : !has_pods      ? SetFinding(Verdict::kFailed, Kind::kSetWithoutPods)
                    : ready < wanted ? SetFinding(ready == 0 ? Verdict::kFailed : Verdict::kWarning, Kind::kSetNotReady)
                                     : SetFinding(Verdict::kOk, Kind::kSetOk);
  finding.name = kube::KeyOf(set);
  finding.count = ready, finding.total = wanted, finding.made = made;
  findings.push_back(std::move(finding));
}

// Whether all nodes were made by `allot up`.
bool RunsByUp(const ClusterFacts& facts) {
  const auto& nodes = facts.nodes.objects;
  return !nodes.empty() &&
         std::all_of(nodes.begin(), nodes.end(), [](const kube::ObjectPtr& node) { return node->Label(kLocalLabel) == "true"; });
}

// Our chart is not installed.
Finding NoSetFinding(const ClusterFacts& facts) {
  if (!facts.nvidias_sets.objects.empty()) {
    const kube::Object& set = *facts.nvidias_sets.objects[0];
    Finding finding = SetFinding(Verdict::kFailed, Kind::kNvidiasDriver);
    finding.name = kube::KeyOf(set);
    finding.release = ReleaseOf(set);
    return finding;
  }
  const bool offers = !facts.offered.empty();
  if (RunsByUp(facts)) return offers ? SetFinding(Verdict::kOk, Kind::kAgentsOfUp) : SetFinding(Verdict::kFailed, Kind::kNoGpusOfUp);
  if (!offers) return SetFinding(Verdict::kFailed, Kind::kNotInstalled);
  Finding finding = SetFinding(Verdict::kWarning, Kind::kNotByChart);
  for (const auto& [node, gpus] : facts.offered) finding.names.push_back(node);
  return finding;
}

}  // namespace

void CheckSets(const ClusterFacts& facts, Findings& findings) {
  if (!facts.daemon_sets.ok())
    return findings.push_back(NotSeen(Finding::Check::kAgents, "list", "daemonsets.apps", facts.daemon_sets.status));
  if (facts.daemon_sets.objects.empty()) return findings.push_back(NoSetFinding(facts));
  for (const kube::ObjectPtr& set : facts.daemon_sets.objects) CheckSet(*set, facts.agents, findings);
  if (facts.daemon_sets.objects.size() > 1) {
    findings.push_back(SetFinding(Verdict::kWarning, Kind::kSeveralSets));
    findings.back().count = static_cast<int64_t>(facts.daemon_sets.objects.size());
  }
}

void CheckBareNodes(const ClusterFacts& facts, Findings& findings) {
  if (facts.daemon_sets.objects.empty() || !facts.agents.ok()) return;
  std::set<std::string_view> covered;
  for (const kube::ObjectPtr& pod : facts.agents.objects) covered.insert(TextOf(pod->json()["spec"]["nodeName"]));
  FindingGroups grouped;
  const json::Value& pod_spec = facts.daemon_sets.objects[0]->json()["spec"]["template"]["spec"];
  for (const kube::ObjectPtr& node : facts.nodes.objects) {
    if (covered.contains(node->name())) continue;
    grouped.Add(node->name(), NoAgentOn(node->json(), pod_spec));
  }
  grouped.Take(findings);
}

}  // namespace allot::view
