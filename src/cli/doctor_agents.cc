// Checks of the agents: are they ready, and if not, what do they say.

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "kube/url.h"

namespace allot::cli {
namespace {

bool IsReady(const json::Value& pod) {
  for (const json::Value& condition : ItemsOf(pod["status"]["conditions"])) {
    if (Text(condition["type"]) == "Ready") return Text(condition["status"]) == "True";
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
Finding EndedFinding(const Release& release, const json::Value& container, std::string_view where) {
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
  Advise(message, StrCat(where, end.IsObject() ? " --previous" : ""), release, finding);
  return finding;
}

// Of one that runs and is not ready: its log says why.
Finding RunningFinding(Session& session, const Release& release, const kube::Object& pod, const json::Value& container,
                       std::string_view where) {
  Finding finding{"agents", Verdict::kFailed, "runs, but is not ready"};
  const std::string target = StrCat(kube::types::kPods.ObjectPath(pod.namespace_name(), pod.name(), "log"),
                                    kube::WriteQuery({{"container", std::string(Text(container["name"]))}, {"tailLines", "50"}}));
  const Result<http::Response> log = session.client().Raw({"GET", target, {}, ""}, "get the log");
  const std::string trouble = log.ok() ? LastTrouble(log->body) : "";
  if (!trouble.empty()) finding.text = StrCat("is not ready: ", trouble);
  if (!log.ok()) finding.text += StrCat("; its log cannot be seen: ", Reason(log.status()));
  Advise(trouble, where, release, finding);
  return finding;
}

Finding UnreadyFinding(Session& session, const Release& release, const kube::Object& pod) {
  const std::string where = Where(pod);
  const json::Value container = UnreadyContainer(pod.json());
  const json::Value& state = container["state"];
  const std::string_view waits = Text(state["waiting"]["reason"]);
  if (IsImageTrouble(waits)) return ImageFinding(container, where);
  if (state["running"].IsObject()) return RunningFinding(session, release, pod, container, where);
  if (container.IsNull() || waits == "ContainerCreating" || waits == "PodInitializing") {
    std::string text = "is being started";
    for (const json::Value& condition : ItemsOf(pod.json()["status"]["conditions"])) {
      if (Text(condition["type"]) == "PodScheduled" && Text(condition["status"]) == "False") text = Text(condition["message"]);
    }
    return {"agents", Verdict::kWarning, text,
            "give it a minute; if it stays so, its events say why:", StrCat("kubectl describe pod ", where)};
  }
  return EndedFinding(release, container, where);
}

}  // namespace

void CheckAgents(Session& session, const ClusterFacts& facts, Findings& findings) {
  if (facts.daemon_sets.objects.empty()) return;  // their check has said so
  if (!facts.agents.ok()) return findings.push_back(CannotSee("agents", "list", "pods", facts.agents.status));
  ByNode grouped;
  for (const kube::ObjectPtr& pod : facts.agents.objects) {
    if (IsReady(pod->json())) continue;
    const std::string_view node = Text(pod->json()["spec"]["nodeName"]);
    grouped.Add(node.empty() ? StrCat("no node (", kube::KeyOf(*pod), ")") : std::string(node),
                UnreadyFinding(session, facts.release, *pod));
  }
  grouped.Take(findings, "agent on ");
}

}  // namespace allot::cli
