#pragma once
// Runs the API server's controllers on their own thread: the part of kube-controller-manager that allot needs.
//
// Controllers keep no state besides the objects. After a crash they scan all objects and continue.

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
  // All arguments must outlive it. `log` may be null. REQUIRES: nothing has been written yet (WatchHub::Listen).
  Controllers(Api& api, WatchHub& hub, const Clock& clock, Log* log = nullptr);
  // Stops between two keys.
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  // Serves the stored definitions, makes the system's objects and starts the thread. Call once, before the first request is answered.
  Status Start();

 private:
  // State that the hub's thread uses, which may run longer than this object lives.
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
