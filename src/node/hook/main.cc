// allot-cdi-hook update-ldcache [--folder=DIR]...
//
// A createContainer hook of our CDI specs (src/node/ldcache.h). It reads the container's state from stdin. It writes errors to stderr,
// which the container runtime reports. An error stops the creation of the container, which would otherwise fail later, without its
// libraries, and with a message that is harder to understand.

#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "node/ldcache.h"

namespace allot::node {
namespace {

constexpr size_t kMaxState = 4 << 20;
constexpr std::string_view kFolder = "--folder=";

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

Status Run(const std::vector<std::string_view>& words) {
  if (words.empty() || words[0] != "update-ldcache") return Invalid("usage: allot-cdi-hook update-ldcache [--folder=DIR]...");
  std::vector<std::string> folders;
  for (size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with(kFolder)) return Invalid("unknown argument ", Quoted(words[i]), "; there is --folder=DIR");
    folders.emplace_back(words[i].substr(kFolder.size()));
  }
  ASSIGN_OR_RETURN(const std::string state, ReadStdin());
  ASSIGN_OR_RETURN(const std::string root, ContainerRoot(PosixFileSystem(), state));
  return UpdateLdCache(root, folders);
}

}  // namespace
}  // namespace allot::node

int main(int argc, char** argv) {
  const allot::Status done = allot::node::Run({argv + 1, argv + argc});
  if (done.ok()) return 0;
  const std::string line = allot::StrCat("allot-cdi-hook: ", done.message(), "\n");
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  return 1;
}
