#pragma once
// `allot completion`: scripts that complete verbs, flags, kinds and names in a shell; made of the same tables as --help.

#include "cli/args.h"

namespace allot::cli {

Verb CompletionVerb();

// `allot __complete WORD...`: what may stand in place of the last word, a line each. What the scripts call. Names of objects are asked
// of the cluster, for at most two seconds; what goes wrong gives no words.
Verb CompleteVerb();

// Without a cluster: verbs, flags, their choices, kinds. `names` is what to ask the cluster for: a kind; empty: nothing.
struct Completions {
  std::vector<std::string> words;
  std::string names_of;
  std::string names_prefix;  // "pod/" where TYPE/NAME is being written
};
Completions Complete(std::span<const std::string> words);

}  // namespace allot::cli
