#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace allot {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kKilled{1000};  // how long to wait for a killed child

std::string ErrorText(int error) { return std::generic_category().message(error); }

std::string Seconds(milliseconds time) {
  return time.count() % 1000 == 0 ? StrCat(time.count() / 1000, " s") : StrCat(time.count(), " ms");
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

// Keeps both ends above descriptor 2, so the child's dup2 onto 1 and 2 never closes them, even if this process runs without a stdin.
Result<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Unavailable("make a pipe: ", ErrorText(errno));
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  for (Descriptor* end : {&pipe.read, &pipe.write}) {
    if (end->get() > STDERR_FILENO) continue;
    *end = Descriptor(::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!end->valid()) return Unavailable("make a pipe: ", ErrorText(errno));
  }
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

bool HasOwnGroup(const ProcessSpec& spec) { return spec.group == ProcessSpec::Group::kOwn && spec.stdin_from == ProcessSpec::Stdin::kNull; }

// The arguments of posix_spawn, freed by the destructor.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // Returns 0 or an errno.
  int Fill(const ProcessSpec& spec, const Descriptor& out, const Descriptor& err) {
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (HasOwnGroup(spec)) flags |= POSIX_SPAWN_SETPGROUP;
    if (spec.stdin_from == ProcessSpec::Stdin::kNull) {
      Add(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
    }
    Add(::posix_spawnattr_setflags(&attributes_, flags));
    Add(::posix_spawnattr_setsigmask(&attributes_, &none));
    Add(::posix_spawnattr_setsigdefault(&attributes_, &all));
    Add(::posix_spawn_file_actions_adddup2(&actions_, out.get(), STDOUT_FILENO));
    if (err.valid()) Add(::posix_spawn_file_actions_adddup2(&actions_, err.get(), STDERR_FILENO));
    Add(::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
    const std::string& folder = spec.working_directory;
    if (!folder.empty()) Add(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
    return error_;
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void Add(int error) {
    if (error_ == 0) error_ = error;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int error_ = 0;
};

// Kills a child and its descendants. A stopped parent cannot reap its children, so their pids cannot be reused meanwhile. A descendant that
// left its parent is not found.
void KillTree(pid_t pid) {
  ::kill(pid, SIGSTOP);
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(StrCat("/proc/", pid, "/task"), error)) {
    std::ifstream children(thread.path() / "children");  // that this thread has forked
    for (pid_t child = 0; children >> child;) KillTree(child);
  }
  ::kill(pid, SIGKILL);
}

// Returns whether the child ended within `time`.
bool Reap(pid_t pid, milliseconds time) {
  for (const auto deadline = steady_clock::now() + time;; std::this_thread::sleep_for(milliseconds(5))) {
    if (::waitpid(pid, nullptr, WNOHANG) != 0) return true;
    if (steady_clock::now() >= deadline) return false;
  }
}

// Killed children that have not ended: a process that waits for a device dies only when the device answers. Add and the destructor do not
// block on them.
class UndeadPids {
 public:
  void Add(pid_t pid) {
    const std::lock_guard lock(mutex_);
    pids_.push_back(pid);
  }
  void ReapThem() {
    const std::lock_guard lock(mutex_);
    std::erase_if(pids_, [](pid_t pid) { return Reap(pid, milliseconds(0)); });
  }

 private:
  std::mutex mutex_;
  std::vector<pid_t> pids_;
};

UndeadPids& Undead() {
  static UndeadPids pids;
  return pids;
}

// A child that was started and not yet reaped.
class Child {
 public:
  Child(const ProcessSpec& spec, pid_t pid)
      : spec_(spec), pid_(pid), group_(HasOwnGroup(spec)), ended_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (waited_) return;
    if (group_) {
      ::kill(-pid_, SIGKILL);
    } else {
      KillTree(pid_);
    }
    if (!Reap(pid_, kKilled)) Undead().Add(pid_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Collects the child's output until the child ends.
  Status Read(Descriptor out, Descriptor err, ProcessOutput& output) {
    const auto deadline = steady_clock::now() + spec_.time_limit;
    for (;;) {
      if (spec_.cancel != nullptr && spec_.cancel->requested()) return Unavailable(spec_.argv[0], " was cancelled and killed");
      std::array<pollfd, 4> ready{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}, pollfd{ended_.get(), POLLIN, 0},
                                  pollfd{spec_.cancel != nullptr ? spec_.cancel->fd() : -1, POLLIN, 0}};
      const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
      if (left.count() <= 0) return Unavailable(spec_.argv[0], " did not end within ", Seconds(spec_.time_limit), " and was killed");
      // Kernels before 5.3 have no pidfd: poll at short intervals.
      const milliseconds step = ended_.valid() ? milliseconds(60'000) : milliseconds(20);
      if (::poll(ready.data(), ready.size(), static_cast<int>(std::min(left, step).count())) < 0 && errno != EINTR) {
        return Unavailable("wait for ", spec_.argv[0], ": ", ErrorText(errno));
      }
      // Check before reading: everything an ended child wrote is in the pipes by then.
      const bool ended = Ended();
      TRY(Drain(out, output.stdout_text, spec_.max_stdout, true));
      TRY(Drain(err, output.stderr_text, spec_.max_stderr, false));
      if (ended) return {};
    }
  }

  Status Wait(ProcessOutput& output) {
    const int status = WaitStatus();
    if (status < 0) return Unavailable("wait for ", spec_.argv[0], ": ", ErrorText(errno));
    if (WIFSIGNALED(status)) {
      output.signal = WTERMSIG(status);
    } else {
      output.exit_code = WEXITSTATUS(status);
    }
    return {};
  }

 private:
  // Leaves the zombie in place (WNOWAIT), so the pid is not reused before this object is done with it.
  bool Ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ? errno != EINTR : info.si_pid == pid_;
  }

  int WaitStatus() {
    waited_ = true;
    for (int status = 0;;) {
      if (::waitpid(pid_, &status, 0) == pid_) return status;
      if (errno != EINTR) return -1;
    }
  }

  // Reads what is available now. Closes the pipe at its end.
  Status Drain(Descriptor& from, std::string& to, size_t limit, bool limit_is_error) {
    char buffer[16 << 10];
    while (from.valid()) {
      const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return {};
      if (count < 0) return Unavailable("read the output of ", spec_.argv[0], ": ", ErrorText(errno));
      if (count == 0) from.Close();
      const size_t room = limit - to.size();
      if (limit_is_error && static_cast<size_t>(count) > room) {
        return Exhausted(spec_.argv[0], " wrote more than ", limit, " bytes and was killed");
      }
      to.append(buffer, std::min(room, static_cast<size_t>(count)));
      // Stop here so that a child which writes endlessly cannot keep the caller from checking the deadline.
      if (!limit_is_error && to.size() == limit) return {};
    }
    return {};
  }

  const ProcessSpec& spec_;
  const pid_t pid_;
  const bool group_;
  const Descriptor ended_;  // a pidfd
  bool waited_ = false;
};

bool IsProgram(const std::string& path) {
  struct stat found;
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

Result<std::string> FindProgram(const ProcessSpec& spec) {
  const std::string& name = spec.argv[0];
  if (name.find('/') != std::string::npos) return name;
  const auto path = spec.environment.find("PATH");
  const std::string_view folders = path == spec.environment.end() ? "/usr/local/bin:/usr/bin:/bin" : std::string_view(path->second);
  if (!name.empty()) {
    for (const std::string_view folder : Split(folders, ':')) {
      // Skip relative folders: a program in the current directory is never meant.
      if (!folder.starts_with('/')) continue;
      if (std::string candidate = StrCat(folder, "/", name); IsProgram(candidate)) return candidate;
    }
  }
  return NotFound("there is no program ", Quoted(name), " in the folders of PATH");
}

Status CheckTexts(const ProcessSpec& spec) {
  CHECK(!spec.argv.empty());
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  for (const std::string& argument : spec.argv) {
    if (has_nul(argument)) return Invalid("an argument of ", Quoted(spec.argv[0]), " has a NUL byte");
  }
  for (const auto& [name, value] : spec.environment) {
    if (name.empty() || has_nul(name) || name.find('=') != std::string::npos) {
      return Invalid(Quoted(name), " cannot be the name of an environment variable");
    }
    if (has_nul(value)) return Invalid("the environment variable ", name, " has a NUL byte");
  }
  struct stat found;
  const std::string& folder = spec.working_directory;
  if (!folder.empty() && (::stat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))) {
    return NotFound("there is no folder ", folder, " to run ", spec.argv[0], " in");
  }
  return {};
}

// exec(3) takes char* but does not change the texts.
std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Status NotStarted(const std::string& program, int error) {
  // exec also reports ENOENT when the interpreter named by a script is missing.
  const bool missing = error == ENOENT || error == ENOTDIR;
  if (missing && ::access(program.c_str(), F_OK) == 0) return Invalid("run ", program, ": its interpreter is missing");
  const Code code = missing                                                                          ? Code::kNotFound
                    : error == EACCES || error == ENOEXEC || error == E2BIG || error == ENAMETOOLONG ? Code::kInvalid
                                                                                                     : Code::kUnavailable;
  return Status(code, StrCat("run ", program, ": ", ErrorText(error)));
}

}  // namespace

std::string ProcessOutput::Ending() const {
  if (signal == 0) return StrCat("ended with exit code ", exit_code);
  const char* description = ::sigdescr_np(signal);
  return StrCat("was ended by signal ", signal, " (", description == nullptr ? "unknown" : description, ")");
}

Environment ProcessEnvironment() {
  Environment variables;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

Result<ProcessOutput> RunProcess(const ProcessSpec& spec) {
  Undead().ReapThem();
  TRY(CheckTexts(spec));
  ASSIGN_OR_RETURN(const std::string program, FindProgram(spec));
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  Pipe err;
  if (spec.stderr_to == ProcessSpec::Stderr::kCapture) {
    ASSIGN_OR_RETURN(err, MakePipe());
  }
  SpawnPlan plan;
  if (const int error = plan.Fill(spec, out.write, err.write); error != 0) return NotStarted(program, error);

  std::vector<std::string> variables;
  for (const auto& [name, value] : spec.environment) variables.push_back(StrCat(name, "=", value));
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), plan.actions(), plan.attributes(), Pointers(spec.argv).data(), Pointers(variables).data());
  if (error != 0) return NotStarted(program, error);

  Child child(spec, pid);
  out.write.Close();
  err.write.Close();
  ProcessOutput output;
  TRY(child.Read(std::move(out.read), std::move(err.read), output));
  TRY(child.Wait(output));
  return output;
}

}  // namespace allot
