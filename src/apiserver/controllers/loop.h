#pragma once
// Runs controllers without threads: notices changes, reconciles keys one after another, and retries failed ones.
//
// Changes come from the store itself, so a caller that has read an object at a version can catch up with all changes up to it. An object
// that cannot be read is logged and skipped: one damaged row must not stop the others.
// Not thread-safe: one thread does the work.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apiserver/controllers/controller.h"
#include "base/log.h"
#include "kube/queue.h"

namespace allot::apiserver {

class Loop {
 public:
  // `log` may be null.
  Loop(Api& api, const Clock& clock, Log* log);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  World& world() { return world_; }
  void Add(std::unique_ptr<Controller> controller);

  // Notices every stored object. Used at the start, and if the history does not go back far enough.
  void LookAtEverything();
  // Notices what changed since the last call.
  void CatchUp();
  // Reconciles one key. Returns false if none is ready.
  bool Step();
  // When the next delayed key is due; nullopt if there is none.
  std::optional<MonotonicTime> next_due() const { return queue_.next_due(); }

 private:
  void Notice(const Sight& sight);
  void PassOver(const Key& key);

  World world_;
  Log* const log_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  kube::QueueState queue_;  // keys like "3/pods/lab/train": the number of the controller, then the object
  uint64_t position_ = 0;   // changes up to this version were noticed
  std::set<Key> damaged_;   // objects that cannot be read
};

}  // namespace allot::apiserver
