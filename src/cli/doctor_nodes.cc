// Checks of the nodes: whether they take Pods, their GPUs, whether the container runtime does CDI, faults, and others who hand out the same
// GPUs.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"

namespace allot::cli {
namespace {

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
  if (version.empty())
    return {"nodes", Verdict::kUnknown, "kubelet tells no container runtime", "does kubelet run there?", "kubectl get nodes -o wide"};
  const Runtime runtime = RuntimeOf(version);
  const std::string text = StrCat("container runtime ", version);
  const std::pair<int, int> number(runtime.major, runtime.minor);
  if (runtime.name == "containerd") {
    if (runtime.major >= 2) return {"nodes", Verdict::kOk, text + ", with CDI"};
    if (number < std::pair(1, 7)) {
      return {"nodes", Verdict::kFailed, text + ", which knows no CDI", "update containerd to 2.0 or later"};
    }
    return {"nodes", Verdict::kWarning, text + ", where CDI is off unless its config says otherwise",
            "in /etc/containerd/config.toml, below [plugins.\"io.containerd.grpc.v1.cri\"], set enable_cdi = true and cdi_spec_dirs = "
            "[\"/etc/cdi\", \"/var/run/cdi\"], and restart it; or update to 2.0",
            "systemctl restart containerd"};
  }
  if (runtime.name == "cri-o") {
    if (number >= std::pair(1, 28)) return {"nodes", Verdict::kOk, text + ", with CDI"};
    if (number < std::pair(1, 23)) return {"nodes", Verdict::kFailed, text + ", which knows no CDI", "update CRI-O to 1.28 or later"};
    return {"nodes", Verdict::kWarning, text + ", which does not know CDI devices of Kubernetes",
            "update CRI-O to 1.28 or later: older ones take CDI devices by annotations only"};
  }
  if (runtime.name == "allot" || runtime.name == "podman") return {"nodes", Verdict::kOk, text + ", by allot up"};
  if (runtime.name == "docker") {
    return {"nodes", Verdict::kFailed, text + ", whose shim for Kubernetes knows no CDI", "use containerd 2 or CRI-O 1.28"};
  }
  return {"nodes", Verdict::kUnknown, text + ": not known whether it does CDI", "see its manual; allot needs CDI"};
}

// Those with an agent or GPUs of ours; all, where there are none.
std::vector<kube::ObjectPtr> GpuNodes(const ClusterFacts& facts) {
  std::set<std::string_view> with;
  for (const auto& [node, offered] : facts.offered) with.insert(node);
  for (const kube::ObjectPtr& pod : facts.agents.objects) with.insert(Text(pod->json()["spec"]["nodeName"]));
  std::vector<kube::ObjectPtr> nodes;
  for (const kube::ObjectPtr& node : facts.nodes.objects) {
    if (with.contains(node->name())) nodes.push_back(node);
  }
  return nodes.empty() ? facts.nodes.objects : nodes;
}

std::string LogsCommand(const Release& release) {
  return StrCat("kubectl logs -n ", release.namespace_name, " -l ", kOurLabel, " --tail=-1 --prefix | grep -E 'WARNING|ERROR'");
}

Finding GpusFinding(const Offered& offered, const Release& release) {
  if (offered.gpus == 0) {
    return {"nodes", Verdict::kWarning, "no GPUs are offered (no ResourceSlice of gpu.nvidia.com)",
            "if there are some, its agent says why they are not:", LogsCommand(release)};
  }
  const std::string count = offered.gpus == 1 ? "1 GPU is offered" : StrCat(offered.gpus, " GPUs are offered");
  if (offered.shared == 0) {
    return {
        "nodes", Verdict::kWarning, StrCat(count, offered.gpus == 1 ? ", not shared" : ", none of them shared"),
        "each goes to one claim as a whole. That is mode: exclusive of the node config (docs/node-config.md), or another driver than allot "
        "offers them; if it should be so, all is well"};
  }
  return {"nodes", Verdict::kOk, offered.gpus == 1 ? StrCat(count, ", shared") : StrCat(count, ", ", offered.shared, " of them shared")};
}

// Agents that offer nothing at all make no cluster that is ready.
void CheckAnyGpu(const ClusterFacts& facts, Findings& findings) {
  if (!facts.slices.ok() || !facts.offered.empty()) return;
  if (facts.daemon_sets.ok() && facts.daemon_sets.objects.empty()) return;  // it has been said what to install
  findings.push_back({"nodes", Verdict::kFailed, "no GPU is offered in the whole cluster",
                      "are there nodes with NVIDIA GPUs, does an agent run there, and is the NVIDIA driver installed? The agents say it:",
                      LogsCommand(facts.release)});
}

void AddNodeState(const kube::Object& node, ByNode& grouped) {
  const NodeState state = StateOfNode(node.json());
  if (!state.ready) {
    grouped.Add(node.name(), {"nodes", Verdict::kFailed, StrCat("node is not ready", state.why.empty() ? "" : ": ", state.why),
                              "it takes no Pods, so nobody gets its GPUs; look at kubelet and the container runtime there:",
                              "kubectl get nodes -o wide"});
  }
  if (state.cordoned) {
    grouped.Add(node.name(), {"nodes", Verdict::kWarning, "node is cordoned: it takes no new Pods, so nobody gets its GPUs",
                              "when its maintenance is over:", "kubectl uncordon NODE"});
  }
}

// The UUID, for a command that somebody copies into a shell.
std::string_view UuidWord(const DeviceStatus& device) {
  const std::string& uuid = device.uuid;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
  return !uuid.empty() && std::all_of(uuid.begin(), uuid.end(), is_plain) ? std::string_view(uuid) : "UUID";
}

void CheckFaults(const ClusterFacts& facts, Findings& findings) {
  ByNode grouped;
  for (const DeviceStatus& device : facts.devices) {
    if (device.driver != kGpuDriver) continue;
    if (!device.pool_trouble.empty()) {
      grouped.Add(device.node,
                  {"nodes", Verdict::kWarning, StrCat(device.pool_trouble, "; until all are there, nothing of it is allocated"),
                   "wait a minute; if it stays so, restart the agent of the node"});
    }
    for (const DeviceTaint& taint : device.taints) {
      if (!taint.KeepsAway() || taint.key.ends_with("/cordoned")) continue;
      grouped.Add(device.Name(),
                  {"nodes", Verdict::kWarning, StrCat("unhealthy: ", TaintWords(taint)),
                   "it gets no new Pods. End those that hold it (`allot status`), then reset it on the node; it comes back by "
                   "itself, five minutes after it is well",
                   StrCat("nvidia-smi --gpu-reset -i ", UuidWord(device))});
    }
  }
  grouped.Take(findings);
}

}  // namespace

