#pragma once
// The processes of this machine, identified by PID and start time: a PID may be reused, the pair is unique until the next boot.

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
  bool first_thread_ended = false;
  bool ended = false;  // a zombie: all its threads have ended, and its parent has not waited for it yet
};

// nullopt if there is no process with that PID.
std::optional<ProcessInfo> ReadProcess(pid_t pid);
// All current processes; one that starts meanwhile may be missing.
std::vector<ProcessInfo> AllProcesses();
// Whether any thread of the process still runs.
bool IsAlive(const ProcessId& process);
// The user of the process; nullopt if it is gone.
std::optional<uid_t> OwnerOf(pid_t pid);

// Whether the group is orphaned, so that no shell would continue it after a stop: no process of it has its parent in another group of its
// session.
bool IsOrphaned(pid_t group);

// The boot ID, which differs for each boot of the machine; empty if the system does not provide it.
std::string BootId();

// A pidfd, which becomes readable when the process ends; -1 if it has ended, or the system cannot open one. The caller closes it.
int OpenProcess(const ProcessId& process);
// Sends a signal. Returns false if the process has ended. Never signals a process with another start time.
bool SignalProcess(const ProcessId& process, int signal);

// A variable of the environment that the process started with; nullopt if it is not set or may not be read.
std::optional<std::string> StartVariable(pid_t pid, const std::string& name);

}  // namespace allot::local
