#include "local/containers/containers.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

namespace allot::local {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Phase = ContainerState::Phase;

// Whether a shim has locked the container's folder.
bool IsLocked(const std::string& folder) {
  const int fd = ::open(StrCat(folder, "/", kSpecFile).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return locked;
}

// The processes left of a container whose shim is gone: those of its session, and those with its id in their environment. A session ID is
// not reused while the session has processes, but may be afterwards. So if the session's leader is gone, a process of the session counts
// only if it has the container's user.
std::vector<ProcessId> Leftovers(const ContainerBirth& birth, const ContainerSpec& spec) {
  std::vector<ProcessId> found;
  const std::optional<ProcessInfo> leader = ReadProcess(birth.main.pid);
  const uid_t user = spec.run_as ? spec.run_as->uid : ::geteuid();
  const auto is_of_session = [&](const ProcessInfo& process) {
    if (process.session != birth.main.pid) return false;
    return leader ? leader->id == birth.main : OwnerOf(process.id.pid) == user;
  };
  for (const ProcessInfo& process : AllProcesses()) {
    if (process.ended || process.id.start < birth.main.start) continue;
    const bool ours = is_of_session(process) || (!spec.id.empty() && StartVariable(process.id.pid, std::string(kIdVariable)) == spec.id);
    if (ours) found.push_back(process.id);
  }
  return found;
}

}  // namespace

Containers::Containers(Options options, FileSystem& files, const Clock& clock, Random& random,
                       std::function<void(const std::string&)> on_end)
    : options_(std::move(options)),
      files_(files),
      clock_(clock),
      random_(random),
      on_end_(std::move(on_end)),
      environment_(ProcessEnvironment()),
      boot_(BootId()),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  CHECK(epoll_ >= 0);
  epoll_event stop{.events = EPOLLIN, .data = {.fd = stop_.fd()}};
  CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, stop_.fd(), &stop) == 0);
  thread_ = std::thread([this] { Run(); });
}

Containers::~Containers() {
  stop_.Request();
  thread_.join();
  for (const auto& [fd, watched] : watched_) ::close(fd);
  ::close(epoll_);
}

Result<ContainerState> Containers::Start(const std::string& folder, ContainerSpec spec) {
  CHECK(folder.starts_with('/') && !spec.argv.empty());
  TRY(files_.MakeDirs(folder));
  if (::chmod(folder.c_str(), 0700) != 0) return Unavailable("restrict access to ", folder, ": ", std::generic_category().message(errno));
  ASSIGN_OR_RETURN(ContainerState before, Look(folder));
  if (before.phase == Phase::kRunning || before.phase == Phase::kEnded) return before;
  if (before.phase == Phase::kStarting) return Unavailable(folder, ": the container is being started");
  spec.id = Uuid4(random_);
  spec.environment[std::string(kIdVariable)] = spec.id;
  TRY(WriteSpec(files_, folder, spec));
  ProcessSpec shim;
  shim.argv = options_.shim;
  shim.argv.push_back(folder);
  shim.environment = environment_;
  shim.stderr_to = ProcessSpec::Stderr::kCapture;
  shim.time_limit = options_.start_limit;
  const Result<ProcessOutput> output = RunProcess(shim);
  ASSIGN_OR_RETURN(ContainerState state, Look(folder));
  if (state.phase == Phase::kRunning || state.phase == Phase::kEnded) return state;
  if (!output.ok()) return Unavailable("start a shim: ", output.status().message());
  return Unavailable("start a shim: it ", output->Ending(), ": ", Trim(output->stderr_text));
}

Result<ContainerState> Containers::Look(const std::string& folder) {
  const auto read_exit = [&]() -> Result<std::optional<ContainerExit>> {
    Result<ContainerExit> ending = ReadExit(files_, folder);
    if (ending.ok()) return std::optional(*std::move(ending));
    if (ending.status().code() == Code::kNotFound) return std::optional<ContainerExit>();
    return ending.status();
  };
  const auto read_birth = [&]() -> Result<std::optional<ContainerBirth>> {
    Result<ContainerBirth> birth = ReadBirth(files_, folder);
    if (birth.ok()) return std::optional(*std::move(birth));
    if (birth.status().code() == Code::kNotFound) return std::optional<ContainerBirth>();
    return birth.status();
  };
  // Test the lock before reading the files: a shim writes them before it releases the lock.
  const bool locked = IsLocked(folder);
  ASSIGN_OR_RETURN(const std::optional<ContainerBirth> birth, read_birth());
  if (birth && birth->boot == boot_ && IsAlive(birth->shim)) {
    ASSIGN_OR_RETURN(const std::optional<ContainerExit> ending, read_exit());
    if (ending) return ContainerState{Phase::kEnded, birth, ending};
    TRY(Watch(folder, birth->shim));
    return ContainerState{Phase::kRunning, birth, {}};
  }
  ASSIGN_OR_RETURN(const std::optional<ContainerExit> ending, read_exit());
  if (ending) return ContainerState{Phase::kEnded, birth, ending};
  if (birth) return BuryLost(folder, *birth);
  if (locked) return ContainerState{Phase::kStarting, {}, {}};
  return ContainerState{files_.Exists(StrCat(folder, "/", kSpecFile)) ? Phase::kCreated : Phase::kNone, {}, {}};
}

