#pragma once
// `allot completion`: prints scripts that complete verbs, flags, their values, kinds and names in a shell, from the same tables as --help.

#include <span>
#include <string>
#include <vector>

#include "cli/program/args.h"

namespace allot::cli {

Verb CompletionVerb();

// `allot __complete WORD...`: prints the completions of the last word, one on each line, or ":files" for a path. The scripts call it. It
// asks the cluster for kinds and names, within two seconds in total; errors give no completions.
Verb CompleteVerb();

// The completions that need no cluster: verbs, flags, their values, kinds that allot works with. The other members say what to ask the
// cluster for.
struct Completions {
  std::vector<std::string> words;  // whole, with `prefix`
  bool files = false;              // a path is being written
  bool commands = false;           // a program is being named
  std::string prefix;              // of the last word, before the part to complete: "pod/", "--namespace=", "pods,"
  std::string begun;               // the rest of the last word

  bool kinds = false;              // ask for kinds that allot does not work with
  std::string names_of;            // ask for the objects of this kind; empty: do not ask
  std::vector<std::string> taken;  // names that are already on the line
  std::string config_list;         // "contexts", "clusters", "users": names of the kubeconfig
  std::vector<std::string> line;   // the verb and the words before the last word and its flag
};
Completions Complete(std::span<const std::string> words);

}  // namespace allot::cli
