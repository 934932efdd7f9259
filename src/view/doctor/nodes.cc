// Checks of the nodes: whether they take Pods, their GPUs, whether the container runtime does CDI, faults, and device plugins that offer
// the same GPUs.

#include <algorithm>
#include <charconv>
#include <set>

#include "base/strings.h"
#include "json/editor.h"
#include "view/doctor/checks.h"
#include "view/nodes.h"

namespace allot::view {
namespace {

using json::TextOf;
using Kind = Finding::Kind;
using Verdict = Finding::Verdict;

Finding NodeFinding(Verdict verdict, Kind kind) { return {.check = Finding::Check::kNodes, .verdict = verdict, .kind = kind}; }

struct Runtime {
  std::string name;  // "containerd"
  int major = 0, minor = 0;
};

// Of "containerd://2.1.4".
Runtime RuntimeOf(std::string_view text) {
  Runtime runtime;
  const size_t colon = text.find("://");
  runtime.name = text.substr(0, colon);
  if (colon == text.npos) return runtime;
  std::string version(text.substr(colon + 3));
  if (version.starts_with('v')) version.erase(0, 1);
  const char* const end = version.data() + version.size();
  const char* const dot = std::from_chars(version.data(), end, runtime.major).ptr;
  if (dot < end && *dot == '.') std::from_chars(dot + 1, end, runtime.minor);
  return runtime;
}

Finding RuntimeFinding(std::string_view version) {
  const auto make = [&](Verdict verdict, Kind kind) {
    Finding finding = NodeFinding(verdict, kind);
    finding.version = version;
    return finding;
  };
  if (version.empty()) return make(Verdict::kUnknown, Kind::kNoRuntime);
  const Runtime runtime = RuntimeOf(version);
  const std::pair<int, int> number(runtime.major, runtime.minor);
  const auto too_old = [&] {
    Finding finding = make(Verdict::kFailed, Kind::kRuntimeTooOld);
    finding.name = runtime.name;
    return finding;
  };
  if (runtime.name == "containerd") {
    if (runtime.major >= 2) return make(Verdict::kOk, Kind::kRuntimeOk);
    return number < std::pair(1, 7) ? too_old() : make(Verdict::kWarning, Kind::kRuntimeCdiOff);
  }
  if (runtime.name == "cri-o") {
    if (number >= std::pair(1, 28)) return make(Verdict::kOk, Kind::kRuntimeOk);
    return number < std::pair(1, 23) ? too_old() : make(Verdict::kWarning, Kind::kRuntimeOldDevices);
  }
  if (runtime.name == "allot" || runtime.name == "podman") return make(Verdict::kOk, Kind::kRuntimeOfUp);
  if (runtime.name == "docker") return make(Verdict::kFailed, Kind::kRuntimeIsDocker);
  return make(Verdict::kUnknown, Kind::kRuntimeNotKnown);
}

// The nodes that have an agent or offer GPUs; all nodes where there are none.
std::vector<kube::ObjectPtr> GpuNodes(const ClusterFacts& facts) {
  std::set<std::string_view> with;
  for (const auto& [node, offered] : facts.offered) with.insert(node);
  for (const kube::ObjectPtr& pod : facts.agents.objects) with.insert(TextOf(pod->json()["spec"]["nodeName"]));
  std::vector<kube::ObjectPtr> nodes;
  for (const kube::ObjectPtr& node : facts.nodes.objects) {
    if (with.contains(node->name())) nodes.push_back(node);
  }
  return nodes.empty() ? facts.nodes.objects : nodes;
}

Finding GpusFinding(const OfferedGpus& offered, const Release& release) {
  Finding finding = offered.gpus == 0     ? NodeFinding(Verdict::kWarning, Kind::kNoGpus)
                    : offered.shared == 0 ? NodeFinding(Verdict::kWarning, Kind::kNotShared)
                                          : NodeFinding(Verdict::kOk, Kind::kGpusOk);
  finding.count = static_cast<int64_t>(offered.gpus);
  finding.total = static_cast<int64_t>(offered.shared);
  finding.release = release;
  return finding;
}

// A cluster whose agents offer no GPU at all is not ready.
void CheckAnyGpu(const ClusterFacts& facts, Findings& findings) {
  if (!facts.slices.ok() || !facts.offered.empty()) return;
  if (facts.daemon_sets.ok() && facts.daemon_sets.objects.empty()) return;  // CheckSets has said what to install
  findings.push_back(NodeFinding(Verdict::kFailed, Kind::kNoGpuAtAll));
  findings.back().release = facts.release;
}

void AddNodeState(const kube::Object& node, FindingGroups& grouped) {
  const NodeState state = StateOf(node);
  if (!state.ready) {
    Finding finding = NodeFinding(Verdict::kFailed, Kind::kNodeNotReady);
    finding.message = state.why;
    grouped.Add(node.name(), std::move(finding));
  }
  if (state.cordoned) grouped.Add(node.name(), NodeFinding(Verdict::kWarning, Kind::kNodeCordoned));
}

void CheckFaults(const ClusterFacts& facts, Findings& findings) {
  FindingGroups grouped;
  for (const Device& device : facts.devices) {
    if (device.driver != kGpuDriver) continue;
    if (device.incomplete) {
      Finding finding = NodeFinding(Verdict::kWarning, Kind::kPoolIncomplete);
      finding.count = static_cast<int64_t>(device.incomplete->present);
      finding.total = static_cast<int64_t>(device.incomplete->wanted);
      grouped.Add(device.node, std::move(finding));
    }
    for (const DeviceTaint& taint : device.taints) {
      if (!taint.KeepsAway() || taint.key.ends_with("/cordoned")) continue;
      Finding finding = NodeFinding(Verdict::kWarning, Kind::kUnhealthy);
      finding.taint = taint;
      finding.uuid = device.uuid;
      grouped.Add(device.Name(), std::move(finding));
    }
  }
  grouped.Take(findings);
}

}  // namespace

void CheckNodes(const ClusterFacts& facts, Findings& findings) {
  if (!facts.nodes.ok()) findings.push_back(NotSeen(Finding::Check::kNodes, "list", "nodes", facts.nodes.status));
  if (!facts.slices.ok())
    findings.push_back(NotSeen(Finding::Check::kNodes, "list", "resourceslices.resource.k8s.io", facts.slices.status));
  const bool has_agents = !facts.agents.objects.empty() || !facts.offered.empty();
  FindingGroups grouped;
  for (const kube::ObjectPtr& node : GpuNodes(facts)) {
    AddNodeState(*node, grouped);
    const auto own = facts.offered.find(std::string(node->name()));
    if (facts.slices.ok() && has_agents)
      grouped.Add(node->name(), GpusFinding(own == facts.offered.end() ? OfferedGpus() : own->second, facts.release));
    grouped.Add(node->name(), RuntimeFinding(TextOf(node->json()["status"]["nodeInfo"]["containerRuntimeVersion"])));
    const json::Value& plugin = node->json()["status"]["capacity"]["nvidia.com/gpu"];
    const std::string amount = plugin.IsNumber() ? StrCat(plugin.AsInt64().value_or(0)) : std::string(TextOf(plugin));
    if (!has_agents || amount.empty() || amount == "0") continue;
    Finding finding = NodeFinding(Verdict::kWarning, Kind::kPluginToo);
    finding.name = amount;
    grouped.Add(node->name(), std::move(finding));
  }
  grouped.Take(findings);
  CheckAnyGpu(facts, findings);
  CheckFaults(facts, findings);
}

}  // namespace allot::view
