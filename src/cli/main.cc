// The program: one file per verb beside this one.

#include <csignal>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a server that has gone is an error of the write
  allot::cli::HoldStandardFiles();
  const std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  return allot::cli::RunProgram(words);
}
