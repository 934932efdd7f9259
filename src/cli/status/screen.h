#pragma once
// What `allot status` shows to people.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "view/devices.h"
#include "view/explain/answer.h"
#include "view/waiting.h"

namespace allot::cli {

// A Pod that waits, and why it finds no room. nullopt: claims and nodes alone do not tell.
struct WaitingEntry {
  view::WaitingPod pod;
  std::optional<view::Brief> brief;
};

// All that status knows.
struct StatusFacts {
  std::vector<view::Device> devices;
  std::vector<WaitingEntry> waiting;
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
std::string Bar(const view::Device& device, const Screen& screen);

std::string StatusText(const StatusFacts& facts, const Screen& screen, WallTime now);
// docs/cli.md has the fields.
json::Document StatusJson(const StatusFacts& facts);

}  // namespace allot::cli
