#include "cli/program/verbs.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/strings.h"
#include "cli/apply/apply.h"
#include "cli/delete.h"
#include "cli/describe.h"
#include "cli/doctor.h"
#include "cli/explain.h"
#include "cli/get/get.h"
#include "cli/logs.h"
#include "cli/node.h"
#include "cli/output.h"
#include "cli/program/completion.h"
#include "cli/program/man.h"
#include "cli/run/run.h"
#include "cli/session.h"
#include "cli/status.h"
#include "cli/up/apiserver.h"
#include "cli/up/demo.h"
#include "cli/up/kubeconfig.h"
#include "cli/up/shim.h"
#include "cli/up/up.h"

namespace allot::cli {
namespace {

Verb VersionVerb() {
  Verb verb;
  verb.name = "version";
  verb.summary = "Prints the version of allot.";
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments&) { return Exit(Print(StrCat("allot ", ALLOT_VERSION, "\n"))); };
  return verb;
}

const Verb* FindVerb(const std::vector<Verb>& verbs, std::string_view name) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

std::string Overview(const std::vector<Verb>& verbs) {
  std::string text = "allot shares GPUs between Pods by memory.\n\nusage: allot VERB [arguments]\n\n";
  size_t width = 0;
  for (const Verb& verb : verbs) width = std::max(width, verb.summary.empty() ? 0 : verb.name.size());
  for (const Verb& verb : verbs) {
    if (verb.summary.empty()) continue;  // an internal verb
    text += StrCat("  ", verb.name, std::string(width - verb.name.size() + 2, ' '), verb.summary, "\n");
  }
  return text + "\n`allot VERB --help` lists a verb's flags, with examples.\n";
}

// The hint to put "--" before the command, if a flag of the command was read as a flag of the verb; else empty.
std::string CommandHint(const Verb& verb, std::span<const std::string_view> words) {
  const std::vector<Flag> flags = AllFlags(verb);
  const size_t command = FirstOperand(flags, words);
  if (verb.operands != Operands::kCommand || command == words.size()) return "";
  if (!Arguments::Parse(flags, words.first(command)).ok()) return "";
  return StrCat("; put -- before the command to pass its flags on: allot ", verb.name, " [flags] -- ", words[command], " ...");
}

// The error of a missing or malformed operand; empty if the operands are right.
std::string WhatIsMissing(const Verb& verb, const Arguments& arguments) {
  if (!arguments.operands().empty() && verb.operands == Operands::kTypes) return CheckTargets(arguments.operands()).message();
  if (!arguments.operands().empty() || arguments.Has("filename")) return "";
  if (verb.operands == Operands::kTypes) return "no kind is given; name one, like pods or claims";
  return verb.operands == Operands::kPods ? StrCat("which Pod? allot ", verb.name, " pod/NAME") : "";
}

}  // namespace

std::vector<Verb> AllVerbs() {
  Verb help;
  help.name = "help";
  help.summary = "Prints this text, or the help of a verb: allot help get.";
  help.usage = "[VERB]";
  help.operands = Operands::kVerbs;
  help.connects = false;
  return {UpVerb(),         RunVerb(),    StatusVerb(),   ExplainVerb(), LogsVerb(), GetVerb(),       DescribeVerb(),
          ApplyVerb(),      DeleteVerb(), DoctorVerb(),   DemoVerb(),    NodeVerb(), ApiserverVerb(), KubeconfigVerb(),
          CompletionVerb(), ManVerb(),    CompleteVerb(), ShimVerb(),    help,       VersionVerb()};
}

std::vector<std::string> VerbFirst(std::span<const std::string_view> words) {
  std::vector<std::string> ordered(words.begin(), words.end());
  std::vector<Flag> flags;
  for (const Verb& verb : AllVerbs()) {
    const std::vector<Flag> own = AllFlags(verb);
    flags.insert(flags.end(), own.begin(), own.end());
  }
  size_t verb = 0;
  while (verb < words.size() && words[verb].size() > 1 && words[verb].starts_with('-') && words[verb] != "--") {
    verb += TakesNext(flags, words[verb]) != nullptr ? 2 : 1;
  }
  if (verb < ordered.size())
    std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(verb),
                ordered.begin() + static_cast<std::ptrdiff_t>(verb) + 1);
  return ordered;
}

int RunProgram(std::span<const std::string_view> given) {
  const std::vector<Verb> verbs = AllVerbs();
  const std::vector<std::string> ordered = VerbFirst(given);
  const std::vector<std::string_view> all(ordered.begin(), ordered.end());
  const std::span<const std::string_view> words(all);
  std::string_view name = words.empty() ? "help" : words[0];
  if (name == "--help" || name == "-h") name = "help";
  if (name == "--version") name = "version";
  const Verb* verb = FindVerb(verbs, name);
  if (verb == nullptr) {
    std::vector<std::string> names;
    names.reserve(verbs.size());
    for (const Verb& one : verbs) names.emplace_back(one.name);
    const std::string nearest = Nearest(name, names);
    if (name.starts_with('-')) return BadUsage("no verb is given; `allot help` lists the verbs");
    return BadUsage(StrCat("unknown verb ", Quoted(name), nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)"),
                           "; `allot help` lists the verbs"));
  }
  const std::span<const std::string_view> behind = words.empty() ? words : words.subspan(1);
  const Result<Arguments> arguments = Arguments::Parse(AllFlags(*verb), behind);
  if (!arguments.ok()) {
    const std::string hint = CommandHint(*verb, behind);
    return BadUsage(
        StrCat(arguments.status().message(), hint.empty() ? StrCat("; `allot ", verb->name, " --help` lists the flags") : hint));
  }
  if (verb->name == "help") {
    if (arguments->operands().empty()) return Exit(Print(Overview(verbs)));
    verb = FindVerb(verbs, arguments->operands()[0]);
    if (verb == nullptr) return BadUsage(StrCat("unknown verb ", Quoted(arguments->operands()[0]), "; `allot help` lists the verbs"));
    return Exit(Print(Help(*verb)));
  }
  if (arguments->Bool("help")) return Exit(Print(Help(*verb)));
  if (verb->operands == Operands::kNone && !arguments->operands().empty()) {
    return BadUsage(StrCat(verb->name, " takes no arguments, not ", Quoted(arguments->operands()[0])));
  }
  if (const std::string missing = WhatIsMissing(*verb, *arguments); !missing.empty()) return BadUsage(missing);
  return verb->run(*verb, *arguments);
}

}  // namespace allot::cli
