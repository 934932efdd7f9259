#pragma once
// The controllers of the API server, on a thread of their own: what kube-controller-manager does, as far as allot needs it.
//
// Nothing of their work is kept but the objects themselves: after a crash they look at everything and go on.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "apiserver/api.h"
#include "apiserver/controllers/loop.h"
#include "apiserver/rest/watch.h"
#include "base/log.h"

namespace allot::apiserver {

class Definitions;

class Controllers {
 public:
  // All must outlive it. `log` may be null. REQUIRES that nothing was written yet (WatchHub::Listen).
  Controllers(Api& api, WatchHub& hub, const Clock& clock, Log* log = nullptr);
  // Ends the work between two keys.
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  // Serves the definitions that are stored, makes the objects of the system, and begins. Before the first request is answered; once.
  Status Start();

 private:
  // What the hub's thread touches, which goes on when this object is gone.
  struct Bell {
    std::mutex mutex;
    std::condition_variable rung;
    bool changed = false, stop = false;
  };

  void Run();

  Api& api_;
  const Clock& clock_;
  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
  Loop loop_;
  Definitions* definitions_;  // owned by the loop
  std::thread thread_;
};

}  // namespace allot::apiserver
