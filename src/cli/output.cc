#include "cli/output.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "kube/error.h"

namespace allot::cli {
namespace {

Status Failure() {
  if (errno == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return Unavailable("standard output: ", std::strerror(errno));
}

}  // namespace

Status Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) return Failure();
  return Status();
}

Status Flush() {
  if (std::fflush(stdout) != 0) return Failure();
  if (std::ferror(stdout) != 0) return Unavailable("standard output: an earlier write failed");
  return Status();
}

bool OutputFailed() { return std::ferror(stdout) != 0; }

void HoldStandardFiles() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // open returns the lowest free number, which is `fd`. In the wrong direction every use fails with EBADF, as with a closed file.
    ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);  // NOLINT(android-cloexec-open): programs that we run inherit it
  }
}

void Note(std::string_view text) {
  // Errors of standard error are ignored: there is no other place to report them.
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

std::string ErrorText(const Status& status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  if (error == nullptr || error->message.empty()) return StrCat("error: ", status.message());
  if (error->reason == "Unauthorized") return StrCat("error: You must be logged in to the server (", error->message, ")");
  if (error->reason.empty() || error->reason == "Unknown") return StrCat("Error from server: ", error->message);
  return StrCat("Error from server (", error->reason, "): ", error->message);
}

int Exit(const Status& status) {
  const Status flushed = Flush();
  if (!status.ok()) Note(ErrorText(status));
  if (!flushed.ok() && status.ok()) Note(ErrorText(flushed));
  return status.ok() && flushed.ok() ? 0 : 1;
}

int BadUsage(std::string_view what) {
  Note(StrCat("error: ", what));
  return 2;
}

}  // namespace allot::cli
