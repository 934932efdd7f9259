#include "local/containers/shim.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>

#include "local/containers/container_files.h"
#include "local/containers/log_file.h"
#include "local/containers/shim_program.h"
#include "local/gpu_users.h"

namespace allot::local {
namespace {

using std::chrono::milliseconds;

constexpr int kReadSize = 64 << 10;

std::string ErrorText(int error) { return std::generic_category().message(error); }

int Complain(std::string_view what) {
  std::fputs(StrCat("error: ", what, "\n").c_str(), stderr);
  return 1;
}

struct Pipe {
  int read = -1, write = -1;
};

bool MakePipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {ends[0], ends[1]};
  return true;
}

void Close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Runs one container, from the fork of its program to exit.json. Lives in its own process with one thread.
class Shim {
 public:
  Shim(std::string folder, ContainerSpec spec)
      : folder_(std::move(folder)),
        spec_(std::move(spec)),
        log_(StrCat(folder_, "/", kLogFile), std::max<int64_t>(spec_.log_bytes, 1), clock_) {}

  // Closes `ready` when the program runs. If it cannot run, `ready` is closed when the process exits.
  void Run(int ready) {
    if (const auto mark = spec_.environment.find(kGpuMark); mark != spec_.environment.end()) MarkGpuUse(mark->second.c_str(), false);
    BlockSignals();
    if (const StartError error = Start(); !error.message.empty()) {
      EndDescendants();
      Record({error.exit_code, 0, error.reason, error.message, clock_.Now()});
      return;
    }
    Close(ready);
    const int status = Follow();
    ContainerExit ending;
    ending.finished_at = clock_.Now();
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending.exit_code = ending.signal != 0 ? 128 + ending.signal : WEXITSTATUS(status);
    EndDescendants();
    // All descendants have ended. Another process may still have a pipe open, so do not wait for its end.
    Drain(out_.read, LogFile::Stream::kStdout);
    Drain(err_.read, LogFile::Stream::kStderr);
    log_.Finish();
    Record(ending);
  }

 private:
  void BlockSignals() {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    sigset_t heard;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGCHLD);
    ::sigaddset(&heard, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &heard, nullptr);
    signals_ = ::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  StartError Start() {
    Pipe go, result;
    if (signals_ < 0 || !MakePipe(out_) || !MakePipe(err_) || !MakePipe(go) || !MakePipe(result)) {
      return {.message = StrCat("create pipes for the output: ", ErrorText(errno))};
    }
    const pid_t shim = ::getpid();
    main_ = ::fork();
    if (main_ < 0) return {.message = StrCat("start a process: ", ErrorText(errno))};
    if (main_ == 0) {
      ::close(go.write);
      const StartError error = BecomeProgram(spec_, {out_.write, err_.write, go.read}, shim);
      const std::string text = StrCat(error.exit_code, "\n", error.reason, "\n", error.message);
      ::_exit(::write(result.write, text.data(), text.size()) < 0 ? 2 : 1);
    }
    Close(out_.write), Close(err_.write), Close(go.read), Close(result.write);
    ::fcntl(out_.read, F_SETFL, O_NONBLOCK);
    ::fcntl(err_.read, F_SETFL, O_NONBLOCK);
    const StartError error = Release(go.write, result.read);
    Close(go.write), Close(result.read);
    return error;
  }

