#pragma once
// What `allot run` and `allot up` tell each other, by the Pod that stands for the command.
//
//   1. `run` makes a Pod with the label and kWaiter, and its claim. While it waits, it is a Pod like others.
//   2. `up` sees it bound, prepares the claim, and writes kRunFinalizer and kEnvironment.
//   3. `run` starts the command's process, which does nothing yet, and writes kCommand.
//   4. `up` sees that this is a process of the Pod's user, the leader of its group, and writes it into the status (kContainerId) with
//      Running. `run` lets the command go on.
//   5. when no process of the command's group is left, `up` gives the share back and deletes the Pod. `run`, where it is there still, asks
//      for that by a deletion with grace, and returns when the claim is gone: then somebody else can have the share.
// Where the waiter is gone before 4, `up` deletes the Pod. A process that is not let go on ends when `run` does. So neither may be killed
// at any moment to keep a share, or to have none while the command runs.
// Annotations are the user's word, and only believed while they can be checked; the status is `up`'s own.

#include <optional>
#include <string>
#include <string_view>

#include "local/process_table.h"

namespace allot::local {

inline constexpr std::string_view kRunLabel = "allot.dev/run";
inline constexpr std::string_view kWaiter = "allot.dev/waiter";            // "PID START": of `allot run`
inline constexpr std::string_view kEnvironment = "allot.dev/environment";  // a JSON object of texts
inline constexpr std::string_view kCommand = "allot.dev/command";          // "PID START": the leader of the command's process group
inline constexpr std::string_view kRunFinalizer = "allot.dev/run";         // keeps the Pod, and its claim, while the share is held
inline constexpr std::string_view kContainerId = "process://";             // of the status: then BOOT/PID/START

// "4711 123456"
std::string ProcessText(const ProcessId& process);
std::optional<ProcessId> ParseProcess(std::string_view text);

// "process://f3c1.../4711/123456", of this boot of the machine.
std::string ContainerIdText(const ProcessId& process);
// Nothing: it is none, or of another boot, which no process has outlived.
std::optional<ProcessId> ParseContainerId(std::string_view text);

// Whether a process of the group that this one leads, or led, is left.
bool IsGroupAlive(const ProcessId& leader);
// To all of the group, and to its leader, who may have left it. Where the leader is gone, only to those of this user: the number may be
// somebody else's by now.
void SignalGroup(const ProcessId& leader, uid_t user, int signal);
// Why a Pod of `allot run` has no log, for who asks for it.
std::string NoLogOfRun(std::string_view name_space, std::string_view pod);

}  // namespace allot::local
