// Checks of the agents: are they there, are they ready, and if not, what do they say.

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "kube/url.h"

namespace allot::cli {
namespace {

constexpr char kInstall[] =
    "helm install nvidia-dra-driver-gpu ./deployments/helm/nvidia-dra-driver-gpu --namespace nvidia-dra-driver-gpu --create-namespace "
    "--set "
    "image.repository=REGISTRY/allot --set image.tag=TAG";

bool IsReady(const json::Value& pod) {
  for (const json::Value& condition : ItemsOf(pod["status"]["conditions"])) {
    if (Text(condition["type"]) == "Ready") return Text(condition["status"]) == "True";
  }
  return false;
}

bool IsAgent(const kube::Object& pod) {
  if (pod.json()["metadata"]["deletionTimestamp"].IsString()) return false;
  for (const json::Value& owner : ItemsOf(pod.json()["metadata"]["ownerReferences"])) {
    if (Text(owner["kind"]) == "DaemonSet") return true;
  }
  return false;
}

// "-n NAMESPACE NAME", for kubectl.
std::string Where(const kube::Object& pod) { return StrCat("-n ", pod.namespace_name(), " ", pod.name()); }

// The first container that is not ready; null: all are.
json::Value UnreadyContainer(const json::Value& pod) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& status : ItemsOf(pod["status"][list])) {
      if (!status["ready"].IsBool() || !status["ready"].AsBool()) return status;
    }
  }
  return {};
}

bool IsImageTrouble(std::string_view reason) {
  return reason == "ErrImagePull" || reason == "ImagePullBackOff" || reason == "InvalidImageName" || reason == "ErrImageNeverPull";
}

Finding ImageFinding(const json::Value& container, std::string_view where) {
  const json::Value& waiting = container["state"]["waiting"];
  return {"agents", Verdict::kFailed, StrCat(Text(waiting["reason"]), " of ", Text(container["image"]), ": ", Text(waiting["message"])),
          "is that the right image and tag (image.repository, image.tag), may the node pull it (imagePullSecrets), or was it loaded there?",
          StrCat("kubectl describe pod ", where)};
}

// Of one that waits or has ended. Its last words are in lastState after a restart.
Finding EndedFinding(const json::Value& container, std::string_view where) {
  const json::Value& waiting = container["state"]["waiting"];
  const json::Value& now = container["state"]["terminated"];
  const json::Value& end = now.IsObject() ? now : container["lastState"]["terminated"];
  Finding finding{"agents", Verdict::kFailed, ""};
  const std::string_view reason = Text(waiting.IsObject() ? waiting["reason"] : end["reason"]);
  std::string message(Trim(Text(end["message"])));
  if (const std::string trouble = LastTrouble(message); !trouble.empty()) message = trouble;
  if (message.empty()) message = Text(waiting["message"]);
  const std::string code = end.IsObject() ? StrCat(" (exit code ", OneLine(end["exitCode"]), ")") : "";
  finding.text = StrCat(reason, code, message.empty() ? "" : ": ", message);
  Advise(message, StrCat(where, end.IsObject() ? " --previous" : ""), finding);
  return finding;
}

// Of one that runs and is not ready: its log says why.
Finding RunningFinding(Session& session, const kube::Object& pod, const json::Value& container, std::string_view where) {
  Finding finding{"agents", Verdict::kFailed, "runs, but is not ready"};
  const std::string target = StrCat(kube::types::kPods.ObjectPath(pod.namespace_name(), pod.name(), "log"),
                                    kube::WriteQuery({{"container", std::string(Text(container["name"]))}, {"tailLines", "50"}}));
  const Result<http::Response> log = session.client().Raw({"GET", target, {}, ""}, "get the log");
  const std::string trouble = log.ok() ? LastTrouble(log->body) : "";
  if (!trouble.empty()) finding.text = StrCat("is not ready: ", trouble);
  if (!log.ok()) finding.text += StrCat("; its log cannot be seen: ", Reason(log.status()));
  Advise(trouble, where, finding);
  return finding;
}

