// Checks of the DaemonSets: whose they are, whether they have their Pods, and which nodes they leave out.

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "local/node_object.h"

namespace allot::cli {
namespace {

constexpr char kInstall[] =
    "helm install nvidia-dra-driver-gpu ./deployments/helm/nvidia-dra-driver-gpu --namespace nvidia-dra-driver-gpu --create-namespace "
    "--set image.repository=REGISTRY/allot --set image.tag=TAG";

bool Tolerates(const json::Value& tolerations, const json::Value& taint) {
  for (const json::Value& one : ItemsOf(tolerations)) {
    const bool effect = Text(one["effect"]).empty() || Text(one["effect"]) == Text(taint["effect"]);
    const bool key = Text(one["key"]).empty() || Text(one["key"]) == Text(taint["key"]);
    if (effect && key && (Text(one["operator"]) == "Exists" || Text(one["value"]) == Text(taint["value"]))) return true;
  }
  return false;
}

// Why the DaemonSet has no Pod on the node; empty: it should have one.
std::string WhyNotOn(const json::Value& node, const json::Value& pod_spec) {
  for (const json::Member& label : MembersOf(pod_spec["nodeSelector"])) {
    if (Text(node["metadata"]["labels"][label.key]) == Text(label.value)) continue;
    return StrCat("its nodeSelector wants the label ", label.key, "=", Text(label.value));
  }
  for (const json::Value& taint : ItemsOf(node["spec"]["taints"])) {
    const std::string_view key = Text(taint["key"]);
    // Pods of DaemonSets tolerate those of Kubernetes itself.
    if (Text(taint["effect"]) == "PreferNoSchedule" || key.starts_with("node.kubernetes.io/")) continue;
    if (Tolerates(pod_spec["tolerations"], taint)) continue;
    return StrCat("it does not tolerate the taint ", key, Text(taint["value"]).empty() ? "" : "=", Text(taint["value"]), ":",
                  Text(taint["effect"]));
  }
  return pod_spec["affinity"].IsObject() ? "its affinity may leave them out" : "";
}

bool IsOf(const kube::Object& pod, const kube::Object& set) {
  const auto owners = ItemsOf(pod.json()["metadata"]["ownerReferences"]);
  return pod.namespace_name() == set.namespace_name() &&
         std::any_of(owners.begin(), owners.end(), [&](const json::Value& owner) { return Text(owner["name"]) == set.name(); });
}

// Why Pods of the DaemonSet are missing; empty: they are not.
std::string WhatIsMissing(const kube::Object& set, const Listing& agents, int64_t wanted, int64_t made) {
  if (wanted == 0) return "it fits no node";
  if (made < wanted) return StrCat(made, " of ", wanted, made == 1 ? " Pods is made" : " Pods are made");
  const auto is_its = [&](const kube::ObjectPtr& pod) { return IsOf(*pod, set); };
  if (agents.ok() && std::none_of(agents.objects.begin(), agents.objects.end(), is_its)) return "it has no Pods";
  return "";
}

void CheckSet(const kube::Object& set, const Listing& agents, Findings& findings) {
  const json::Value& status = set.json()["status"];
  const auto number = [&](std::string_view name) { return status[name].IsNumber() ? status[name].AsInt64().value_or(0) : 0; };
  const int64_t wanted = number("desiredNumberScheduled");
  const int64_t ready = number("numberReady");
  const std::string text = StrCat("agents: DaemonSet ", kube::KeyOf(set), ", ", ready, " of ", wanted, " ready");
  const std::string missing = WhatIsMissing(set, agents, wanted, number("currentNumberScheduled"));
  if (!missing.empty()) {
    findings.push_back({"agents", Verdict::kFailed, StrCat(text, ": ", missing),
                        wanted == 0 ? "set kubeletPlugin.nodeSelector and .tolerations of the chart so that it runs where GPUs are"
                                    : "something keeps them away: a quota, Pod Security, an admission webhook? Its events say it:",
                        StrCat("kubectl describe daemonset -n ", set.namespace_name(), " ", set.name())});
  } else if (ready >= wanted) {
    findings.push_back({"agents", Verdict::kOk, text});
  } else {
    findings.push_back({"agents", ready == 0 ? Verdict::kFailed : Verdict::kWarning, text, "what they say is below"});
  }
}

// One machine: all nodes are of `allot up`.
bool RunsByUp(const ClusterFacts& facts) {
  const auto& nodes = facts.nodes.objects;
  return !nodes.empty() &&
         std::all_of(nodes.begin(), nodes.end(), [](const kube::ObjectPtr& node) { return node->Label(local::kLocalLabel) == "true"; });
}

// Nothing of ours is installed.
Finding NoSetFinding(const ClusterFacts& facts) {
  if (!facts.nvidias_sets.objects.empty()) {
    const kube::Object& set = *facts.nvidias_sets.objects[0];
    const Release release = ReleaseOf(set);
    return {
        "agents", Verdict::kFailed, StrCat("agents: NVIDIA's own DRA driver is installed (DaemonSet ", kube::KeyOf(set), "), not allot"),
        "the two cannot serve a node together. Drain the Pods that use GPUs, uninstall it (or, where it is needed for ComputeDomains, set "
        "its resources.gpus.enabled=false), then install allot; claims, templates and classes stay as they are (docs/chart.md, \"Moving "
        "over from NVIDIA's driver\")",
        StrCat("helm uninstall ", release.name, " -n ", release.namespace_name)};
  }
  if (RunsByUp(facts)) {
    if (!facts.offered.empty()) return {"agents", Verdict::kOk, "agents: allot up runs them"};
    return {"agents", Verdict::kFailed, "agents: allot up runs them, and offers no GPU",
            "its log says why: it found no driver, or was told --gpus none. To simulate some:", "allot up --gpus rtx3090:2"};
  }
  if (facts.offered.empty()) {
    return {"agents", Verdict::kFailed, "agents: there is no DaemonSet of the chart nvidia-dra-driver-gpu", "install it:", kInstall};
  }
  std::vector<std::string> nodes;
  for (const auto& [node, offered] : facts.offered) nodes.push_back(node);
  return {"agents", Verdict::kWarning,
          StrCat("agents: there is no DaemonSet of the chart, but GPUs are offered on ", SomeOf(nodes), ": started by hand?"),
          "let Kubernetes run them, so that they come back after a reboot:", kInstall};
}

}  // namespace

void CheckSets(const ClusterFacts& facts, Findings& findings) {
  if (!facts.daemon_sets.ok()) return findings.push_back(CannotSee("agents", "list", "daemonsets.apps", facts.daemon_sets.status));
  if (facts.daemon_sets.objects.empty()) return findings.push_back(NoSetFinding(facts));
  for (const kube::ObjectPtr& set : facts.daemon_sets.objects) CheckSet(*set, facts.agents, findings);
  if (facts.daemon_sets.objects.size() > 1) {
    findings.push_back(
        {"agents", Verdict::kWarning, StrCat("agents: the chart is installed ", facts.daemon_sets.objects.size(), " times"),
         "two agents on one node serve the same GPUs; uninstall one, or give each its own nodes (kubeletPlugin.nodeSelector)"});
  }
}

void CheckBareNodes(const ClusterFacts& facts, Findings& findings) {
  if (facts.daemon_sets.objects.empty() || !facts.agents.ok()) return;
  std::set<std::string_view> covered;
  for (const kube::ObjectPtr& pod : facts.agents.objects) covered.insert(Text(pod->json()["spec"]["nodeName"]));
  ByNode grouped;
  const json::Value& pod_spec = facts.daemon_sets.objects[0]->json()["spec"]["template"]["spec"];
  for (const kube::ObjectPtr& node : facts.nodes.objects) {
    if (covered.contains(node->name())) continue;
    const std::string why = WhyNotOn(node->json(), pod_spec);
    grouped.Add(node->name(), {"agents", Verdict::kWarning, StrCat("no agent", why.empty() ? "" : "; of the DaemonSet, ", why),
                               "if there are GPUs: set kubeletPlugin.nodeSelector, .tolerations or .affinity of the chart so that it runs "
                               "there; else all is well"});
  }
  grouped.Take(findings);
}

}  // namespace allot::cli
