#include "local/run/suspended_command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "local/gpu_users.h"

namespace allot::local {
namespace {

// The signals that a user or the terminal sends to a job.
constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGTSTP};

// The state of the signal handlers.
volatile sig_atomic_t passed_to = 0;  // the command's process group
volatile sig_atomic_t terminal = -1;  // our controlling terminal
volatile sig_atomic_t takes_terminal = 0;

void PassOn(int signal) {
  const int before = errno;
  if (passed_to > 0) ::kill(-passed_to, signal);
  errno = before;
}

bool IsInFront() { return terminal >= 0 && ::tcgetpgrp(terminal) == ::getpgrp(); }

// Makes `group` the terminal's foreground group. Blocks SIGTTOU, because the kernel stops a background process that does so.
void GiveTerminal(pid_t group) {
  sigset_t stops, before;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &stops, &before);
  ::tcsetpgrp(terminal, group);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// SIGCONT: the shell's `fg` or `bg` has continued us. Continue the command, and after `fg` give it the terminal.
void Continue(int /*signal*/) {
  const int before = errno;
  if (passed_to > 0) {
    if (takes_terminal != 0 && IsInFront()) GiveTerminal(passed_to);
    ::kill(-passed_to, SIGCONT);
  }
  errno = before;
}

bool IsIgnored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void CloseAll(int& a, int& b) {
  if (a >= 0) ::close(a);
  if (b >= 0) ::close(b);
  a = b = -1;
}

[[noreturn]] void RunChild(int resume, int failure, bool takes, char* const* argv, char* const* environment, const char* path,
                           const char* mark) {
  ::setpgid(0, 0);
  if (mark != nullptr) MarkGpuUse(mark, true);
  // Reset the handlers now, as exec would, so that a signal ends the suspended process. Ignored signals stay ignored, except SIGPIPE, which
  // `allot` ignores itself.
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal == SIGPIPE || !IsIgnored(signal)) ::signal(signal, SIG_DFL);
  }
  char byte = 0;
  ssize_t got = 0;
  do got = ::read(resume, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);  // the parent has ended or given up
  if (takes) GiveTerminal(::getpid());
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (path != nullptr) ::setenv("PATH", path, 1);  // execvpe searches our own PATH
  ::execvpe(argv[0], argv, environment);
  const int error = errno;
  static_cast<void>(!::write(failure, &error, sizeof error));
  _exit(error == ENOENT ? 127 : 126);
}

Status NoProgram(const std::string& program) { return NotFound(program, ": no such program"); }
Status NoStart(const std::string& program, int error) { return Invalid(program, ": cannot start: ", std::strerror(error)); }

// 0, or the errno that says why the file cannot be executed.
int WhyNotExecutable(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

Status CheckProgram(const std::string& program, const Environment& environment) {
  if (program.empty()) return NotFound("the command is empty");
  if (program.find('/') != std::string::npos) {
    const int error = WhyNotExecutable(program);
    return error == 0 ? Status() : error == ENOENT ? NoProgram(program) : NoStart(program, error);
  }
  // Like execvp, skip files that are not executable, but report them if nothing else is found. An empty part of PATH is the current folder.
  const auto path = environment.find("PATH");
  bool forbidden = false;
  for (const std::string_view folder : Split(path == environment.end() ? "/bin:/usr/bin" : std::string_view(path->second), ':')) {
    const int error = WhyNotExecutable(StrCat(folder, folder.empty() ? "" : "/", program));
    if (error == 0) return Status();
    forbidden = forbidden || error == EACCES;
  }
  return forbidden ? NoStart(program, EACCES) : NoProgram(program);
}

Result<SuspendedCommand> SuspendedCommand::Start(std::vector<std::string> argv, const Environment& environment) {
  SuspendedCommand command;
  command.program_ = argv[0];
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(StrCat(name, "=", value));
  std::vector<char*> words, values;
  for (std::string& word : argv) words.push_back(word.data());
  for (std::string& variable : variables) values.push_back(variable.data());
  words.push_back(nullptr);
  values.push_back(nullptr);
  const auto path = environment.find("PATH"), mark = environment.find(kGpuMark);
  const auto text = [&](const auto& found) { return found == environment.end() ? nullptr : found->second.c_str(); };

  int resume[2] = {-1, -1}, failure[2] = {-1, -1};
  if (::pipe2(resume, O_CLOEXEC) != 0 || ::pipe2(failure, O_CLOEXEC) != 0) {
    CloseAll(resume[0], resume[1]);
    return Unavailable("pipe: ", std::strerror(errno));
  }
  if (terminal < 0) terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  command.takes_terminal_ = IsInFront() && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(resume[1]);
    ::close(failure[0]);
    RunChild(resume[0], failure[1], command.takes_terminal_, words.data(), values.data(), text(path), text(mark));
  }
  ::close(resume[0]);
  ::close(failure[1]);
  command.resume_ = resume[1];
  command.failure_ = failure[0];
  if (pid < 0) {
    CloseAll(command.resume_, command.failure_);
    return Unavailable("fork: ", std::strerror(errno));
  }
  ::setpgid(pid, pid);  // parent and child both do it, so that the group exists whichever runs first
  const std::optional<ProcessInfo> info = ReadProcess(pid);
  command.process_ = info ? info->id : ProcessId{pid, 0};
  return command;
}

