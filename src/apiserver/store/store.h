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
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/database.h"
#include "apiserver/store/entry.h"
#include "apiserver/store/history.h"
#include "base/status.h"

namespace allot::apiserver {

struct StoreOptions {
  size_t history = 20'000;          // changes that watches and lists at a version may go back to
  size_t history_bytes = 64 << 20;  // of texts that only the history holds
  // Of what is found in the file: first `seen` for every object, then `index` for every object. Nothing: none.
  std::function<void(std::string_view resource, std::string_view json)> seen = {};
  std::function<Index(std::string_view resource, std::string_view json)> index = {};
};

class Store {
 public:
  // Makes the file where there is none. kUnsupported, naming the version, for a store that a newer program wrote; kInvalid for a file
  // that is damaged or none of ours; kUnavailable where another process has it.
  static Result<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options);

  // Use Open.
  Store(std::unique_ptr<Database> database, const StoreOptions& options)
      : database_(std::move(database)), history_(options.history, options.history_bytes) {}

  // Writes the object. kConflict: `expected` is not its version (0: it must not exist). kExhausted: the disk is full; kUnavailable: the
  // disk failed.
  Result<EntryPtr> Put(const Key& key, uint64_t expected, Draft draft) { return Write(key, expected, std::move(draft), false); }
  // Deletes it; `last` is what watches see, and what is returned.
  Result<EntryPtr> Remove(const Key& key, uint64_t expected, Draft last) { return Write(key, expected, std::move(last), true); }

  EntryPtr Get(const Key& key) const { return history_.Get(key); }  // null: not there
  uint64_t version() const { return history_.version(); }           // of the latest write

  // All of a resource (with an empty namespace: of all namespaces), now.
  Snapshot List(std::string_view resource, std::string_view space) const { return history_.List(resource, space); }
  // The same as it was at `version`. kNotFound: the history does not go back so far; kUnavailable: there is no such version yet.
  Result<Snapshot> ListAt(std::string_view resource, std::string_view space, uint64_t version) const {
    return history_.ListAt(resource, space, version);
  }
  // The changes of a resource (empty: of all) after `version`, the `most` oldest, in order. kNotFound: the history does not go back so far.
  Result<std::vector<ChangePtr>> ChangesSince(std::string_view resource, uint64_t version, size_t most = SIZE_MAX) const {
    return history_.ChangesSince(resource, version, most);
  }
  // A resource whose history begins anew: its definition was made, or came back.
  void BeginHistory(std::string_view resource) { history_.BeginHistory(resource); }

  // `wake` is called, by whichever thread wrote, after every write (once for several); it must be short. Set before the first write.
  void OnChange(std::function<void()> wake) { wake_ = std::move(wake); }

  // Gives the space of what is gone back to the file system. Writers wait meanwhile.
  Status Compact();

  // For tests: a disk of this many pages of 4 KiB.
  Status LimitPages(int pages);

 private:
  struct Pending {
    const Key& key;
    uint64_t expected = 0;
    Draft draft = {};
    bool remove = false;
    bool alone = false;  // not a write: runs when it is in front, without others
    bool done = false;
    std::condition_variable wake = {};
    Status status = {};
    std::shared_ptr<Entry> entry = {};
    EntryPtr before = {};
  };

  Result<EntryPtr> Write(const Key& key, uint64_t expected, Draft draft, bool remove);
  void CommitTogether(const std::vector<Pending*>& batch);
  Status RunAlone(const std::function<Status()>& run);

  const std::unique_ptr<Database> database_;  // only whoever is in front of the queue
  History history_;
  std::function<void()> wake_;

  std::mutex mutex_;
  std::deque<Pending*> queue_;  // the first one writes for all
};

}  // namespace allot::apiserver
