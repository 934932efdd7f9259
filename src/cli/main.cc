// The program: one file per verb beside this one.

#include <cstdio>
#include <string_view>

#include "base/strings.h"
#include "cli/demo.h"

namespace {

constexpr char kHelp[] =
    "allot shares GPUs between Pods by memory.\n"
    "\n"
    "usage: allot VERB\n"
    "\n"
    "  demo     eight GPUs, who holds what, one claim that starts and one that waits, with the reasons\n"
    "  help     this text\n"
    "  version  which allot this is\n"
    "\n"
    "More verbs come as the parts behind them are built; README.md says what works today.\n";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "help";
  if (verb == "help" || verb == "--help" || verb == "-h") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (verb == "version" || verb == "--version") {
    std::printf("allot %s\n", ALLOT_VERSION);
    return 0;
  }
  if (verb != "demo" || argc > 2) {
    const std::string what = verb == "demo" ? allot::StrCat("demo takes no arguments, not ", allot::Quoted(argv[2]))
                                            : allot::StrCat("verb ", allot::Quoted(verb), " is not known");
    std::fprintf(stderr, "error: %s; `allot help` lists the verbs\n", what.c_str());
    return 2;
  }
  return allot::cli::Demo();
}
