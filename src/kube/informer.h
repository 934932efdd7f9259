#pragma once
// A copy of a collection of the API that follows the server: list, then watch, forever.
//
// Promises:
//   1. the cache only moves forward: the changes of an object are seen in the server's order; several changes between two observations may
//      be seen as one;
//   2. for each object reported as added, its deletion is reported exactly once, even if it happened while the server was unreachable. An
//      object replaced by another of the same name is reported as deleted and added. No other deletion is reported;
//   3. the cache changes before the handler is called.
// All errors are retried with growing pauses: temporary ones (no connection, an overloaded server, a compacted history) and also those that
// an administrator must fix (no permission, an unknown kind). status() has the current error.

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"
#include "kube/object.h"
#include "kube/object_pool.h"

namespace allot::kube {

// The cache at one moment. Immutable, so any number of threads may read it.
class Snapshot {
 public:
  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const;  // nullptr if missing
  size_t size() const;
  // In no particular order.
  template <typename Function>
  void Each(Function function) const {
    for (const auto& shard : shards_) {
      for (const ObjectPtr& object : *shard) function(object);
    }
  }

 private:
  friend class ObjectCache;
  using Shard = std::vector<ObjectPtr>;  // sorted by namespace and name
  static constexpr size_t kShards = 64;
  std::array<std::shared_ptr<const Shard>, kShards> shards_;
};

// The objects of a Snapshot while they change. The next snapshot copies only the shards that changed.
class ObjectCache {
 public:
  std::shared_ptr<const Snapshot> Take() const;
  // Returns the previous object of that name, or nullptr.
  ObjectPtr Put(ObjectPtr object);
  ObjectPtr Remove(std::string_view namespace_name, std::string_view name);
  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const;
  std::vector<ObjectPtr> All() const;

 private:
  using Shard = Snapshot::Shard;
  struct Place {
    size_t shard;
    Shard::iterator at;
    bool found;
  };
  Place PlaceOf(std::string_view namespace_name, std::string_view name);

  mutable std::mutex mutex_;
  std::array<Shard, Snapshot::kShards> shards_;
  mutable std::array<std::shared_ptr<const Shard>, Snapshot::kShards> published_;  // nullptr if changed since
  mutable std::shared_ptr<const Snapshot> snapshot_;                               // nullptr if changed since
};

class Informer {
 public:
  struct Options {
    std::string namespace_name;  // empty: all namespaces
    std::string label_selector, field_selector;
    int64_t page = 500;
    // metadata.managedFields is half of a small object, and allot does not read it.
    bool keep_managed_fields = false;
    std::chrono::milliseconds first_pause{800}, longest_pause{30'000};
    std::chrono::seconds watch_timeout{480};  // each watch lasts a random time between half of this and all of it
  };

  // Called by the informer's thread, one call at a time. Must not call Stop.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void OnAdded(const ObjectPtr& /*object*/) {}
    virtual void OnUpdated(const ObjectPtr& /*before*/, const ObjectPtr& /*after*/) {}
    virtual void OnDeleted(const ObjectPtr& /*last*/) {}
  };

  struct Counts {
    uint64_t lists = 0, watches = 0, events = 0, expired = 0, failures = 0, ignored = 0;
  };

  // All arguments must outlive the informer; `handler` may be null.
  Informer(Client& client, const ResourceType& type, Options options, Random& random, Handler* handler);
  ~Informer() { Stop(); }

  void Start();
  // Returns when the thread has ended; the handler is not called afterwards.
  void Stop();

  // Waits until the first list is in the cache. Returns kUnavailable, with the current error, if the patience ends first.
  Status AwaitSync(const Patience& patience) const;
  bool synced() const { return synced_.load(std::memory_order_acquire); }

  std::shared_ptr<const Snapshot> snapshot() const { return cache_.Take(); }
  // Ok while the informer follows the server, else the reason.
  Status status() const;
  Counts counts() const;

 private:
  void Run();
  Status Relist();
  // Returns when the watch ends; ok if the server ended it normally.
  Status Follow();
  Status Apply(const WatchEvent& event);
  void Replace(std::vector<ObjectPtr> listed);
  void Upsert(ObjectPtr object, bool from_list);
  ObjectPtr Keep(const json::Value& value);
  void Note(const Status& status);
  void Pause(std::chrono::milliseconds time) const;

  Client& client_;
  const ResourceType& type_;
  const Options options_;
  Random& random_;
  Handler* const handler_;

  ObjectPool pool_;
  ObjectCache cache_;
  Cancel stop_;
  std::thread thread_;
  std::string resource_version_;  // the version of the cache; empty: list first

  std::atomic<bool> synced_{false};
  mutable std::mutex mutex_;  // guards the members below
  mutable std::condition_variable changed_;
  Status status_;
  Counts counts_;
};

}  // namespace allot::kube
