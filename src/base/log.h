#pragma once
// What a program that runs for long tells its admin: one line for each thing, with fields that other programs can read.
//
//   log.Info("prepared", {{"claim", "lab/train"}, {"device", "gpu-0"}});
//
//   text: 2026-11-16T03:00:00.123Z INFO prepared claim=lab/train device=gpu-0
//   json: {"time":"2026-11-16T03:00:00.123Z","level":"INFO","message":"prepared","claim":"lab/train","device":"gpu-0"}
//
// Thread-safe: a line is written whole. Nothing secret belongs here.

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

  // `write` gets each line with its end. `clock` must outlive it.
  Log(const Clock& clock, Format format, std::function<void(std::string_view line)> write)
      : clock_(clock), format_(format), write_(std::move(write)) {}

  // To standard error.
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