Finding UnreadyFinding(Session& session, const kube::Object& pod) {
  const std::string where = Where(pod);
  const json::Value container = UnreadyContainer(pod.json());
  const json::Value& state = container["state"];
  const std::string_view waits = Text(state["waiting"]["reason"]);
  if (IsImageTrouble(waits)) return ImageFinding(container, where);
  if (state["running"].IsObject()) return RunningFinding(session, pod, container, where);
  if (container.IsNull() || waits == "ContainerCreating" || waits == "PodInitializing") {
    std::string text = "is being started";
    for (const json::Value& condition : ItemsOf(pod.json()["status"]["conditions"])) {
      if (Text(condition["type"]) == "PodScheduled" && Text(condition["status"]) == "False") text = Text(condition["message"]);
    }
    return {"agents", Verdict::kWarning, text,
            "give it a minute; if it stays so, its events say why:", StrCat("kubectl describe pod ", where)};
  }
  return EndedFinding(container, where);
}

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

void CheckBareNodes(const ClusterFacts& facts, Findings& findings) {
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

void CheckSet(const kube::Object& set, Findings& findings) {
  const json::Value& status = set.json()["status"];
  const auto number = [&](std::string_view name) { return status[name].IsNumber() ? status[name].AsInt64().value_or(0) : 0; };
  const int64_t wanted = number("desiredNumberScheduled");
  const int64_t ready = number("numberReady");
  const std::string text = StrCat("agents: DaemonSet ", kube::KeyOf(set), ", ", ready, " of ", wanted, " ready");
  if (wanted == 0) {
    findings.push_back({"agents", Verdict::kWarning, text + ": it fits no node",
                        "set kubeletPlugin.nodeSelector and .tolerations of the chart so that it runs where GPUs are",
                        StrCat("kubectl describe daemonset -n ", set.namespace_name(), " ", set.name())});
  } else {
    findings.push_back(
        {"agents", ready >= wanted ? Verdict::kOk : Verdict::kWarning, text, ready >= wanted ? "" : "what they say is below"});
  }
}

}  // namespace

void CheckAgents(Session& session, const ClusterFacts& facts, Findings& findings) {
  if (!facts.daemon_sets.ok()) return findings.push_back(CannotSee("agents", "list", "daemonsets.apps", facts.daemon_sets.status));
  if (facts.daemon_sets.objects.empty()) {
    std::set<std::string> nodes;
    for (const DeviceStatus& device : facts.devices) {
      if (device.driver == kGpuDriver && !device.gone) nodes.insert(device.node);
    }
    if (nodes.empty()) {
      return findings.push_back(
          {"agents", Verdict::kFailed, "agents: there is no DaemonSet of the chart nvidia-dra-driver-gpu", "install it:", kInstall});
    }
    return findings.push_back({"agents", Verdict::kWarning,
                               StrCat("agents: there is no DaemonSet of the chart, but GPUs are offered on ",
                                      SomeOf({nodes.begin(), nodes.end()}), ": started by hand?"),
                               "let Kubernetes run them, so that they come back after a reboot:", kInstall});
  }
  for (const kube::ObjectPtr& set : facts.daemon_sets.objects) CheckSet(*set, findings);
  if (!facts.agents.ok()) return findings.push_back(CannotSee("agents", "list", "pods", facts.agents.status));
  ByNode grouped;
  for (const kube::ObjectPtr& pod : facts.agents.objects) {
    if (!IsAgent(*pod) || IsReady(pod->json())) continue;
    const std::string_view node = Text(pod->json()["spec"]["nodeName"]);
    grouped.Add(node.empty() ? StrCat("no node (", kube::KeyOf(*pod), ")") : std::string(node), UnreadyFinding(session, *pod));
  }
  grouped.Take(findings, "agent on ");
  CheckBareNodes(facts, findings);
}

}  // namespace allot::cli
