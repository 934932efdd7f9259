#pragma once
// A cache of compiled selectors, keyed by their text.

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.h"
#include "cel/program.h"

namespace allot::cel {

// Thread-safe. A hit takes only a shared lock. Errors are cached too, so an invalid selector is not compiled again for every Pod.
class Cache {
 public:
  static constexpr size_t kDefaultSize = 1024;

  explicit Cache(const Options& options = {}, size_t max_size = kDefaultSize) : options_(options), max_size_(max_size) {}

  // Returns the program of `expression`, or why it does not compile. The program stays usable after it has left the cache.
  Result<std::shared_ptr<const Program>> Get(std::string_view expression);

  size_t size() const;

 private:
  using Entry = Result<std::shared_ptr<const Program>>;

  // Allows lookups by string_view.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Generation = std::unordered_map<std::string, std::shared_ptr<const Entry>, Hash, std::equal_to<>>;

  const Options options_;
  const size_t max_size_;
  mutable std::shared_mutex mutex_;
  // Two generations. A hit in the old one moves the entry to the young one; when the young one is full, the old one is dropped.
  Generation young_, old_;
};

}  // namespace allot::cel