Result<ContainerState> Containers::BuryLost(const std::string& folder, const ContainerBirth& birth) {
  if (birth.boot == boot_) {
    Result<ContainerSpec> spec = ReadSpec(files_, folder);
    if (!spec.ok()) spec = ContainerSpec();
    const auto deadline = steady_clock::now() + options_.kill_limit;
    for (milliseconds pause{1};; pause = std::min(pause * 2, milliseconds(50))) {
      const std::vector<ProcessId> left = Leftovers(birth, *spec);
      if (left.empty()) break;
      for (const ProcessId& process : left) SignalProcess(process, SIGKILL);
      if (steady_clock::now() >= deadline) return Unavailable("process ", left.front().pid, " of a container does not end after SIGKILL");
      std::this_thread::sleep_for(pause);
    }
  }
  const std::string why = birth.boot == boot_ ? "its shim was killed, so its exit code is unknown" : "the machine was restarted";
  const ContainerExit ending{137, SIGKILL, "ContainerStatusUnknown", why, clock_.Now()};
  TRY(WriteExit(files_, folder, ending));
  ASSIGN_OR_RETURN(const ContainerExit written, ReadExit(files_, folder));
  return ContainerState{Phase::kEnded, birth, written};
}

Status Containers::Signal(const std::string& folder, int signal) {
  const Result<ContainerBirth> birth = ReadBirth(files_, folder);
  if (!birth.ok()) return birth.status().code() == Code::kNotFound ? Status() : birth.status();
  if (birth->boot != boot_ || SignalProcess(birth->main, signal) || !IsAlive(birth->main)) return Status();
  return Unavailable("signal process ", birth->main.pid, ": not permitted");
}

Status Containers::Remove(const std::string& folder) { return RemoveTree(folder); }

Status Containers::Watch(const std::string& folder, const ProcessId& shim) {
  const std::lock_guard lock(mutex_);
  if (folders_.contains(folder)) return Status();
  const int fd = OpenProcess(shim);
  const int error = errno;
  if (fd < 0 && IsAlive(shim)) return Unavailable("watch process ", shim.pid, ": ", std::generic_category().message(error));
  if (fd < 0) {
    on_end_(folder);  // the shim has ended since the caller looked
    return Status();
  }
  watched_[fd] = {folder, shim.pid};
  folders_.insert(folder);
  epoll_event ended{.events = EPOLLIN, .data = {.fd = fd}};
  CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &ended) == 0);
  return Status();
}

void Containers::Run() {
  std::array<epoll_event, 64> events;
  while (!stop_.requested()) {
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      if (fd == stop_.fd()) continue;
      Watched ended;
      {
        const std::lock_guard lock(mutex_);
        ended = watched_.at(fd);
        watched_.erase(fd);
        folders_.erase(ended.folder);
        // Closing alone is not enough while a process between fork and exec has a copy of the descriptor.
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
        ::close(fd);
      }
      // If we are PID 1 of a container, orphaned shims are our children.
      ::waitpid(ended.shim, nullptr, WNOHANG);
      on_end_(ended.folder);
    }
  }
}

std::vector<std::string> FindContainers(const FileSystem& files, const std::string& root) {
  std::vector<std::string> found;
  if (files.Exists(StrCat(root, "/", kSpecFile))) return {root};
  const Result<std::vector<std::string>> names = files.List(root);
  if (!names.ok()) return found;  // not a folder
  for (const std::string& name : *names) {
    const std::vector<std::string> below = FindContainers(files, StrCat(root, "/", name));
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

Status RemoveTree(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  return error ? Unavailable("remove ", folder, ": ", error.message()) : Status();
}

}  // namespace allot::local
