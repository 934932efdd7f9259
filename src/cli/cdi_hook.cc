#include "cli/cdi_hook.h"

#include <unistd.h>

#include "base/file_system.h"
#include "cli/output.h"
#include "node/ldcache.h"

namespace allot::cli {
namespace {

constexpr size_t kMaxState = 4 << 20;

Result<std::string> ReadStdin() {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count == 0) return text;
    if (count < 0) return Unavailable("the container's state cannot be read from stdin");
    text.append(buffer, static_cast<size_t>(count));
    if (text.size() > kMaxState) return Exhausted("the container's state on stdin is longer than ", kMaxState, " bytes");
  }
}

Status Run(const Arguments& arguments) {
  if (arguments.operands() != std::vector<std::string>{"update-ldcache"}) return Invalid("cdi-hook: expected update-ldcache");
  ASSIGN_OR_RETURN(const std::string state, ReadStdin());
  const PosixFileSystem files;
  ASSIGN_OR_RETURN(const std::string root, node::ContainerRoot(files, state));
  return node::UpdateLdCache(root, arguments.All("folder")).Context("cdi-hook update-ldcache");
}

}  // namespace

Verb CdiHookVerb() {
  Verb verb;
  verb.name = "cdi-hook";
  verb.usage = "update-ldcache [--folder DIR]...";
  verb.connects = false;
  verb.flags = {{.name = "folder", .value = "DIR", .help = "with libraries, in the container; may be given more than once"}};
  verb.run = [](const Verb&, const Arguments& arguments) { return Exit(Run(arguments)); };
  return verb;
}

}  // namespace allot::cli
