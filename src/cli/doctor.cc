#include "cli/doctor.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "cli/output.h"
#include "cli/status_screen.h"
#include "json/builder.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk: return "ok";
    case Verdict::kWarning: return "warning";
    case Verdict::kFailed: return "failed";
    case Verdict::kUnknown: return "unknown";
  }
  return "";
}

// "FAILED ", always as wide as "warning".
std::string Mark(Verdict verdict, const Screen& screen) {
  std::string mark(verdict == Verdict::kFailed ? "FAILED" : VerdictName(verdict));
  mark.resize(std::string_view("warning").size(), ' ');
  if (!screen.colours) return mark;
  const std::string_view colour = verdict == Verdict::kOk ? "\x1b[32m" : verdict == Verdict::kFailed ? "\x1b[1;31m" : "\x1b[33m";
  return StrCat(colour, mark, "\x1b[0m");
}

size_t Count(const Findings& findings, Verdict verdict) {
  return static_cast<size_t>(std::count_if(findings.begin(), findings.end(), [&](const auto& one) { return one.verdict == verdict; }));
}

std::string Summary(const Findings& findings) {
  const size_t failed = Count(findings, Verdict::kFailed), warnings = Count(findings, Verdict::kWarning);
  const size_t unknown = Count(findings, Verdict::kUnknown);
  std::string text = failed > 0 ? StrCat("Not ready: ", failed, " failed") : unknown > 0 ? "Nothing failed" : "Ready: nothing failed";
  if (warnings > 0) text += StrCat(", ", warnings, warnings == 1 ? " warning" : " warnings");
  if (unknown > 0) text += StrCat(", ", unknown, " not seen");
  return text + ".\n";
}

std::string FindingsText(const Findings& findings, const Screen& screen) {
  constexpr size_t kIndent = 9;  // behind the mark
  std::string text;
  for (const Finding& finding : findings) {
    // The mark stands in front of what is wrapped, as its colour takes no room.
    text += Mark(finding.verdict, screen) + Wrap(std::string(kIndent, ' '), finding.text, kIndent, screen.width).substr(kIndent - 2);
    if (finding.verdict == Verdict::kOk) continue;
    text += Wrap(std::string(kIndent, ' ') + "-> ", finding.advice, kIndent + 3, screen.width);
    // On one line, however long, so that it can be copied.
    if (!finding.command.empty()) text += StrCat(std::string(kIndent + 3, ' '), Printable(finding.command), "\n");
  }
  return text + "\n" + Summary(findings);
}

json::Document FindingsJson(const Findings& findings) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartObject();
  b.Key("ready"), b.Bool(Count(findings, Verdict::kFailed) == 0);
  b.Key("checks"), b.StartArray();
  for (const Finding& finding : findings) {
    b.StartObject();
    b.Key("check"), b.String(finding.check);
    b.Key("verdict"), b.String(VerdictName(finding.verdict));
    b.Key("text"), b.String(finding.text);
    if (!finding.advice.empty()) b.Key("advice"), b.String(finding.advice);
    if (!finding.command.empty()) b.Key("command"), b.String(finding.command);
    b.EndObject();
  }
  b.EndArray();
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

// Prints the tree where -o asks for it; false: it does not.
bool PrintedTree(const Arguments& arguments, const json::Document& tree, Status& status) {
  const std::string output = arguments.Get("output");
  if (output.empty()) return false;
  status = Print(output == "json" ? json::WriteSortedJson(tree.root()) : json::WriteYaml(tree.root()));
  return true;
}

// What is said at the end counts as the exit code: 1 where something failed.
int Done(const Status& status, bool good) { return std::max(Exit(status), good ? 0 : 1); }

Findings Examine(Session& session) {
  Findings findings;
  ClusterFacts facts;
  if (!CheckServer(session, facts, findings) || !CheckResourceApi(session, findings)) return findings;
  ReadCluster(session, session.has_namespace() ? session.namespace_name() : "", facts);
  CheckGates(session, facts, findings);
  CheckClass(facts, findings);
  CheckSets(facts, findings);
  CheckAgents(session, facts, findings);
  CheckBareNodes(facts, findings);
  CheckPermissions(session, facts, findings);
  CheckNodes(facts, findings);
  CheckPods(session, facts, findings);
  CheckClaims(facts, findings);
  return findings;
}

