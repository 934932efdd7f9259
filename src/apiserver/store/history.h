#pragma once
// The objects in memory, and the latest changes to them within the limits.
//
// Thread-safe: any number of readers, one writer.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/store/entry.h"
#include "base/status.h"

namespace allot::apiserver {

class History {
 public:
  // Forgets changes beyond `max_changes`, or when changes hold more than `max_bytes` of texts that no object has any more.
  History(size_t max_changes, size_t max_bytes) : max_changes_(max_changes), max_bytes_(max_bytes) {}

  // For startup: adds a stored object, and sets the version at which the history begins.
  void Load(EntryPtr entry);
  void Begin(uint64_t version);

  // Applies changes in the order of their versions. Readers see all of them or none.
  void Apply(const std::vector<ChangePtr>& changes);

  // See Store.
  EntryPtr Get(const Key& key) const;
  uint64_t version() const;
  Snapshot List(std::string_view resource, std::string_view space) const;
  Result<Snapshot> ListAt(std::string_view resource, std::string_view space, uint64_t version) const;
  Result<std::vector<ChangePtr>> ChangesSince(std::string_view resource, uint64_t version, size_t most) const;
  void BeginHistory(std::string_view resource);

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name
  struct ByName {
    using is_transparent = void;
    using View = std::pair<std::string_view, std::string_view>;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return View(a.first, a.second) < View(b.first, b.second);
    }
  };
  using Entries = std::map<Name, EntryPtr, ByName>;
  struct Collection {
    Entries entries;
    std::deque<ChangePtr> changes;
    uint64_t begin = 0;  // changes after this version are known
  };

  void ApplyOne(const ChangePtr& change);
  void Forget();
  static size_t Weight(const Change& change) {
    return (change.before == nullptr ? 0 : change.before->json.size()) + (change.deleted ? change.after->json.size() : 0);
  }
  // Returns the range of the entries of a namespace (empty: all).
  static std::pair<Entries::const_iterator, Entries::const_iterator> Range(const Entries& entries, std::string_view space);

  const size_t max_changes_, max_bytes_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, Collection> collections_;
  std::deque<ChangePtr> changes_;  // of all collections
  uint64_t begin_ = 0, version_ = 0;
  size_t bytes_ = 0;
};

}  // namespace allot::apiserver
