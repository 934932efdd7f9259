#pragma once
// The log of a long-running program: one line per event, with fields that other programs can read.
//
//   log.Info("prepared", {{"claim", "lab/train"}, {"device", "gpu-0"}});
//
//   text: 2026-11-16T03:00:00.123Z INFO prepared claim=lab/train device=gpu-0
//   json: {"time":"2026-11-16T03:00:00.123Z","level":"INFO","message":"prepared","claim":"lab/train","device":"gpu-0"}
//
// Thread-safe: lines never interleave. Never log a secret.

#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace allot {

class Log {
 public:
  enum class Format { kText, kJson };
  struct Field {
    std::string_view key;
    std::string value;
  };
  using Fields = std::initializer_list<Field>;

  // `write` gets each line with its line end. `clock` must outlive the log.
  Log(const Clock& clock, Format format, std::function<void(std::string_view line)> write)
      : clock_(clock), format_(format), write_(std::move(write)) {}

  // Writes to standard error.
  static std::function<void(std::string_view)> Stderr();

  void Info(std::string_view message, Fields fields = {}) { Write("INFO", message, fields); }
  void Warning(std::string_view message, Fields fields = {}) { Write("WARNING", message, fields); }
  void Error(std::string_view message, Fields fields = {}) { Write("ERROR", message, fields); }

 private:
  void Write(std::string_view level, std::string_view message, Fields fields);

  const Clock& clock_;
  const Format format_;
  std::mutex mutex_;
  const std::function<void(std::string_view)> write_;
};

}  // namespace allot
