#include "tests/conformance/oracle_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "json/json.h"

extern char** environ;

namespace allot::conformance {

Result<Oracle> Oracle::Start(const std::string& path) {
  signal(SIGPIPE, SIG_IGN);  // writing to a child that has ended then returns an error
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) return Unavailable("pipe: ", std::strerror(errno));
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return Unavailable("pipe: ", std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::string name = path;
  char* arguments[] = {name.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  if (error != 0) {
    close(in[1]);
    close(out[0]);
    return Unavailable("start ", path, ": ", std::strerror(error));
  }
  return Oracle(child, in[1], out[0]);
}

Oracle::Oracle(Oracle&& other) noexcept
    : child_(std::exchange(other.child_, 0)), to_(other.to_), from_(other.from_), buffered_(std::move(other.buffered_)) {}

Oracle::~Oracle() {
  if (child_ == 0) return;
  close(to_);
  close(from_);
  waitpid(child_, nullptr, 0);
}

Result<json::Document> Oracle::Ask(std::string_view question) {
  std::string line(question);
  line += '\n';
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t n = write(to_, line.data() + sent, line.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Unavailable("write to the oracle: ", std::strerror(errno));
    sent += static_cast<size_t>(n);
  }
  size_t searched = 0;
  for (;;) {
    const size_t end = buffered_.find('\n', searched);
    if (end != std::string::npos) {
      Result<json::Document> answer = json::Parse(std::string_view(buffered_).substr(0, end));
      buffered_.erase(0, end + 1);
      return std::move(answer).Context("the oracle's answer");
    }
    searched = buffered_.size();
    char chunk[1 << 16];
    const ssize_t n = read(from_, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Unavailable("read from the oracle: ", std::strerror(errno));
    if (n == 0) return Unavailable("the oracle ended");
    buffered_.append(chunk, static_cast<size_t>(n));
  }
}

}  // namespace allot::conformance
