#pragma once
// The controllers' work without threads: what changed is noticed, keys are worked on one after the other, what failed comes again.
//
// Changes are taken from the store itself, so that whoever has read an object at a version can catch up with all changes up to it.
// An object that is found but cannot be read is logged and passed over: one damaged row must not stop all others.
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

  // Notices everything that is stored. At the start, and when the history does not go back far enough.
  void LookAtEverything();
  // Notices what changed since the last time.
  void CatchUp();
  // Works on one key. False: there is none now.
  bool Step();
  // When there will be one by itself; nothing: only a change can bring one.
  std::optional<MonotonicTime> next_due() const { return queue_.next_due(); }

 private:
  void Notice(const Sight& sight);
  void PassOver(const Key& key);

  World world_;
  Log* const log_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  kube::QueueState queue_;  // of "3/pods/lab/train": the number of the controller and the key
  uint64_t position_ = 0;   // changes up to this version were noticed
  std::set<Key> damaged_;   // found, but cannot be read
};

}  // namespace allot::apiserver
