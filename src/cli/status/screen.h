#pragma once
// What `allot status` shows to people.

#include <string>

#include "base/clock.h"
#include "json/value.h"
#include "view/devices.h"
#include "view/status.h"

namespace allot::cli {

// What the terminal can do.
struct Screen {
  size_t width = 80;
  bool utf8 = false;
  bool colours = false;
};
// Of standard output; 80 plain columns if that is no terminal.
Screen ScreenOfOutput();

// The shade of the holder with this number, `cells` times.
std::string Shade(size_t holder, size_t cells, const Screen& screen);

inline constexpr size_t kBarWidth = 20;
// Returns a bar of that width: a stretch for each holder, then what is left. Stretches alternate between two shades, and six colours if the
// terminal has colours.
std::string Bar(const view::Device& device, const Screen& screen);

std::string StatusText(const view::Overview& overview, const Screen& screen, WallTime now);
// docs/cli.md has the fields.
json::Document StatusJson(const view::Overview& overview);

}  // namespace allot::cli
