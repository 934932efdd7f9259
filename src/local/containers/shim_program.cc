#include "local/containers/shim_program.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace allot::local {
namespace {

std::string ErrorText(int error) { return std::generic_category().message(error); }

void ResetSignals() {
  // Use the system call: glibc's sigaction refuses signals 32 and 33, which may be ignored, too.
  const struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    unsigned long mask[2];
  } standard = {};
  for (int signal = 1; signal < NSIG; ++signal) ::syscall(SYS_rt_sigaction, signal, &standard, nullptr, NSIG / 8);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Makes exec close all descriptors except 0, 1 and 2.
void CloseAtExec() {
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int fd = 3, last = static_cast<int>(::sysconf(_SC_OPEN_MAX)); fd < last; ++fd)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);  // Linux before 5.11
}

// Makes the program's user the owner of the pipes, so that the program may open /dev/stdout.
void GivePipes(const ProgramFiles& files, const RunAs& run_as) {
  for (const int fd : {files.out, files.err}) {
    if (::fchown(fd, run_as.uid, static_cast<gid_t>(-1)) != 0) return;  // then /dev/stdout cannot be opened, but the descriptor still works
  }
}

StartError TakeFiles(const ProgramFiles& files) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(files.out, STDOUT_FILENO) < 0 || ::dup2(files.err, STDERR_FILENO) < 0) {
    return {.message = StrCat("set up stdin, stdout and stderr: ", ErrorText(errno))};
  }
  CloseAtExec();
  return {};
}

StartError TakeIdentity(const RunAs& run_as) {
  if (::geteuid() != 0) {
    if (run_as.uid == ::geteuid() && run_as.gid == ::getegid()) return {};
    return {.reason = "ContainerCannotRun",
            .message = StrCat("the container should run as user ", run_as.uid, " and group ", run_as.gid, ", but allot runs as user ",
                              ::geteuid(), " and group ", ::getegid(), "; only root can run Pods of other users")};
  }
  if (::setgroups(run_as.groups.size(), run_as.groups.data()) != 0 || ::setresgid(run_as.gid, run_as.gid, run_as.gid) != 0 ||
      ::setresuid(run_as.uid, run_as.uid, run_as.uid) != 0) {
    return {.reason = "ContainerCannotRun", .message = StrCat("change to user ", run_as.uid, ": ", ErrorText(errno))};
  }
  return {};
}

// Returns the program's path. A name without a slash is searched in the absolute folders of PATH.
std::string FindProgram(const ContainerSpec& spec, StartError& error) {
  const std::string& name = spec.argv[0];
  if (name.find('/') != std::string::npos) return name;
  error = {127, "StartError", StrCat("program ", Quoted(name), " is not in PATH")};
  const auto path = spec.environment.find("PATH");
  if (name.empty() || path == spec.environment.end()) return "";
  for (const std::string_view folder : Split(path->second, ':')) {
    if (!folder.starts_with('/')) continue;
    const std::string candidate = StrCat(folder, "/", name);
    struct stat found;
    if (::stat(candidate.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    error = {126, "StartError", StrCat("run ", candidate, ": ", ErrorText(EACCES))};
  }
  return "";
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

StartError Execute(const ContainerSpec& spec) {
  StartError error;
  const std::string program = FindProgram(spec, error);
  if (program.empty()) return error;
  std::vector<std::string> argv = spec.argv, variables;
  for (const auto& [name, value] : spec.environment) variables.push_back(StrCat(name, "=", value));
  ::execve(program.c_str(), Pointers(argv).data(), Pointers(variables).data());
  const int code = errno;
  const bool missing = code == ENOENT || code == ENOTDIR;
  if (missing && ::access(program.c_str(), F_OK) == 0) return {127, "StartError", StrCat("run ", program, ": its interpreter is missing")};
  const int exit_code = missing ? 127 : code == EACCES || code == ENOEXEC || code == EPERM ? 126 : 128;
  return {exit_code, "StartError", StrCat("run ", program, ": ", ErrorText(code))};
}

}  // namespace

StartError BecomeProgram(const ContainerSpec& spec, const ProgramFiles& files, pid_t shim) {
  ::setsid();
  if (StartError error = TakeFiles(files); !error.message.empty()) return error;
  if (spec.run_as) {
    GivePipes(files, *spec.run_as);
    if (StartError error = TakeIdentity(*spec.run_as); !error.message.empty()) return error;
  }
  // After the change of identity, which would clear it (prctl(2)).
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != shim) ::_exit(1);
  if (spec.no_new_privileges && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return {.reason = "ContainerCannotRun", .message = StrCat("allowPrivilegeEscalation: false: ", ErrorText(errno))};
  }
  if (::chdir(spec.working_directory.c_str()) != 0) {
    return {.message = StrCat("change to the folder ", spec.working_directory, ": ", ErrorText(errno))};
  }
  ::umask(022);
  char go = 0;
  ssize_t count = 0;
  while ((count = ::read(files.go, &go, 1)) < 0 && errno == EINTR) continue;
  if (count != 1) ::_exit(1);
  ResetSignals();
  return Execute(spec);
}

}  // namespace allot::local
