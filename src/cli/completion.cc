#include "cli/completion.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/verbs.h"

namespace allot::cli {
namespace {

constexpr char kBash[] = R"(# allot in bash: source <(allot completion bash)
_allot() {
  local IFS=$'\n'
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  # bash splits at "=" and ":"; what is completed is the last part
  COMPREPLY=($(allot __complete -- "${words[@]}" 2>/dev/null))
  [[ ${COMPREPLY[*]} == */ ]] && compopt -o nospace
  if [[ ${#COMPREPLY[@]} -eq 0 && ${COMP_WORDS[COMP_CWORD-1]} == -f ]]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
}
complete -F _allot allot
)";

constexpr char kZsh[] = R"(#compdef allot
# allot in zsh: source <(allot completion zsh)
_allot() {
  local -a found
  found=("${(@f)$(allot __complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  if [[ ${words[$CURRENT-1]} == -f ]]; then
    _files
  else
    compadd -- $found
  fi
}
compdef _allot allot
)";

constexpr char kFish[] = R"(# allot in fish: allot completion fish | source
function __allot_complete
  set -l words (commandline -opc) (commandline -ct)
  allot __complete -- $words[2..-1] 2>/dev/null
end
complete -c allot -f -a '(__allot_complete)'
complete -c allot -n '__fish_seen_argument -s f -l filename' -F
)";

const Verb* FindVerb(const std::vector<Verb>& verbs, std::string_view name) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

// The flag that `word` is, where its value comes in the next word.
const Flag* TakesNext(const std::vector<Flag>& flags, std::string_view word) {
  for (const Flag& flag : flags) {
    if (flag.value.empty() || !flag.bare.empty()) continue;
    if (word == StrCat("--", flag.name) || (flag.letter != 0 && word == StrCat("-", flag.letter))) return &flag;
  }
  return nullptr;
}

void AddKinds(std::string_view prefix, std::vector<std::string>& words) {
  for (const kube::ApiResource& resource : kube::KnownResources()) {
    if (resource.type.plural.starts_with(prefix)) words.push_back(resource.type.plural);
    // Ours; a short name like "po" needs no completion.
    const std::string name = resource.short_names.empty() ? "" : resource.short_names[0];
    if (name.size() > 3 && name.starts_with(prefix)) words.push_back(name);
  }
}

Status PrintNames(const Verb& verb, const std::vector<std::string>& words, const Completions& completions) {
  std::vector<std::string_view> views(words.begin(), words.end() - 1);
  const Result<Arguments> arguments = Arguments::Parse(AllFlags(verb), std::span(views).subspan(1));
  if (!arguments.ok()) return Status();
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, *arguments));
  ASSIGN_OR_RETURN(const kube::ApiResource* const resource, session->FindType(completions.names_of));
  const http::Patience patience{std::chrono::steady_clock::now() + std::chrono::seconds(2), nullptr};
  const std::string_view begun = std::string_view(words.back()).substr(completions.names_prefix.size());
  std::string text;
  TRY(session->client()
          .List(
              resource->type, session->NamespaceOf(*resource), {},
              [&](const kube::ObjectPtr& object) {
                if (object->name().starts_with(begun)) text += StrCat(completions.names_prefix, object->name(), "\n");
              },
              patience)
          .status());
  return Print(text);
}

int RunComplete(const Verb&, const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  const Completions completions = Complete(words);
  Status status = Print(StrCat(Join(completions.words, "\n"), completions.words.empty() ? "" : "\n"));
  const std::vector<Verb> verbs = AllVerbs();
  if (status.ok() && !completions.names_of.empty()) status = PrintNames(*FindVerb(verbs, words[0]), words, completions);
  return Exit(status);
}

int RunCompletion(const Verb&, const Arguments& arguments) {
  const std::string shell = arguments.operands().size() == 1 ? arguments.operands()[0] : "";
  if (shell == "bash") return Exit(Print(kBash));
  if (shell == "zsh") return Exit(Print(kZsh));
  if (shell == "fish") return Exit(Print(kFish));
  Note("error: which shell? bash, zsh or fish: allot completion bash");
  return 2;
}

}  // namespace

Completions Complete(std::span<const std::string> words) {
  Completions completions;
  const std::vector<Verb> verbs = AllVerbs();
  const std::string last = words.empty() ? "" : words.back();
  if (words.size() <= 1) {
    for (const Verb& verb : verbs) {
      if (!verb.summary.empty() && verb.name.starts_with(last)) completions.words.emplace_back(verb.name);
    }
    return completions;
  }
  const Verb* const verb = FindVerb(verbs, words[0]);
  if (verb == nullptr) return completions;
  const std::vector<Flag> flags = AllFlags(*verb);
  std::vector<std::string> operands;
  const Flag* open = nullptr;  // whose value the last word is
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (open != nullptr) {
      open = nullptr;
    } else if (words[i].starts_with('-')) {
      open = TakesNext(flags, words[i]);
    } else {
      operands.push_back(words[i]);
    }
  }
  if (open != nullptr) {
    if (open->name == "namespace") completions.names_of = "namespaces";
    if (open->value.find('|') == std::string_view::npos) return completions;
    for (const std::string_view choice : Split(open->value, '|')) {
      if (choice.starts_with(last)) completions.words.emplace_back(choice);
    }
    return completions;
  }
  if (last.starts_with('-')) {
    for (const Flag& flag : flags) {
      if (const std::string word = StrCat("--", flag.name); word.starts_with(last)) completions.words.push_back(word);
    }
    return completions;
  }
  if (verb->operands == Operands::kVerbs) {
    for (const Verb& one : verbs) {
      if (!one.summary.empty() && one.name.starts_with(last)) completions.words.emplace_back(one.name);
    }
  } else if (verb->operands == Operands::kShells) {
    completions.words = {"bash", "fish", "zsh"};
  } else if (verb->operands == Operands::kTypes) {
    if (const size_t slash = last.find('/'); slash != std::string::npos) {
      completions.names_of = last.substr(0, slash);
      completions.names_prefix = last.substr(0, slash + 1);
    } else if (operands.empty()) {
      AddKinds(last, completions.words);
    } else if (operands[0].find('/') == std::string::npos) {
      completions.names_of = operands[0];
    }
  }
  return completions;
}

Verb CompletionVerb() {
  Verb verb;
  verb.name = "completion";
  verb.summary = "A script that completes verbs, flags, kinds and names in a shell.";
  verb.usage = "bash|zsh|fish";
  verb.examples =
      "  # now, and in every new shell\n"
      "  source <(allot completion bash)\n"
      "  allot completion bash > /etc/bash_completion.d/allot\n";
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
