#pragma once
// Devices and waiting Pods in words, for people and for the texts of `-o json`.

#include <string>
#include <string_view>
#include <vector>

#include "view/status.h"

namespace allot::cli {

// "healthy", "error XID 48", "cordoned", "exclusive", ...: the most urgent first.
std::vector<std::string> StateWords(const view::Device& device);

// "pool incomplete: 1 of 2 slices"
std::string IncompleteWords(const view::Device::Incomplete& incomplete);

// What a taint means: "error XID 48", "cordoned".
std::string TaintWords(const view::DeviceTaint& taint);

// What the Pod asks for, one text for each ask: "1 x gpu.nvidia.com, 6144 MiB".
std::vector<std::string> AskWords(const view::WaitingPod& pod);

// The message of the scheduler, of kubelet or of the runtime, or what is known where none of them has said anything.
std::string MessageWords(const view::WaitingPod& pod);

// Why the Pod finds no room, in short: "no GPU has 8192 MiB free (the most is 6144)". Empty: not known.
std::string WhyWords(const view::WaitingEntry& entry);

// What could not be read, and what status lacks for that: "nodes, because you may not list them: ...".
std::string NoteWords(const view::Note& note);

// Why there are no devices: "no driver offers devices: ...". Empty: there are some.
std::string MissingWords(const view::Overview& overview);

// Names in JSON, which programs rely on. docs/cli.md lists them.
std::string_view NameOf(view::WaitingPod::Cause cause);
std::string_view NameOf(view::Overview::Missing missing);

// "not ready", "cordoned" or "tainted"; empty for kNone.
std::string_view ObstacleWord(view::DeviceObstacle obstacle);

}  // namespace allot::cli