SuspendedCommand::SuspendedCommand(SuspendedCommand&& other) noexcept
    : process_(std::exchange(other.process_, {})),
      program_(std::move(other.program_)),
      resume_(std::exchange(other.resume_, -1)),
      failure_(std::exchange(other.failure_, -1)),
      takes_terminal_(other.takes_terminal_) {}

SuspendedCommand::~SuspendedCommand() {
  const bool is_suspended = resume_ >= 0;
  CloseAll(resume_, failure_);
  if (is_suspended && process_.pid > 0) ::waitpid(process_.pid, nullptr, 0);
}

Status SuspendedCommand::Resume() {
  passed_to = process_.pid;
  takes_terminal = takes_terminal_ ? 1 : 0;
  struct sigaction action = {};
  action.sa_handler = PassOn;
  for (const int signal : kPassedOn) {
    if (!IsIgnored(signal)) ::sigaction(signal, &action, nullptr);
  }
  action.sa_handler = Continue;
  ::sigaction(SIGCONT, &action, nullptr);
  if (takes_terminal_) GiveTerminal(process_.pid);
  const char byte = 1;
  if (::write(resume_, &byte, 1) != 1) return Unavailable("the command's process is gone");
  int error = 0;
  ssize_t got = 0;
  do got = ::read(failure_, &error, sizeof error);
  while (got < 0 && errno == EINTR);
  CloseAll(resume_, failure_);
  if (got != sizeof error) return Status();
  if (takes_terminal_) GiveTerminal(::getpgrp());
  return error == ENOENT ? NoProgram(program_) : NoStart(program_, error);
}

int SuspendedCommand::Wait() {
  for (;;) {
    // WNOWAIT: until the process is reaped its PID cannot be reused, so signals can still be passed on.
    siginfo_t ended = {};
    if (::waitid(P_PID, static_cast<id_t>(process_.pid), &ended, WEXITED | WSTOPPED | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return 1;
    }
    int status = 0;
    if (ended.si_code == CLD_STOPPED) {
      // Consume only the stop: the process may have been continued and ended since.
      ended = {};
      ::waitid(P_PID, static_cast<id_t>(process_.pid), &ended, WSTOPPED | WNOHANG);
      if (ended.si_pid == process_.pid) Stopped(ended.si_status);
      continue;
    }
    passed_to = 0;
    while (::waitpid(process_.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (terminal >= 0 && ::tcgetpgrp(terminal) == process_.pid) GiveTerminal(::getpgrp());
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

// The command was stopped (Ctrl-Z): stop our whole job, too, so that the shell takes the terminal back; Continue resumes. Without a
// terminal there is no job control, and the process that stopped the command has to continue it.
void SuspendedCommand::Stopped(int signal) {
  const pid_t front = terminal >= 0 ? ::tcgetpgrp(terminal) : -1;
  if (front < 0) return;
  if ((signal == SIGTTIN || signal == SIGTTOU) && front == ::getpgrp()) {
    // The command uses the terminal, and we have it: hand it over.
    takes_terminal = 1;
    GiveTerminal(process_.pid);
    ::kill(-process_.pid, SIGCONT);
    return;
  }
  // No shell would continue us.
  if (IsOrphaned(::getpgrp())) {
    ::kill(-process_.pid, SIGCONT);
    return;
  }
  if (front == process_.pid) GiveTerminal(::getpgrp());
  ::kill(0, SIGSTOP);
}

}  // namespace allot::local
