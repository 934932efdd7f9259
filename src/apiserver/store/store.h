#pragma once
// The objects of the API: durable in SQLite, readable in memory, with a history that watches follow.
//
// Promises:
//   1. a write that was answered with its new version survives the end of the process and of the machine;
//   2. versions rise by one with each write, over all kinds; readers see writes in the order of their versions, each of them whole;
//   3. a read costs no disk. Writers that come at the same time share one transaction and one sync;
//   4. a failed write (full disk) changes nothing, and the store goes on;
//   5. an object is one text, written once: lists and watch events hold it, they do not copy it.
// Thread-safe.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace allot::apiserver {

// Where an object is: the kind's resource ("pods", "resourceclaims.resource.k8s.io"), namespace (empty: none) and name.
struct Key {
  std::string resource, space, name;
  friend auto operator<=>(const Key&, const Key&) = default;
};

// What selectors look at, taken out of the object when it was written.
struct Index {
  std::vector<std::pair<std::string, std::string>> labels;  // sorted
  std::vector<std::string> fields;                          // in the order of the kind's `selectable`
};

// One version of one object. Immutable.
struct Entry {
  Key key;
  uint64_t version = 0;
  std::string uid;
  std::string json;  // with its resourceVersion
  Index index;
};
using EntryPtr = std::shared_ptr<const Entry>;

// One write, as watches see it.
struct Change {
  uint64_t version = 0;
  EntryPtr before;  // null: it was created
  EntryPtr after;   // of a deletion: the last state with the version of the deletion
  bool deleted = false;
};
using ChangePtr = std::shared_ptr<const Change>;

// An object that is to be written: its JSON without the resourceVersion, and where that belongs.
struct Draft {
  std::string before, after;  // around the digits of the version
  std::string uid;
  Index index;
};

class Store {
 public:
  struct Options {
    size_t history = 20'000;  // changes that watches and lists at a version may go back to
    size_t history_bytes = 256 << 20;
  };

  // Makes the file where there is none. kUnsupported, naming the version, for a store that a newer program wrote; kInvalid for a file
  // that is damaged or none of ours; kUnavailable where another process has it.
  static Result<std::unique_ptr<Store>> Open(const std::string& path, const Options& options);
  virtual ~Store() = default;

  // kConflict: `expected` is not its version (0: it must not exist). kExhausted: the disk is full; kUnavailable: the disk failed.
  virtual Result<EntryPtr> Put(const Key& key, uint64_t expected, Draft draft) = 0;
  virtual Result<EntryPtr> Remove(const Key& key, uint64_t expected, Draft last) = 0;

  virtual EntryPtr Get(const Key& key) const = 0;  // null: not there
  virtual uint64_t version() const = 0;            // of the latest write

  struct Snapshot {
    uint64_t version = 0;
    std::vector<EntryPtr> entries;  // sorted by namespace and name
  };
  // All of a resource (an empty namespace: of all), now.
  virtual Snapshot List(std::string_view resource, std::string_view space) const = 0;
  // The same as it was at `version`. kNotFound: the history does not go back so far; kUnavailable: there is no such version yet.
  virtual Result<Snapshot> ListAt(std::string_view resource, std::string_view space, uint64_t version) const = 0;

  // The changes of a resource (empty: of all) after `version`, oldest first. kNotFound: the history does not go back so far.
  virtual Result<std::vector<ChangePtr>> ChangesSince(std::string_view resource, uint64_t version) const = 0;

  // A resource whose history begins anew: a definition that was made, or came back.
  virtual void BeginHistory(std::string_view resource) = 0;

  // `wake` is called, by whichever thread wrote, after every write (once for several); it must be short. Nothing: none.
  virtual void OnChange(std::function<void()> wake) = 0;

  // Gives back what deleted objects held on the disk.
  virtual Status Compact() = 0;
};

}  // namespace allot::apiserver