// "lab/train: 6144 MiB of n1/gpu-0 (claim train-gpu-x)" of each Pod that holds one of our devices.
void AddHeld(const json::Value& claim, std::set<std::string>& held) {
  const json::Value& metadata = claim["metadata"];
  for (const json::Value& result : ItemsOf(claim["status"]["allocation"]["devices"]["results"])) {
    if (Text(result["driver"]) != kGpuDriver) continue;
    const std::optional<int64_t> mib = MemoryMib(result["consumedCapacity"]);
    for (const json::Value& pod : ItemsOf(claim["status"]["reservedFor"])) {
      held.insert(StrCat(Text(metadata["namespace"]), "/", Text(pod["name"]), ": ", mib ? StrCat(*mib, " MiB") : "all", " of ",
                         Text(result["pool"]), "/", Text(result["device"]), " (claim ", Text(metadata["name"]), ")"));
    }
  }
}

json::Document HeldJson(const std::set<std::string>& held) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartObject();
  b.Key("ready"), b.Bool(held.empty());
  b.Key("holders"), b.StartArray();
  for (const std::string& one : held) b.String(one);
  b.EndArray();
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

// Whether the agents may go. Asks for nothing but claims, which is all that the chart's hook may list.
int BeforeUninstall(Session& session, const Arguments& arguments) {
  std::set<std::string> held;
  const Result<std::string> listed =
      session.client().ListValues(kube::types::kResourceClaims, "", {}, [&](const json::Value& claim) { AddHeld(claim, held); });
  if (!listed.ok() && !IsMissing(listed.status())) return Exit(listed.status());
  Status status;
  if (PrintedTree(arguments, HeldJson(held), status)) return Done(status, held.empty());
  if (held.empty()) return Exit(Print("No Pod holds a share of a gpu.nvidia.com device: the agents can be removed.\n"));
  std::string text = "These Pods still hold GPUs:\n";
  for (const std::string& one : held) text += StrCat("  ", Printable(one), "\n");
  text +=
      "End them first: kubelet cannot end them without the agent, and they would hang in Terminating.\n"
      "To remove the agents all the same: helm uninstall --no-hooks\n"
      "To keep them: helm rollback RELEASE -n NAMESPACE (helm takes the release for half removed, and upgrades it only after that)\n";
  return Done(Print(text), false);
}

int Run(const Verb& verb, const Arguments& arguments) {
  const Result<std::unique_ptr<Session>> session = Session::Open(verb, arguments);
  if (!session.ok()) return Exit(session.status());
  if (arguments.Bool("before-uninstall")) return BeforeUninstall(**session, arguments);
  const Findings findings = Examine(**session);
  const bool good = Count(findings, Verdict::kFailed) == 0;
  Status status;
  if (!PrintedTree(arguments, FindingsJson(findings), status)) status = Print(FindingsText(findings, ScreenOfOutput()));
  return Done(status, good);
}

}  // namespace

Verb DoctorVerb() {
  Verb verb;
  verb.name = "doctor";
  verb.summary = "Checks whether the cluster is ready for allot, and says what to do.";
  verb.usage = "[flags]";
  verb.examples =
      "  # the whole cluster; exit code 1 when something failed\n"
      "  allot doctor\n"
      "  # agents of one namespace, for a script\n"
      "  allot doctor -n nvidia-dra-driver-gpu -o json | jq -r '.checks[] | select(.verdict == \"failed\") | .text'\n"
      "  # may the agents be removed? exit code 1 while Pods hold GPUs\n"
      "  allot doctor --before-uninstall\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "look for the agents in this namespace (default: in all)"},
      {"output", 'o', "json|yaml", "write it in this form"},
      {"before-uninstall", 0, "", "only say which Pods hold GPUs, and fail if there are any"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli
