#pragma once
// The objects of the API: durable in SQLite, readable in memory, with a history that watches follow.
//
// Promises:
//   1. a write that returned its new version survives a crash of the process and of the machine;
//   2. versions rise by one with each write, across all kinds; readers see writes in the order of their versions, each of them complete;
//   3. reads do not touch the disk. Concurrent writers share one transaction and one sync;
//   4. a failed write (full disk) changes nothing, and the store continues to work;
//   5. an object is one text, written once: lists and watch events share it.
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
  // Called for the objects in the file: first `seen` for every object, then `index` for every object. May be empty.
  std::function<void(std::string_view resource, std::string_view json)> seen = {};
  std::function<Index(std::string_view resource, std::string_view json)> index = {};
};

class Store {
 public:
  // Creates the file if it is missing. Returns kUnsupported, with the version, for a store of a newer program; kInvalid for a damaged file
  // or one of another program; kUnavailable if another process has it open.
  static Result<std::unique_ptr<Store>> Open(const std::string& path, const StoreOptions& options);

  // Call Open instead.
  Store(std::unique_ptr<Database> database, const StoreOptions& options)
      : database_(std::move(database)), history_(options.history, options.history_bytes) {}

  // Writes the object. Returns kConflict if `expected` is not its version (0: it must not exist), kExhausted if the disk is full,
  // kUnavailable if the disk failed.
  Result<EntryPtr> Put(const Key& key, uint64_t expected, Draft draft) { return Write(key, expected, std::move(draft), false); }
  // Deletes the object. `last` is what watches see and what is returned.
  Result<EntryPtr> Remove(const Key& key, uint64_t expected, Draft last) { return Write(key, expected, std::move(last), true); }

  EntryPtr Get(const Key& key) const { return history_.Get(key); }  // null if missing
  uint64_t version() const { return history_.version(); }           // of the latest write

  // Returns all objects of a resource (in all namespaces if `space` is empty).
  Snapshot List(std::string_view resource, std::string_view space) const { return history_.List(resource, space); }
  // The same at `version`. Returns kNotFound if the history does not go back so far, kUnavailable if the version does not exist yet.
  Result<Snapshot> ListAt(std::string_view resource, std::string_view space, uint64_t version) const {
    return history_.ListAt(resource, space, version);
  }
  // Returns the `most` oldest changes of a resource (empty: of all) after `version`, in order. Returns kNotFound if the history does not go
  // back so far.
  Result<std::vector<ChangePtr>> ChangesSince(std::string_view resource, uint64_t version, size_t most = SIZE_MAX) const {
    return history_.ChangesSince(resource, version, most);
  }
  // Restarts the history of a resource, because its definition was created or came back.
  void BeginHistory(std::string_view resource) { history_.BeginHistory(resource); }

  // `wake` is called by the writing thread after every write (once for several) and must be short. Set it before the first write.
  void OnChange(std::function<void()> wake) { wake_ = std::move(wake); }

  // Returns free space to the file system. Writers wait meanwhile.
  Status Compact();

  // For tests: a disk of this many pages of 4 KiB.
  Status LimitPages(int pages);

 private:
  struct Pending {
    const Key& key;
    uint64_t expected = 0;
    Draft draft = {};
    bool remove = false;
    bool alone = false;  // not a write: runs by itself when it is first in the queue
    bool done = false;
    std::condition_variable wake = {};
    Status status = {};
    std::shared_ptr<Entry> entry = {};
    EntryPtr before = {};
  };

  Result<EntryPtr> Write(const Key& key, uint64_t expected, Draft draft, bool remove);
  void CommitTogether(const std::vector<Pending*>& batch);
  Status RunAlone(const std::function<Status()>& run);

  const std::unique_ptr<Database> database_;  // used only by the first request in the queue
  History history_;
  std::function<void()> wake_;

  std::mutex mutex_;
  std::deque<Pending*> queue_;  // the first one writes for all
};

}  // namespace allot::apiserver
