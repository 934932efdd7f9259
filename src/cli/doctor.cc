#include "cli/doctor.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/strings.h"
#include "cli/doctor/words.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/status/screen.h"
#include "json/builder.h"
#include "json/yaml_write.h"
#include "view/doctor/checks.h"

namespace allot::cli {
namespace {

using view::Finding;
using view::Findings;
using Verdict = Finding::Verdict;

// "FAILED ", padded to the width of "warning".
std::string Mark(Verdict verdict, const Screen& screen) {
  std::string mark(verdict == Verdict::kFailed ? "FAILED" : NameOf(verdict));
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
  constexpr size_t kIndent = 9;  // the column after the mark
  std::string text;
  for (const Finding& finding : findings) {
    // Add the mark after wrapping: its colour codes have no width on the screen.
    text += Mark(finding.verdict, screen) + Wrap(std::string(kIndent, ' '), Words(finding), kIndent, screen.width).substr(kIndent - 2);
    if (finding.verdict == Verdict::kOk) continue;
    const Advice advice = AdviceFor(finding);
    text += Wrap(std::string(kIndent, ' ') + "-> ", advice.text, kIndent + 3, screen.width);
    // Do not wrap a command, so that it can be copied.
    if (!advice.command.empty()) text += StrCat(std::string(kIndent + 3, ' '), Printable(advice.command), "\n");
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
    const Advice advice = AdviceFor(finding);
    b.Key("check"), b.String(NameOf(finding.check));
    b.Key("verdict"), b.String(NameOf(finding.verdict));
    b.Key("text"), b.String(Words(finding));
    if (!advice.text.empty()) b.Key("advice"), b.String(advice.text);
    if (!advice.command.empty()) b.Key("command"), b.String(advice.command);
    b.EndObject();
  }
  b.EndArray();
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

// Prints the tree if -o is given; else returns false.
bool PrintedTree(const Arguments& arguments, const json::Document& tree, Status& status) {
  const std::string output = arguments.Get("output");
  if (output.empty()) return false;
  status = Print(output == "json" ? json::WriteSortedJson(tree.root()) : json::WriteYaml(tree.root()));
  return true;
}

// The exit code: 1 if printing or a check failed.
int Done(const Status& status, bool good) { return std::max(Exit(status), good ? 0 : 1); }

// "lab/train: 6144 MiB of n1/gpu-0 (claim train-gpu-x)"
std::string HoldWords(const view::GpuHold& hold) {
  return StrCat(hold.namespace_name, "/", hold.pod, ": ", hold.mib ? StrCat(*hold.mib, " MiB") : "all", " of ", hold.pool, "/", hold.device,
                " (claim ", hold.claim, ")");
}

json::Document HoldsJson(const std::vector<view::GpuHold>& holds) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartObject();
  b.Key("ready"), b.Bool(holds.empty());
  b.Key("holders"), b.StartArray();
  for (const view::GpuHold& hold : holds) b.String(HoldWords(hold));
  b.EndArray();
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

// Reports whether the agents can be removed. Lists only claims, because the chart's hook may list nothing else.
int BeforeUninstall(Session& session, const Arguments& arguments) {
  const Result<std::vector<view::GpuHold>> holds = view::GpuHolds(session.client());
  if (!holds.ok()) return Exit(holds.status());
  Status status;
  if (PrintedTree(arguments, HoldsJson(*holds), status)) return Done(status, holds->empty());
  if (holds->empty()) return Exit(Print("No Pod holds a share of a gpu.nvidia.com device: the agents can be removed.\n"));
  std::string text = "These Pods still hold GPUs:\n";
  for (const view::GpuHold& hold : *holds) text += StrCat("  ", Printable(HoldWords(hold)), "\n");
  text +=
      "Delete them first: without the agent kubelet cannot end them, and they would hang in Terminating.\n"
      "To remove the agents nevertheless: helm uninstall --no-hooks\n"
      "To keep the agents: helm rollback RELEASE -n NAMESPACE (helm marks the release as uninstalling, and upgrades it only after this)\n";
  return Done(Print(text), false);
}

int Run(const Verb& verb, const Arguments& arguments) {
  const Result<std::unique_ptr<Session>> session = Session::Open(verb, arguments);
  if (!session.ok()) return Exit(session.status());
  if (arguments.Bool("before-uninstall")) return BeforeUninstall(**session, arguments);
  const Findings findings = view::Examine((*session)->client(), (*session)->has_namespace() ? (*session)->namespace_name() : "");
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
      "  # whether the agents can be removed; exit code 1 while Pods hold GPUs\n"
      "  allot doctor --before-uninstall\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "look for the agents in this namespace (default: all namespaces)"},
      {"output", 'o', "json|yaml", "print in this format"},
      {"before-uninstall", 0, "", "only list the Pods that hold GPUs, and fail if there are any"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli
