// The completions of the last word of a command line.

#include <algorithm>

#include "base/strings.h"
#include "cli/get/get.h"
#include "cli/program/completion.h"
#include "cli/program/verbs.h"
#include "kube/discovery.h"

namespace allot::cli {
namespace {

const Verb* FindVerb(const std::vector<Verb>& verbs, std::string_view name) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

void Offer(std::string_view word, Completions& completions) {
  if (word.starts_with(completions.begun)) completions.words.push_back(StrCat(completions.prefix, word));
}

void OfferVerbs(const std::vector<Verb>& verbs, Completions& completions) {
  for (const Verb& verb : verbs) {
    if (!verb.summary.empty()) Offer(verb.name, completions);
  }
}

void OfferKinds(Completions& completions) {
  for (const kube::ApiResource& resource : kube::KnownResources()) {
    Offer(resource.type.plural, completions);
    // Our own short names; one like "po" needs no completion.
    if (const std::string name = resource.short_names.empty() ? "" : resource.short_names[0]; name.size() > 3) Offer(name, completions);
  }
  // Before the first letter, offer only the kinds that allot works with: they need no request.
  completions.kinds = !completions.begun.empty();
}

void OfferValue(const Flag& flag, Completions& completions) {
  if (flag.name == "namespace") completions.names_of = "namespaces";
  if (flag.name == "context" || flag.name == "cluster" || flag.name == "user") completions.config_list = StrCat(flag.name, "s");
  if (flag.value == "FILE") completions.files = true;
  if (flag.value.find('|') == std::string_view::npos) return;
  for (const std::string_view choice : Split(flag.value, '|')) {
    const size_t equals = choice.find('=');
    Offer(equals == choice.npos ? choice : choice.substr(0, equals + 1), completions);
  }
}

// The flag of a word that contains the flag's value, "--output=y" or "-o=y"; sets the prefix.
const Flag* OpenInWord(std::span<const Flag> flags, Completions& completions) {
  const size_t equals = completions.begun.find('=');
  if (!completions.begun.starts_with('-') || equals == std::string::npos) return nullptr;
  const std::string_view written = std::string_view(completions.begun).substr(0, equals);
  for (const Flag& flag : flags) {
    if (flag.value.empty() || (written != StrCat("--", flag.name) && (flag.letter == 0 || written != StrCat("-", flag.letter)))) continue;
    completions.prefix = completions.begun.substr(0, equals + 1);
    completions.begun.erase(0, equals + 1);
    return &flag;
  }
  return nullptr;
}

void CompleteTypes(const std::vector<std::string>& operands, bool all_namespaces, Completions& completions) {
  const std::string last = completions.begun;
  if (const size_t slash = last.find('/'); slash != std::string::npos) {
    completions.prefix = last.substr(0, slash + 1);
    completions.begun = last.substr(slash + 1);
    completions.names_of = last.substr(0, slash);
    for (const std::string& operand : operands) {
      if (operand.starts_with(completions.prefix)) completions.taken.push_back(operand.substr(slash + 1));
    }
  } else if (operands.empty()) {
    const size_t comma = last.rfind(',');
    if (comma != std::string::npos) completions.prefix = last.substr(0, comma + 1), completions.begun = last.substr(comma + 1);
    OfferKinds(completions);
  } else if (operands[0].find('/') == std::string::npos && operands[0].find(',') == std::string::npos) {
    completions.names_of = operands[0];
    completions.taken.assign(operands.begin() + 1, operands.end());
  }
  if (all_namespaces) completions.names_of.clear();  // get and delete refuse names with -A
}

// NAME, or pod/NAME if the word begins so.
void CompletePods(const std::vector<std::string>& operands, Completions& completions) {
  const std::string last = completions.begun;
  if (const size_t slash = last.find('/'); slash != std::string::npos) {
    completions.prefix = last.substr(0, slash + 1);
    completions.begun = last.substr(slash + 1);
  }
  completions.names_of = "pods";
  for (const std::string& operand : operands) {
    const size_t slash = operand.find('/');
    completions.taken.push_back(slash == operand.npos ? operand : operand.substr(slash + 1));
  }
}

}  // namespace

Completions Complete(std::span<const std::string> given) {
  Completions completions;
  const std::vector<Verb> verbs = AllVerbs();
  completions.begun = given.empty() ? "" : given.back();
  // The last word is not a verb yet.
  std::vector<std::string_view> before(given.begin(), given.empty() ? given.begin() : given.end() - 1);
  const std::vector<std::string> words = VerbFirst(before);
  const Verb* const verb = words.empty() ? nullptr : FindVerb(verbs, words[0]);
  if (verb == nullptr) {
    const bool only_flags = words.empty() || words[0].starts_with('-');
    const std::vector<Flag> known = AllFlags(GetVerb());
    if (only_flags && !given.empty() &&
        (given.back().starts_with('-') || (!before.empty() && TakesNext(known, before.back()) != nullptr))) {
      std::vector<std::string> as_if(given.begin(), given.end());
      as_if.emplace(as_if.begin(), GetVerb().name);  // get: most other verbs take the same operands
      return Complete(as_if);
    }
    if (only_flags) OfferVerbs(verbs, completions);
    return completions;
  }
  if (const auto rest = std::find(words.begin(), words.end(), "--"); verb->operands == Operands::kCommand && rest != words.end()) {
    // The command's own words: complete nothing.
    (rest + 1 == words.end() ? completions.commands : completions.files) = true;
    return completions;
  }
  const std::vector<Flag> flags = AllFlags(*verb);
  std::vector<std::string> operands;
  const Flag* open = nullptr;  // the flag whose value is the last word
  bool all_namespaces = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (open != nullptr) {
      open = nullptr;
    } else if (words[i].starts_with('-')) {
      open = TakesNext(flags, words[i]);
      all_namespaces |= words[i] == "-A" || words[i] == "--all-namespaces";
    } else {
      operands.push_back(words[i]);
    }
  }
  completions.line.assign(words.begin(), open == nullptr ? words.end() : words.end() - 1);
  if (open == nullptr) open = OpenInWord(flags, completions);
  if (open != nullptr) {
    OfferValue(*open, completions);
  } else if (completions.begun.starts_with('-')) {
    for (const Flag& flag : flags) Offer(StrCat("--", flag.name), completions);
  } else if (verb->operands == Operands::kVerbs) {
    OfferVerbs(verbs, completions);
  } else if (verb->operands == Operands::kShells) {
    for (const std::string_view shell : {"bash", "fish", "zsh"}) Offer(shell, completions);
  } else if (verb->operands == Operands::kNodes) {
    completions.names_of = "nodes";
    completions.taken = operands;
  } else if (verb->operands == Operands::kPods) {
    CompletePods(operands, completions);
  } else if (verb->operands == Operands::kTypes) {
    CompleteTypes(operands, all_namespaces, completions);
  }
  return completions;
}

}  // namespace allot::cli