  // Writes state.json, then lets the program start.
  StartError Release(int& go, int result) {
    const std::optional<ProcessInfo> self = ReadProcess(::getpid()), main = ReadProcess(main_);
    if (!self || !main) return {.message = "/proc has no entry for the shim or its program"};
    const ContainerBirth birth{self->id, main->id, BootId(), clock_.Now()};
    if (const Status written = WriteBirth(files_, folder_, birth); !written.ok()) return {.message = written.message()};
    // EPIPE: the program's process failed before it read `go`; its error is in `result`.
    if (::write(go, "g", 1) != 1 && errno != EPIPE) return {.message = StrCat("start the program: ", ErrorText(errno))};
    std::string text;
    for (char buffer[4096];;) {
      const ssize_t count = ::read(result, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      text.append(buffer, static_cast<size_t>(count));
    }
    if (text.empty()) return {};  // exec closed the pipe
    const size_t first = text.find('\n'), second = text.find('\n', first + 1);
    return {std::stoi(text.substr(0, first)), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
  }

  // Writes the output to the log until the program has ended. Returns its wait status.
  int Follow() {
    for (;;) {
      std::array<pollfd, 3> ready{pollfd{signals_, POLLIN, 0}, pollfd{out_.read, POLLIN, 0}, pollfd{err_.read, POLLIN, 0}};
      if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) std::this_thread::sleep_for(milliseconds(20));
      if (ready[1].revents != 0) ReadSome(out_.read, LogFile::Stream::kStdout);
      if (ready[2].revents != 0) ReadSome(err_.read, LogFile::Stream::kStderr);
      if (ready[0].revents != 0 && HearSignals()) break;
    }
    // The program is still a zombie, so its PID and group ID cannot be reused yet.
    ::kill(-main_, SIGKILL);
    int status = 0;
    while (::waitpid(main_, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

  // Returns true if the program has ended.
  bool HearSignals() {
    signalfd_siginfo heard;
    while (::read(signals_, &heard, sizeof heard) == sizeof heard) {
      if (heard.ssi_signo == SIGTERM) ::kill(main_, SIGTERM);
    }
    for (;;) {
      siginfo_t ended = {};
      if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return false;
      if (ended.si_pid == main_) return true;
      ::waitpid(ended.si_pid, nullptr, 0);  // an orphan that became our child
    }
  }

  // Returns false if there was nothing to read, or at the end of the pipe.
  bool ReadSome(int& fd, LogFile::Stream stream) {
    static char buffer[kReadSize];
    if (fd < 0) return false;
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
    if (count <= 0) Close(fd);
    if (count > 0) log_.Append(stream, {buffer, static_cast<size_t>(count)});
    return count > 0;
  }

  // Reads at most as much as the pipe can hold, because another process may keep writing.
  void Drain(int& fd, LogFile::Stream stream) {
    for (int left = ::fcntl(fd, F_GETPIPE_SZ); left > 0 && ReadSome(fd, stream); left -= kReadSize) continue;
  }

  // Kills and reaps all descendants. Orphans become our children (PR_SET_CHILD_SUBREAPER), so in the end every descendant is a child.
  void EndDescendants() {
    const pid_t self = ::getpid();
    for (milliseconds pause{1};; pause = std::min(pause * 2, milliseconds(100))) {
      pid_t reaped = 0;
      while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0 || (reaped < 0 && errno == EINTR)) continue;
      if (reaped < 0) return;  // no children are left
      for (const ProcessInfo& process : AllProcesses()) {
        if (process.parent == self && !process.ended) ::kill(process.id.pid, SIGKILL);
      }
      Drain(out_.read, LogFile::Stream::kStdout);
      Drain(err_.read, LogFile::Stream::kStderr);
      std::this_thread::sleep_for(pause);
    }
  }

  // Retries until exit.json is written, because only the shim knows how the container ended.
  void Record(const ContainerExit& ending) {
    while (!WriteExit(files_, folder_, ending).ok() && files_.Exists(folder_)) std::this_thread::sleep_for(milliseconds(1000));
  }

  const std::string folder_;
  const ContainerSpec spec_;
  SystemClock clock_;
  PosixFileSystem files_;
  LogFile log_;
  int signals_ = -1;
  Pipe out_, err_;
  pid_t main_ = -1;
};

// Detaches the process from its caller: a new session, and no open files except `lock` and `ready`.
void Detach(int lock, int ready) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "allot-shim");
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  for (int fd = 3, last = std::max({lock, ready, null}); fd <= last; ++fd) {
    if (fd != lock && fd != ready) ::close(fd);
  }
  ::umask(077);
  if (::chdir("/") != 0) return;  // harmless: the folder stays busy
}

}  // namespace

int RunShim(const std::string& folder) {
  if (!folder.starts_with('/')) return Complain("the folder must be an absolute path");
  PosixFileSystem files;
  const int lock = ::open(StrCat(folder, "/", kSpecFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return Complain(StrCat(folder, "/", kSpecFile, ": ", ErrorText(errno)));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? 0 : Complain(StrCat("lock ", folder, ": ", ErrorText(errno)));
  for (const std::string_view file : {kStateFile, kExitFile}) {
    if (files.Exists(StrCat(folder, "/", file))) return 0;
  }
  Result<ContainerSpec> spec = ReadSpec(files, folder);
  if (!spec.ok()) return Complain(spec.status().message());
  Pipe ready;
  if (!MakePipe(ready)) return Complain(StrCat("create a pipe: ", ErrorText(errno)));
  const pid_t shim = ::fork();
  if (shim < 0) return Complain(StrCat("start a process: ", ErrorText(errno)));
  if (shim == 0) {
    Detach(lock, ready.write);
    Shim(folder, *std::move(spec)).Run(ready.write);
    ::_exit(0);
  }
  Close(ready.write);
  for (char none; ::read(ready.read, &none, 1) < 0 && errno == EINTR;) continue;
  return 0;
}

}  // namespace allot::local
