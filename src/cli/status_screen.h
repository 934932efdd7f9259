#pragma once
// What `allot status` shows to people.

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/status_devices.h"
#include "cli/status_waiting.h"
#include "json/value.h"

namespace allot::cli {

// All that status knows.
struct StatusFacts {
  std::vector<DeviceStatus> devices;
  std::vector<WaitingPod> waiting;
  std::vector<std::string> not_seen;  // what could not be read, and what that means
  std::string missing;                // why there are no devices; empty: there are
};

// What the terminal can do.
struct Screen {
  size_t width = 80;
  bool utf8 = false;
  bool colours = false;
};
// Of standard output: 80 plain columns where that is no terminal.
Screen ScreenOfOutput();

// The shade of the holder with this number, `cells` times.
std::string Shade(size_t holder, size_t cells, const Screen& screen);

inline constexpr size_t kBarWidth = 20;
// A bar of that width: a stretch for each holder, in turns of two shades and, where there are colours, six of them; then what is left.
std::string Bar(const DeviceStatus& device, const Screen& screen);

std::string StatusText(const StatusFacts& facts, const Screen& screen, WallTime now);
// docs/cli.md has the fields.
json::Document StatusJson(const StatusFacts& facts);

}  // namespace allot::cli
