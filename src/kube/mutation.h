#pragma once
// An informer's view with this process's own latest writes on top, so a decision never uses a state that the process itself has already
// changed.
//
// Promises:
//   1. after Assume, a reader sees that version or a newer one, even if the informer has not seen it yet;
//   2. once the informer has that version or a newer one, the informer wins and the assumption is dropped;
//   3. an assumption that the informer never confirms (the object was deleted before it was seen) is dropped after `ttl`.
// Versions are compared as numbers, which Kubernetes guarantees since 1.35 and etcd always provided.
// Thread-safe.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "kube/informer.h"
#include "kube/object.h"

namespace allot::kube {

class MutationCache {
 public:
  using Source = std::function<std::shared_ptr<const Snapshot>()>;
  using Name = std::pair<std::string, std::string>;  // namespace and name

  // A Snapshot and the assumptions that were newer at that moment. Immutable.
  class View {
   public:
    ObjectPtr Find(std::string_view namespace_name, std::string_view name) const;  // nullptr if missing
    // In no particular order.
    template <typename Function>
    void Each(Function function) const {
      snapshot_->Each([&](const ObjectPtr& object) {
        if (changed_.empty() || !changed_.contains({std::string(object->namespace_name()), std::string(object->name())})) function(object);
      });
      for (const auto& [name, object] : changed_) {
        if (object != nullptr) function(object);
      }
    }

   private:
    friend class MutationCache;
    std::shared_ptr<const Snapshot> snapshot_;
    std::map<Name, ObjectPtr> changed_;  // nullptr: deleted
  };

  // `source` returns the informer's latest snapshot: [&] { return informer.snapshot(); }. Its snapshots must not go back. `source` and
  // `clock` must outlive this.
  MutationCache(Source source, const Clock& clock, std::chrono::nanoseconds ttl = std::chrono::minutes(2))
      : source_(std::move(source)), clock_(clock), ttl_(ttl) {}

  // The server answered a write with this object. Does nothing if a newer version is known.
  void Assume(ObjectPtr written);
  // The server answered that the object is gone, not merely waiting for finalizers. `last` is its last version.
  void AssumeDeleted(ObjectPtr last);
  // Drops the assumption, so the informer's version counts again.
  void Forget(std::string_view namespace_name, std::string_view name);

  // Returns the newer of the informer's and the assumed version, or nullptr.
  ObjectPtr Get(std::string_view namespace_name, std::string_view name);
  View Take();

  // How many assumptions are still newer than the informer.
  size_t size();

 private:
  struct Assumption {
    ObjectPtr object;
    bool deleted = false;
    bool seen = false;  // the informer had an object of this uid; if it has none later, the object was deleted
    MonotonicTime until;
  };
  using Assumptions = std::map<Name, Assumption>;

  void Put(ObjectPtr object, bool deleted);
  // Returns whether the assumption is newer than the snapshot, and updates `seen`.
  bool Holds(Assumption& assumption, const Snapshot& snapshot) const;
  void Sweep(const Snapshot& snapshot);

  const Source source_;
  const Clock& clock_;
  const std::chrono::nanoseconds ttl_;
  std::mutex mutex_;
  Assumptions assumptions_;
};

}  // namespace allot::kube
