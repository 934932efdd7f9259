// Checks of the agents: are they ready, and if not, what do they say.

#include "base/strings.h"
#include "json/editor.h"
#include "kube/url.h"
#include "view/doctor/checks.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using json::TextOf;
using Kind = Finding::Kind;
using Verdict = Finding::Verdict;

bool IsReady(const json::Value& pod) {
  for (const json::Value& condition : ItemsOf(pod["status"]["conditions"])) {
    if (TextOf(condition["type"]) == "Ready") return TextOf(condition["status"]) == "True";
  }
  return false;
}

Finding AgentFinding(Verdict verdict, Kind kind, const kube::Object& pod) {
  return {.check = Finding::Check::kAgents,
          .verdict = verdict,
          .kind = kind,
          .pod_namespace = std::string(pod.namespace_name()),
          .pod = std::string(pod.name())};
}

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

Finding ImageFinding(const kube::Object& pod, const json::Value& container) {
  const json::Value& waiting = container["state"]["waiting"];
  Finding finding = AgentFinding(Verdict::kFailed, Kind::kImage, pod);
  finding.name = TextOf(container["image"]);
  finding.reason = TextOf(waiting["reason"]);
  finding.message = TextOf(waiting["message"]);
  return finding;
}

// A container that waits or has ended. After a restart, lastState has its last message.
Finding EndedFinding(const Release& release, const kube::Object& pod, const json::Value& container) {
  const json::Value& waiting = container["state"]["waiting"];
  const json::Value& now = container["state"]["terminated"];
  const json::Value& end = now.IsObject() ? now : container["lastState"]["terminated"];
  Finding finding = AgentFinding(Verdict::kFailed, Kind::kAgentEnded, pod);
  finding.reason = TextOf(waiting.IsObject() ? waiting["reason"] : end["reason"]);
  finding.message = Trim(TextOf(end["message"]));
  if (std::string trouble = LastTrouble(finding.message); !trouble.empty()) finding.message = std::move(trouble);
  if (finding.message.empty()) finding.message = TextOf(waiting["message"]);
  if (end.IsObject()) finding.exit_code = end["exitCode"].IsNumber() ? StrCat(end["exitCode"].AsInt64().value_or(0)) : "?";
  finding.trouble = TroubleOf(finding.message);
  finding.release = release;
  return finding;
}

// A container that runs and is not ready: its log says why.
Finding RunningFinding(kube::Client& client, const Release& release, const kube::Object& pod, const json::Value& container) {
  Finding finding = AgentFinding(Verdict::kFailed, Kind::kAgentUnready, pod);
  const std::string target = StrCat(kube::types::kPods.ObjectPath(pod.namespace_name(), pod.name(), "log"),
                                    kube::WriteQuery({{"container", std::string(TextOf(container["name"]))}, {"tailLines", "50"}}));
  const Result<http::Response> log = client.Raw({"GET", target, {}, ""}, "get the log");
  if (log.ok()) finding.message = LastTrouble(log->body);
  if (!log.ok()) finding.error = ServerMessage(log.status());
  finding.trouble = TroubleOf(finding.message);
  finding.release = release;
  return finding;
}

Finding UnreadyFinding(kube::Client& client, const Release& release, const kube::Object& pod) {
  const json::Value container = UnreadyContainer(pod.json());
  const json::Value& state = container["state"];
  const std::string_view waits = TextOf(state["waiting"]["reason"]);
  if (IsImageTrouble(waits)) return ImageFinding(pod, container);
  if (state["running"].IsObject()) return RunningFinding(client, release, pod, container);
  if (!container.IsNull() && waits != "ContainerCreating" && waits != "PodInitializing") return EndedFinding(release, pod, container);
  Finding finding = AgentFinding(Verdict::kWarning, Kind::kAgentStarts, pod);
  for (const json::Value& condition : ItemsOf(pod.json()["status"]["conditions"])) {
    if (TextOf(condition["type"]) == "PodScheduled" && TextOf(condition["status"]) == "False")
      finding.message = TextOf(condition["message"]);
  }
  return finding;
}

}  // namespace

void CheckAgents(kube::Client& client, const ClusterFacts& facts, Findings& findings) {
  if (facts.daemon_sets.objects.empty()) return;  // their check has said so
  if (!facts.agents.ok()) return findings.push_back(NotSeen(Finding::Check::kAgents, "list", "pods", facts.agents.status));
  FindingGroups grouped;
  for (const kube::ObjectPtr& pod : facts.agents.objects) {
    if (IsReady(pod->json())) continue;
    const std::string_view node = TextOf(pod->json()["spec"]["nodeName"]);
    grouped.Add(node.empty() ? StrCat("no node (", kube::KeyOf(*pod), ")") : std::string(node),
                UnreadyFinding(client, facts.release, *pod));
  }
  grouped.Take(findings);
}

}  // namespace allot::view
