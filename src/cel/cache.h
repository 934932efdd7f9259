#pragma once
// Compiled selectors by their text.

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.h"
#include "cel/program.h"

namespace allot::cel {

// Thread-safe. A lookup of what is there takes a shared lock only. Errors are kept too: a wrong selector is not compiled for every Pod.
class Cache {
 public:
  static constexpr size_t kDefaultSize = 1024;

  explicit Cache(const Options& options = {}, size_t max_size = kDefaultSize) : options_(options), max_size_(max_size) {}

  // The program of `expression`, or why it does not compile. What was returned stays usable after it has left the cache.
  Result<std::shared_ptr<const Program>> Get(std::string_view expression);

  size_t size() const;

 private:
  using Entry = Result<std::shared_ptr<const Program>>;

  // Finds a key by a view of it.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Generation = std::unordered_map<std::string, std::shared_ptr<const Entry>, Hash, std::equal_to<>>;

  const Options options_;
  const size_t max_size_;
  mutable std::shared_mutex mutex_;
  // Two generations: what is asked for again moves from the older one to the younger one; when that is full the older one goes.
  Generation young_, old_;
};

}  // namespace allot::cel
