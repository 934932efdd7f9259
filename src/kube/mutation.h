#pragma once
// What an informer knows, with our own latest writes on top: a decision never goes by a state that we have changed ourselves already.
//
// Promises:
//   1. after Assume, a reader sees that version or a newer one, though the informer has not heard of it yet;
//   2. where the informer is as new, or newer, it wins, and the assumption is gone;
//   3. an assumption that the informer never confirms (somebody deleted the object before it was seen) is gone after a time.
// Versions are compared as numbers, which Kubernetes promises since 1.35 and etcd always gave.
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
    ObjectPtr Find(std::string_view namespace_name, std::string_view name) const;  // nullptr: not there
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
    std::map<Name, ObjectPtr> changed_;  // null: deleted
  };

  // `source` gives the informer's latest snapshot: [&] { return informer.snapshot(); }. It must not go back, and outlive this, as must
  // `clock`.
  MutationCache(Source source, const Clock& clock, std::chrono::nanoseconds ttl = std::chrono::minutes(2))
      : source_(std::move(source)), clock_(clock), ttl_(ttl) {}

  // The server answered a write of ours with this object. Nothing happens where a newer version is known.
  void Assume(ObjectPtr written);
  // The server answered that the object, whose last version this is, is gone (and not that it goes when its finalizers are done).
  void AssumeDeleted(ObjectPtr last);
  // What the informer says counts again.
  void Forget(std::string_view namespace_name, std::string_view name);

  // The newer of the informer's and the assumed version; nullptr: not there.
  ObjectPtr Get(std::string_view namespace_name, std::string_view name);
  View Take();

  // Assumptions that are still of use.
  size_t size();

 private:
  struct Assumption {
    ObjectPtr object;
    bool deleted = false;
    bool seen = false;  // the informer had an object of this uid: when it has none, it heard of the deletion
    MonotonicTime until;
  };
  using Assumptions = std::map<Name, Assumption>;

  void Put(ObjectPtr object, bool deleted);
  // Whether the assumption is newer than the snapshot. Remembers what it saw.
  bool Holds(Assumption& assumption, const Snapshot& snapshot) const;
  void Sweep(const Snapshot& snapshot);

  const Source source_;
  const Clock& clock_;
  const std::chrono::nanoseconds ttl_;
  std::mutex mutex_;
  Assumptions assumptions_;
};

}  // namespace allot::kube
