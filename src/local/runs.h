#pragma once
// The commands of `allot run` on this machine: their shares are prepared, watched, and given back when the last process is gone
// (run_protocol.h has the steps).
//
// Promises:
//   1. a share is held from before the command's first instruction until no process of its group is left, whoever is killed;
//   2. it is free within a second after that;
//   3. only a process of the Pod's user is taken for its command, and only its group is ended when the Pod is deleted;
//   4. nothing is remembered but what the API has: a new `up` goes on where the last one was.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "json/editor.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/queue.h"
#include "local/devices.h"
#include "local/run_protocol.h"

namespace allot::local {

class Runs : private kube::Informer::Handler {
 public:
  // Gives the devices of a node of this machine; null: it is none of ours.
  using DevicesOf = std::function<Devices*(std::string_view node)>;

  // All must outlive it.
  Runs(kube::Client& client, DevicesOf devices, const Clock& clock, Random& random, Log& log);
  ~Runs() override { Stop(); }

  void Start();
  // Commands go on.
  void Stop();
  // Commands that run.
  size_t running() const;

 private:
  static constexpr int kWorkers = 4;

  struct Run {
    std::optional<node::ClaimRef> claim;  // prepared, or being so
    bool prepared = false;                // and the command's side was told
    bool released = false;                // for good
    std::optional<ProcessId> command;     // that Running was written for, whether or not the API has said so
    std::optional<MonotonicTime> kill_at;
    std::string told;  // the last error that was logged
  };
  // A Pod as it is now.
  struct View {
    kube::ObjectPtr pod;
    bool gone = false;                 // the API has it no more; `pod` is the last of it
    std::optional<ProcessId> command;  // that was begun, or may have been
    std::optional<uid_t> user;         // whose it must be; nothing: the system cannot tell
  };

  void OnAdded(const kube::ObjectPtr& pod) override;
  void OnUpdated(const kube::ObjectPtr& before, const kube::ObjectPtr& after) override;
  void OnDeleted(const kube::ObjectPtr& last) override;

  void Work();
  void Look();
  // True: come again soon.
  Result<bool> Sync(const std::string& uid);
  Result<bool> Step(const View& view, Run& run);
  Status Prepare(const kube::Object& pod, Run& run);
  // The process that the Pod's user names as the command, where it is what it must be.
  static std::optional<ProcessId> Candidate(const View& view);
  Status Begin(const kube::Object& pod, const ProcessId& command);
  Result<bool> End(const View& view, Run& run);
  Status Release(const kube::Object& pod, Run& run);
  Status Delete(const kube::Object& pod);
  // Tells who waits why it takes longer.
  Status Tell(const kube::Object& pod, const Status& why);
  // Tells who waits that it will not be. False: that is all.
  Result<bool> Fail(const kube::Object& pod, const Status& why);
  Result<node::ClaimRef> ClaimOf(const kube::Object& pod);
  // Changes the Pod, where it is still this one.
  Status Patch(const kube::Object& pod, std::string_view subresource, json::Editor& edit, const json::Value& patch);
  http::Patience Patience() const;

  kube::Client& client_;
  const DevicesOf devices_;
  const Clock& clock_;
  Log& log_;
  kube::Informer informer_;
  kube::Queue queue_;
  Cancel stop_;
  // A share that has to wait for another one keeps a worker busy. One is always left for those that end.
  std::counting_semaphore<> prepare_slots_{kWorkers - 1};
  std::vector<std::thread> workers_;
  std::thread looker_;
  mutable std::mutex mutex_;
  std::map<std::string, Run> runs_;              // by the Pod's UID
  std::map<std::string, kube::ObjectPtr> gone_;  // by UID: Pods that were deleted while something of them may be left
  std::map<std::string, kube::ObjectPtr> pods_;  // by UID: as the API has them
};

}  // namespace allot::local
