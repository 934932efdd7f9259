#pragma once
// What `allot run` says while it waits: one short line, and once how to learn more.

#include <string>
#include <string_view>

#include "dialect/share.h"
#include "local/run_request.h"

namespace allot::cli {

// "train-3 waits for 20480 MiB, number 2 in the queue", in at most `width` characters: the name is shortened first, then what is asked
// for.
std::string WaitLine(std::string_view pod, const dialect::Share& share, const local::Wait& wait, size_t width);

// On a terminal one line on standard error that is drawn over; else a line for each change. Not thread-safe.
class LiveLine {
 public:
  explicit LiveLine(bool quiet);
  ~LiveLine() { Clear(); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  bool quiet() const { return quiet_; }
  // Columns that a line may have.
  size_t width() const;
  void Show(const std::string& line);
  // A line of its own, that stays.
  void Say(std::string_view line);
  void Clear();

 private:
  const bool quiet_, terminal_;
  std::string shown_;  // empty: nothing
};

}  // namespace allot::cli
