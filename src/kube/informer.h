#pragma once
// A copy of a collection of the API that follows the server: list, then watch, for ever.
//
// Promises:
//   1. the cache moves only forward: every change of an object is seen in the order in which the server made it; changes that fell
//      between two looks may be seen as one;
//   2. a deletion is reported exactly once for each object that was reported as added, also when it happened while the server was away;
//      an object that was replaced by another of its name is reported as deleted and added; nothing else is reported as deleted;
//   3. the cache is changed before the handler hears of it.
// What time heals (no connection, an overloaded server, a history that was compacted) is tried again, with growing pauses. What it cannot
// heal (no permission, an unknown kind) is tried again too, since admins mend such things; status() says what is wrong.

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

// The cache at one moment. Immutable: read by any number of threads.
class Snapshot {
 public:
  ObjectPtr Find(std::string_view namespace_name, std::string_view name) const;  // nullptr: not there
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

// The objects of a Snapshot while they change. Only the shards that changed are copied for the next one.
class ObjectCache {
 public:
  std::shared_ptr<const Snapshot> Take() const;
  // What was there before under that name; nullptr: nothing.
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
  mutable std::array<std::shared_ptr<const Shard>, Snapshot::kShards> published_;  // null: changed since
  mutable std::shared_ptr<const Snapshot> snapshot_;                               // null: changed since
};

class Informer {
 public:
  struct Options {
    std::string namespace_name;  // empty: all
    std::string label_selector, field_selector;
    int64_t page = 500;
    // metadata.managedFields is half of a small object, and no reader of ours needs it.
    bool keep_managed_fields = false;
    std::chrono::milliseconds first_pause{800}, longest_pause{30'000};
    std::chrono::seconds watch_timeout{480};  // of each is chosen between half of this and all of it
  };

  // Called by the informer's thread, one after the other. Must not call Stop.
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

  // All must outlive it; `handler` may be null.
  Informer(Client& client, const ResourceType& type, Options options, Random& random, Handler* handler);
  ~Informer() { Stop(); }

  void Start();
  // Returns when the thread has ended; no handler is called afterwards.
  void Stop();

  // Waits until the first list is in the cache. kUnavailable, with what is in the way, when the patience ends before.
  Status AwaitSync(const http::Patience& patience) const;
  bool synced() const { return synced_.load(std::memory_order_acquire); }

  std::shared_ptr<const Snapshot> snapshot() const { return cache_.Take(); }
  // Ok while it follows the server; else why not.
  Status status() const;
  Counts counts() const;

 private:
  void Run();
  Status Relist();
  // Until the watch ends: ok in good order.
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
  std::string resource_version_;  // the state that the cache has; empty: list first

  std::atomic<bool> synced_{false};
  mutable std::mutex mutex_;  // of what follows
  mutable std::condition_variable changed_;
  Status status_;
  Counts counts_;
};

}  // namespace allot::kube
