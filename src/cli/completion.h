#pragma once
// `allot completion`: scripts that complete verbs, flags, their values, kinds and names in a shell; made of the same tables as --help.

#include <span>
#include <string>
#include <vector>

#include "cli/args.h"

namespace allot::cli {

Verb CompletionVerb();

// `allot __complete WORD...`: what may stand in place of the last word, a line each; ":files" alone: a file. What the scripts call. What
// only the cluster knows is asked for, within two seconds with all that this takes; what goes wrong gives no words.
Verb CompleteVerb();

// Without a cluster: verbs, flags, their choices, kinds that allot works with. The rest says what to ask for.
struct Completions {
  std::vector<std::string> words;  // whole, with `prefix`
  bool files = false;              // a path is being written
  bool commands = false;           // a program is being named
  std::string prefix;              // of the last word, in front of what is completed: "pod/", "--namespace=", "pods,"
  std::string begun;               // the rest of the last word

  bool kinds = false;              // ask for kinds that allot does not work with
  std::string names_of;            // ask for the objects of this kind; empty: do not
  std::vector<std::string> taken;  // names that are written already
  std::string config_list;         // "contexts", "clusters", "users": names of the kubeconfig
  std::vector<std::string> line;   // the verb and what stands before the last word and the flag that it belongs to
};
Completions Complete(std::span<const std::string> words);

}  // namespace allot::cli
