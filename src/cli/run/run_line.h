#pragma once
// The output of `allot run` while it waits: one short line, and once a hint.

#include <string>
#include <string_view>

#include "dialect/share.h"
#include "local/run/run_request.h"

namespace allot::cli {

// "train-3 waits for 20480 MiB, number 2 in the queue", in at most `width` characters. Shortens the name first, then the request.
std::string WaitLine(std::string_view pod, const dialect::Share& share, const local::Wait& wait, size_t width);

// Shows the state on standard error: on a terminal as one line that is redrawn, else as a line for each change. Not thread-safe.
class LiveLine {
 public:
  explicit LiveLine(bool quiet);
  ~LiveLine() { Clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool quiet() const { return quiet_; }
  // The maximum length of a line.
  size_t width() const;
  void Show(const std::string& line);
  // Prints a line that is not redrawn.
  void Say(std::string_view line);
  void Clear();

 private:
  const bool quiet_, terminal_;
  std::string shown_;  // the current line; empty: none
};

}  // namespace allot::cli
