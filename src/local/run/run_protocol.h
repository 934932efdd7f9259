#pragma once
// The protocol between `allot run` and `allot up`, by annotations and status of the Pod that represents the command.
//
//   1. `run` creates a Pod with the label and kWaiter, and its claim. The Pod waits like any other.
//   2. When the Pod is bound, `up` prepares the claim, and writes kRunFinalizer and kEnvironment.
//   3. `run` starts the command's process, suspended, and writes kCommand.
//   4. `up` checks that the process belongs to the Pod's user and leads its group, and writes it to the status (kContainerId) with
//      Running. `run` resumes the command.
//   5. When no process of the command's group is left, `up` releases the share and deletes the Pod. If `run` still exists, it requests this
//      by a deletion with grace, and returns when the claim is gone: then the share is free.
// If the waiter ends before step 4, `up` deletes the Pod. A suspended process ends when `run` does. So killing either side never leaks a
// share and never leaves a command running without one.
// `up` verifies annotations before it trusts them, because the user can write them. Only `up` writes the status.

#include <optional>
#include <string>
#include <string_view>

#include "local/process_table.h"

namespace allot::local {

inline constexpr std::string_view kRunLabel = "allot.dev/run";
inline constexpr std::string_view kWaiter = "allot.dev/waiter";            // "PID START": the process of `allot run`
inline constexpr std::string_view kEnvironment = "allot.dev/environment";  // a JSON object of strings
inline constexpr std::string_view kCommand = "allot.dev/command";          // "PID START": the leader of the command's process group
inline constexpr std::string_view kRunFinalizer = "allot.dev/run";         // keeps the Pod, and its claim, while the share is held
inline constexpr std::string_view kContainerId = "process://";             // prefix of the status's containerID, before BOOT/PID/START

// "4711 123456"
std::string ProcessText(const ProcessId& process);
std::optional<ProcessId> ParseProcess(std::string_view text);

// "process://f3c1.../4711/123456", of this boot of the machine.
std::string ContainerIdText(const ProcessId& process);
// nullopt if the text is not a container ID, or is of another boot: no process survives a boot.
std::optional<ProcessId> ParseContainerId(std::string_view text);

// Whether the group that this process leads, or led, still has a process.
bool IsGroupAlive(const ProcessId& leader);
// Sends a signal to the whole group, and to its leader, which may have left it. If the leader is gone, signals only processes of this user,
// because another user's group may have the number by now.
void SignalGroup(const ProcessId& leader, uid_t user, int signal);
// The message that a Pod of `allot run` has no log, and why.
std::string NoLogOfRun(std::string_view name_space, std::string_view pod);

}  // namespace allot::local
