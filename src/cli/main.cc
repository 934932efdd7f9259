// The program: one file per verb beside this one.

#include <csignal>
#include <cstdio>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "cli/program/verbs.h"

// kubectl calls a program of this name to complete the words after `kubectl allot`. The last line tells it not to offer files.
constexpr std::string_view kCompleter = "kubectl_complete-allot";
constexpr const char* kNoFiles = ":4\n";

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed connection then returns an error
  allot::cli::HoldStandardFiles();
  std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (argc == 0 || !std::string_view(argv[0]).ends_with(kCompleter)) return allot::cli::RunProgram(words);
  words.insert(words.begin(), {"__complete", "--"});
  const int code = allot::cli::RunProgram(words);
  std::fputs(kNoFiles, stdout);
  return std::fflush(stdout) == 0 ? code : 1;
}
