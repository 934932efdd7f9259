#include "local/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>

#include "base/file_system.h"
#include "base/strings.h"

namespace allot::local {
namespace {

constexpr size_t kLongestStat = 4096, kLongestEnvironment = 4 << 20;

template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// proc(5): "PID (name) state ppid pgrp session ...". The name may contain any character, also ')'. Field 20 is the number of threads, field
// 22 the start time. The state is the first thread's: Z although other threads still run.
std::optional<ProcessInfo> ParseStat(pid_t pid, std::string_view text) {
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > text.size()) return std::nullopt;
  const std::vector<std::string_view> fields = Split(Trim(text.substr(name_end + 2)), ' ');
  constexpr size_t kState = 0, kParent = 1, kGroup = 2, kSession = 3, kThreads = 17, kStart = 19;
  ProcessInfo info;
  info.id.pid = pid;
  if (fields.size() <= kStart || !ReadNumber(fields[kParent], info.parent) || !ReadNumber(fields[kGroup], info.group) ||
      !ReadNumber(fields[kSession], info.session) || !ReadNumber(fields[kStart], info.id.start)) {
    return std::nullopt;
  }
  int64_t threads = 0;
  if (!ReadNumber(fields[kThreads], threads)) return std::nullopt;
  info.first_thread_ended = fields[kState] == "Z" || fields[kState] == "X";
  info.ended = info.first_thread_ended && threads <= 1;
  return info;
}

}  // namespace

std::optional<ProcessInfo> ReadProcess(pid_t pid) {
  const Result<std::string> text = PosixFileSystem().ReadFile(StrCat("/proc/", pid, "/stat"), kLongestStat);
  return text.ok() ? ParseStat(pid, *text) : std::nullopt;
}

std::vector<ProcessInfo> AllProcesses() {
  std::vector<ProcessInfo> processes;
  DIR* const folder = ::opendir("/proc");
  if (folder == nullptr) return processes;
  while (const dirent* entry = ::readdir(folder)) {
    pid_t pid = 0;
    if (!ReadNumber(std::string_view(entry->d_name), pid)) continue;
    if (const std::optional<ProcessInfo> info = ReadProcess(pid)) processes.push_back(*info);
  }
  ::closedir(folder);
  return processes;
}

bool IsAlive(const ProcessId& process) {
  const std::optional<ProcessInfo> info = ReadProcess(process.pid);
  return info && info->id == process && !info->ended;
}

std::optional<uid_t> OwnerOf(pid_t pid) {
  struct stat info = {};
  if (::stat(StrCat("/proc/", pid).c_str(), &info) != 0) return std::nullopt;
  return info.st_uid;
}

bool IsOrphaned(pid_t group) {
  const std::vector<ProcessInfo> all = AllProcesses();
  for (const ProcessInfo& one : all) {
    if (one.group != group || one.ended) continue;
    const auto parent = std::find_if(all.begin(), all.end(), [&](const ProcessInfo& other) { return other.id.pid == one.parent; });
    if (parent != all.end() && parent->session == one.session && parent->group != group) return false;
  }
  return true;
}

std::string BootId() {
  const Result<std::string> text = PosixFileSystem().ReadFile("/proc/sys/kernel/random/boot_id", kLongestStat);
  return text.ok() ? std::string(Trim(*text)) : "";
}

int OpenProcess(const ProcessId& process) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0));
  // Compare the start time after opening: if it matches now, the pidfd refers to the same process.
  if (fd >= 0 && !IsAlive(process)) {
    ::close(fd);
    return -1;
  }
  return fd;
}

bool SignalProcess(const ProcessId& process, int signal) {
  const int fd = OpenProcess(process);
  if (fd < 0) return false;
  const bool sent = ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0) == 0;
  ::close(fd);
  return sent;
}

std::optional<std::string> StartVariable(pid_t pid, const std::string& name) {
  const PosixFileSystem files;
  const std::string folder = StrCat("/proc/", pid);
  Result<std::string> text = files.ReadFile(folder + "/environ", kLongestEnvironment);
  if (const auto info = ReadProcess(pid); info && info->first_thread_ended) {
    // Only the other threads show the environment.
    const Result<std::vector<std::string>> threads = files.List(folder + "/task");
    for (size_t i = 0; threads.ok() && i < threads->size() && (!text.ok() || text->empty()); ++i) {
      text = files.ReadFile(StrCat(folder, "/task/", (*threads)[i], "/environ"), kLongestEnvironment);
    }
  }
  if (!text.ok()) return std::nullopt;
  for (const std::string_view entry : Split(*text, '\0')) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

}  // namespace allot::local
