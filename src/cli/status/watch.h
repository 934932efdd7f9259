#pragma once
// `allot status --watch`: the status, drawn again at every change.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/status.h"
#include "cli/session.h"

namespace allot::cli {

// Returns the escape codes that leave the alternate screen, to be written if the program ends without returning. Empty if standard output
// is no terminal.
std::string_view LeaveScreen(const std::string& output);

struct WatchPace {
  std::chrono::milliseconds look{100};          // interval between checks for changes
  std::chrono::milliseconds between{500};       // least time between two drawings
  std::chrono::milliseconds refresh{10'000};    // interval of drawings on a terminal without a change, because ages grow
  std::chrono::milliseconds stale_after{1000};  // time without the server after which the data count as old
  std::chrono::milliseconds first_pause{800}, longest_pause{3000};  // between two attempts to connect
};

// Shows the status until `stop` is requested, and redraws it at most twice a second. On a terminal it uses the alternate screen; otherwise
// it prints each change. While the server is away, the last data stay, with their age. Returns an error if the first look or the output
// fails. `nodes`: only these; empty: all. `output`: empty, "json" or "yaml".
Status WatchStatus(Session& session, const std::vector<std::string>& nodes, const std::string& output, const Cancel& stop,
                   const WatchPace& pace = {});

}  // namespace allot::cli
