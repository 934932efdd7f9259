#pragma once
// Pods that could not be bound, until their pause is over: each time twice as long.
//
// Not thread-safe.

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace allot::control {

struct PauseOptions {
  std::chrono::milliseconds first{1000}, longest{10'000};
};

class Pauses {
 public:
  struct Over {
    std::string pod;  // its key
    std::string uid;
  };

  explicit Pauses(PauseOptions options) : options_(options) {}

  // Gives back how long it will be.
  std::chrono::milliseconds Begin(const std::string& pod, std::string_view uid, MonotonicTime now) {
    Entry& entry = entries_[pod];
    if (entry.uid != uid) entry = {std::string(uid)};
    const std::chrono::milliseconds pause = std::min(options_.longest, options_.first * (1 << std::min(entry.failures, 16)));
    ++entry.failures;
    entry.until = now + pause;
    return pause;
  }
  // Whether the Pod pauses; not another one of its name.
  bool Has(std::string_view pod, std::string_view uid) const {
    const auto at = entries_.find(pod);
    return at != entries_.end() && at->second.until && at->second.uid == uid;
  }
  // The Pod is bound or gone: what was is forgotten.
  void End(std::string_view pod) {
    if (const auto at = entries_.find(pod); at != entries_.end()) entries_.erase(at);
  }

  // Whose pause is over. They are remembered: the next one is longer.
  std::vector<Over> Take(MonotonicTime now) {
    std::vector<Over> over;
    for (auto& [pod, entry] : entries_) {
      if (!entry.until || *entry.until > now) continue;
      over.push_back({pod, entry.uid});
      entry.until.reset();
    }
    return over;
  }
  // When the next one is; nothing: none pauses.
  std::optional<MonotonicTime> next() const {
    std::optional<MonotonicTime> next;
    for (const auto& [pod, entry] : entries_) {
      if (entry.until && (!next || *entry.until < *next)) next = entry.until;
    }
    return next;
  }

 private:
  struct Entry {
    std::string uid;
    int failures = 0;
    std::optional<MonotonicTime> until = std::nullopt;
  };

  const PauseOptions options_;
  std::map<std::string, Entry, std::less<>> entries_;  // by key
};

}  // namespace allot::control
