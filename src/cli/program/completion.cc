#include "cli/program/completion.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/program/verbs.h"
#include "cli/session.h"
#include "kube/config/config.h"

namespace allot::cli {
namespace {

constexpr std::chrono::seconds kTime(2);

constexpr char kBash[] = R"(# allot in bash: source <(allot completion bash)
_allot() {
  local IFS=$'\n' words=() i cut
  for ((i = 1; i <= COMP_CWORD; i++)); do
    # bash splits at "=" and ":", which allot does not
    if [[ i -gt 1 && ( ${COMP_WORDS[i]} == [=:] || ${COMP_WORDS[i-1]} == [=:] ) ]]; then
      words[${#words[@]}-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  COMPREPLY=($(allot __complete -- "${words[@]}" 2>/dev/null))
  local last=${words[${#words[@]}-1]}
  if [[ ${COMPREPLY[*]} == :files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "${last#-*=}"))
    return
  fi
  if [[ ${COMPREPLY[*]} == :commands ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -c -- "$last" | sort -u))
    return
  fi
  # complete the part after the last "=" or ":"
  cut=${last%"${last##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  [[ ${COMPREPLY[*]} == *[/=] ]] && compopt -o nospace 2>/dev/null
}
complete -F _allot allot
)";

constexpr char kZsh[] = R"(#compdef allot
# allot in zsh: source <(allot completion zsh), or this file as _allot in a folder of fpath
compdef _allot allot
_allot() {
  local -a found
  found=("${(@f)$(allot __complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  if [[ $found == :files ]]; then
    compset -P '-*='
    _files
  elif [[ $found == :commands ]]; then
    _command_names -e || _files
  elif [[ -n $found ]]; then
    compadd -Q -- $found
  fi
}
# an autoloaded file is run in place of the function, the first time
if [[ $funcstack[1] == _allot ]]; then _allot "$@"; fi
)";

constexpr char kFish[] = R"(# allot in fish: allot completion fish | source
function __allot_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (allot __complete -- $words[2..-1] 2>/dev/null)
  if test "$found" = :files
    __fish_complete_path (string replace -r '^-[^=]*=' '' -- (commandline -ct))
  else if test "$found" = :commands
    __fish_complete_command
  else
    printf '%s\n' $found
  end
end
complete -c allot -f -a '(__allot_complete)'
)";

// The completions from the cluster, by `deadline`.
Result<std::set<std::string>> Ask(const Completions& completions, MonotonicTime deadline) {
  const std::vector<std::string_view> line(completions.line.begin() + 1, completions.line.end());
  const std::vector<Verb> verbs = AllVerbs();
  const auto verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& one) { return one.name == completions.line[0]; });
  ASSIGN_OR_RETURN(const Arguments arguments, Arguments::Parse(AllFlags(*verb), line));
  SessionOptions options;
  options.timeout = kTime;
  options.interactive = false;
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(*verb, arguments, options));
  const Patience patience{deadline, nullptr};
  std::set<std::string> found;
  if (completions.kinds) {
    ASSIGN_OR_RETURN(const std::span<const kube::ApiResource> types, session->AllTypes(patience));
    for (const kube::ApiResource& type : types) found.insert(type.type.plural);
    return found;
  }
  if (kube::FindResource(kube::KnownResources(), completions.names_of) == nullptr) TRY(session->AllTypes(patience).status());
  ASSIGN_OR_RETURN(const kube::ApiResource* const resource, session->FindType(completions.names_of));
  TRY(session->client()
          .List(
              resource->type, session->NamespaceOf(*resource), {}, [&](const kube::ObjectPtr& object) { found.emplace(object->name()); },
              patience)
          .status());
  return found;
}

// Names in the kubeconfig that the command line names.
std::vector<std::string> ConfigNames(const Completions& completions) {
  kube::ConfigOverrides overrides;
  const std::vector<std::string>& line = completions.line;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i].starts_with("--kubeconfig=")) overrides.kubeconfig = line[i].substr(std::string_view("--kubeconfig=").size());
    if (line[i] == "--kubeconfig" && i + 1 < line.size()) overrides.kubeconfig = line[i + 1];
  }
  const PosixFileSystem files;
  const SystemClock clock;
  return kube::KubeconfigNames(kube::SystemConfigSources(files, clock, std::move(overrides)), completions.config_list);
}

int RunComplete(const Verb&, const Arguments& arguments) {
  const MonotonicTime deadline = std::chrono::steady_clock::now() + kTime;
  const Completions completions = Complete(arguments.operands());
  if (completions.files) return Exit(Print(":files\n"));
  if (completions.commands) return Exit(Print(":commands\n"));
  std::set<std::string> words(completions.words.begin(), completions.words.end());
  const auto offer = [&](const std::string& word) {
    const bool taken = std::find(completions.taken.begin(), completions.taken.end(), word) != completions.taken.end();
    if (!taken && word.starts_with(completions.begun)) words.insert(completions.prefix + word);
  };
  if (!completions.config_list.empty()) {
    for (const std::string& name : ConfigNames(completions)) offer(name);
  } else if (completions.kinds || !completions.names_of.empty()) {
    const Result<std::set<std::string>> found = Ask(completions, deadline);
    if (found.ok()) std::for_each(found->begin(), found->end(), offer);
  }
  for (const std::string& word : words) {
    if (const Status status = Print(word + "\n"); !status.ok()) return Exit(status);
  }
  return Exit(Status());
}

int RunCompletion(const Verb&, const Arguments& arguments) {
  const std::string shell = arguments.operands().size() == 1 ? arguments.operands()[0] : "";
  if (shell == "bash") return Exit(Print(kBash));
  if (shell == "zsh") return Exit(Print(kZsh));
  if (shell == "fish") return Exit(Print(kFish));
  return BadUsage("which shell? bash, zsh or fish: allot completion bash");
}

}  // namespace

Verb CompletionVerb() {
  Verb verb;
  verb.name = "completion";
  verb.summary = "Prints a script that completes verbs, flags, kinds and names in a shell.";
  verb.usage = "bash|zsh|fish";
  verb.examples =
      "  # bash: now, and in every new shell\n"
      "  source <(allot completion bash)\n"
      "  allot completion bash > /etc/bash_completion.d/allot\n"
      "  # zsh: now (after compinit), and in every new shell\n"
      "  source <(allot completion zsh)\n"
      "  allot completion zsh > \"${fpath[1]}/_allot\"\n"
      "  # fish: now, and in every new shell\n"
      "  allot completion fish | source\n"
      "  allot completion fish > ~/.config/fish/completions/allot.fish\n";
  verb.operands = Operands::kShells;
  verb.connects = false;
  verb.run = RunCompletion;
  return verb;
}

Verb CompleteVerb() {
  Verb verb;
  verb.name = "__complete";
  verb.operands = Operands::kFiles;
  verb.connects = false;
  verb.run = RunComplete;
  return verb;
}

}  // namespace allot::cli
