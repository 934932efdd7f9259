#pragma once
// Who runs on this machine, by number and start time: numbers are used again, the pair is not (until the machine boots).

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace allot::local {

struct ProcessId {
  pid_t pid = 0;
  int64_t start = 0;  // clock ticks since the machine booted

  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

struct ProcessInfo {
  ProcessId id;
  pid_t parent = 0, group = 0, session = 0;
  bool ended = false;  // nobody has waited for it yet
};

// Nothing: there is none of that number.
std::optional<ProcessInfo> ReadProcess(pid_t pid);
// Those that are there now; what starts meanwhile may be missing.
std::vector<ProcessInfo> AllProcesses();
// Has not ended.
bool IsAlive(const ProcessId& process);
// Of whom the process is; nothing: it is gone.
std::optional<uid_t> OwnerOf(pid_t pid);

// Whether nobody would continue the group if it were stopped: no process of it has its parent in another group of the session.
bool IsOrphaned(pid_t group);

// Another one for each boot of the machine; empty: it cannot be told.
std::string BootId();

// A pidfd, which becomes readable when the process ends; -1: it has ended, or the system has none to give. The caller closes it.
int OpenProcess(const ProcessId& process);
// False: it has ended. A process that has another start time is never hit.
bool SignalProcess(const ProcessId& process, int signal);

// The variable of a process's environment as it was when it started; nothing where it has none or may not be read.
std::optional<std::string> StartVariable(pid_t pid, const std::string& name);

}  // namespace allot::local