void ByNode::Add(std::string_view node, Finding finding) {
  const auto same = [&](const auto& group) {
    const Finding& other = group.first;
    return other.verdict == finding.verdict && other.text == finding.text && other.advice == finding.advice;
  };
  auto group = std::find_if(groups_.begin(), groups_.end(), same);
  if (group == groups_.end()) group = groups_.emplace(group, std::move(finding), std::vector<std::string>());
  std::vector<std::string>& names = group->second;
  if (std::find(names.begin(), names.end(), node) == names.end()) names.emplace_back(node);
}

void ByNode::Take(Findings& findings, std::string_view before) {
  for (auto& [finding, nodes] : groups_) {
    finding.text = StrCat(before, SomeOf(nodes), ": ", finding.text);
    findings.push_back(std::move(finding));
  }
  groups_.clear();
}

void CheckNodes(const ClusterFacts& facts, Findings& findings) {
  if (!facts.nodes.ok()) findings.push_back(CannotSee("nodes", "list", "nodes", facts.nodes.status));
  if (!facts.slices.ok()) findings.push_back(CannotSee("nodes", "list", "resourceslices.resource.k8s.io", facts.slices.status));
  const bool has_agents = !facts.agents.objects.empty() || !facts.offered.empty();
  ByNode grouped;
  for (const kube::ObjectPtr& node : GpuNodes(facts)) {
    AddNodeState(*node, grouped);
    const auto own = facts.offered.find(std::string(node->name()));
    if (facts.slices.ok() && has_agents)
      grouped.Add(node->name(), GpusFinding(own == facts.offered.end() ? Offered() : own->second, facts.release));
    grouped.Add(node->name(), RuntimeFinding(Text(node->json()["status"]["nodeInfo"]["containerRuntimeVersion"])));
    const json::Value& plugin = node->json()["status"]["capacity"]["nvidia.com/gpu"];
    if (!has_agents || plugin.IsNull() || OneLine(plugin) == "0") continue;
    grouped.Add(node->name(), {"nodes", Verdict::kWarning,
                               StrCat("a device plugin offers nvidia.com/gpu: ", OneLine(plugin), ", too; two hand out the same GPUs"),
                               "drain the node and remove the device plugin there:", "kubectl get daemonsets -A | grep -i device-plugin"});
  }
  grouped.Take(findings);
  CheckAnyGpu(facts, findings);
  CheckFaults(facts, findings);
}

}  // namespace allot::cli
