#pragma once
// `allot status --watch`: the screen, drawn again when something has changed.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "cli/session.h"

namespace allot::cli {

// What leaves the screen that is drawn on: for standard output, where the program ends without returning. Empty where that is no terminal.
std::string_view LeaveScreen(const std::string& output);

struct WatchPace {
  std::chrono::milliseconds look{100};                              // how often it is looked whether something changed
  std::chrono::milliseconds between{500};                           // two drawings
  std::chrono::milliseconds refresh{10'000};                        // on a terminal, also when nothing did: ages grow
  std::chrono::milliseconds stale_after{1000};                      // without the server
  std::chrono::milliseconds first_pause{800}, longest_pause{3000};  // between two tries to reach it
};

// Until `stop` is requested, at most twice a second. On a terminal the screen is drawn over, and as it
// was before in the end; elsewhere each change is printed below the last. A server that goes is waited for: what is shown stays, with the
// time since which it is old. An error only where the first look fails, or the output does. `nodes`: only these; empty: all. `output`:
// empty, "json" or "yaml".
Status WatchStatus(Session& session, const std::vector<std::string>& nodes, const std::string& output, const Cancel& stop,
                   const WatchPace& pace = {});

}  // namespace allot::cli
