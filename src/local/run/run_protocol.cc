#include "local/run/run_protocol.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <vector>

#include "base/strings.h"

namespace allot::local {

std::string ProcessText(const ProcessId& process) { return StrCat(process.pid, " ", process.start); }

std::optional<ProcessId> ParseProcess(std::string_view text) {
  ProcessId process;
  const std::vector<std::string_view> parts = Split(text, ' ');
  const auto number = [](std::string_view part, auto& into) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), into);
    return error == std::errc() && end == part.data() + part.size();
  };
  if (parts.size() != 2 || !number(parts[0], process.pid) || !number(parts[1], process.start) || process.pid <= 1) return std::nullopt;
  return process;
}

std::string ContainerIdText(const ProcessId& process) { return StrCat(kContainerId, BootId(), "/", process.pid, "/", process.start); }

std::optional<ProcessId> ParseContainerId(std::string_view text) {
  if (!text.starts_with(kContainerId)) return std::nullopt;
  const std::vector<std::string_view> parts = Split(text.substr(kContainerId.size()), '/');
  if (parts.size() != 3 || parts[0].empty() || parts[0] != BootId()) return std::nullopt;
  return ParseProcess(StrCat(parts[1], " ", parts[2]));
}

std::string NoLogOfRun(std::string_view name_space, std::string_view pod) {
  return StrCat("Pod ", name_space, "/", pod,
                " represents a command of `allot run`, which has no log: its output goes to the terminal that it was started from");
}

bool IsGroupAlive(const ProcessId& leader) {
  if (const std::optional<ProcessInfo> now = ReadProcess(leader.pid)) {
    // The PID was reused, which is impossible while a group with that ID exists.
    if (now->id != leader) return false;
    if (!now->ended) return true;
  }
  // kill() tells at once if the group does not exist. An existing group may consist of zombies only, so read /proc; twice, because one
  // reading may miss a process that starts meanwhile.
  if (::kill(-leader.pid, 0) != 0 && errno == ESRCH) return false;
  for (int look = 0; look < 2; ++look) {
    const std::vector<ProcessInfo> all = AllProcesses();
    if (std::any_of(all.begin(), all.end(), [&](const ProcessInfo& one) { return one.group == leader.pid && !one.ended; })) return true;
  }
  return false;
}

void SignalGroup(const ProcessId& leader, uid_t user, int signal) {
  if (IsAlive(leader)) {
    ::kill(-leader.pid, signal);
    if (const std::optional<ProcessInfo> now = ReadProcess(leader.pid); now && now->group != leader.pid) SignalProcess(leader, signal);
    return;
  }
  for (const ProcessInfo& one : AllProcesses()) {
    if (one.group == leader.pid && !one.ended && OwnerOf(one.id.pid) == user) SignalProcess(one.id, signal);
  }
}

}  // namespace allot::local
