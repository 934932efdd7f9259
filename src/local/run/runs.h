#pragma once
// The part that serves the commands of `allot run`: it prepares their shares, watches their processes, and releases the shares when the
// last process is gone (run_protocol.h has the steps).
//
// Promises:
//   1. a share is held from before the command's first instruction until no process of its group is left, even if `run` or `up` is killed;
//   2. the share is free within a second after that;
//   3. only a process of the Pod's user can be its command, and only its group is ended when the Pod is deleted;
//   4. the API has all state: a new `up` continues where the last one stopped.

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
#include "local/run/run_protocol.h"

namespace allot::local {

class Runs : private kube::Informer::Handler {
 public:
  // Returns the devices of a node of this machine; null for another node.
  using DevicesOf = std::function<Devices*(std::string_view node)>;

  // The arguments must outlive this object.
  Runs(kube::Client& client, DevicesOf devices, const Clock& clock, Random& random, Log& log);
  ~Runs() override { Stop(); }

  void Start();
  // Commands keep running.
  void Stop();
  // The number of running commands.
  size_t running() const;

 private:
  static constexpr int kWorkers = 4;

  struct Run {
    std::optional<node::ClaimRef> claim;  // set before it is prepared
    bool prepared = false;                // and kEnvironment is written
    bool released = false;                // the claim is unprepared
    std::optional<ProcessId> command;     // the accepted command; set before Running is written
    std::optional<MonotonicTime> kill_at;
    std::string told;  // the last error that was logged
  };
  // The current state of a Pod.
  struct View {
    kube::ObjectPtr pod;
    bool gone = false;                 // the API no longer has the Pod; `pod` is its last version
    std::optional<ProcessId> command;  // the command that was resumed, or may have been
    std::optional<uid_t> user;         // the command's user; nullopt: unknown
  };

  void OnAdded(const kube::ObjectPtr& pod) override;
  void OnUpdated(const kube::ObjectPtr& before, const kube::ObjectPtr& after) override;
  void OnDeleted(const kube::ObjectPtr& last) override;

  void Work();
  void Look();
  // Returns true to be called again soon.
  Result<bool> Sync(const std::string& uid);
  Result<bool> Step(const View& view, Run& run);
  Status Prepare(const kube::Object& pod, Run& run);
  // The process of kCommand, if it leads its group and belongs to the Pod's user.
  static std::optional<ProcessId> Candidate(const View& view);
  Status Begin(const kube::Object& pod, const ProcessId& command);
  Result<bool> End(const View& view, Run& run);
  Status Release(const kube::Object& pod, Run& run);
  Status Delete(const kube::Object& pod);
  // Tells the waiter why it takes longer.
  Status Tell(const kube::Object& pod, const Status& why);
  // Tells the waiter that the command cannot start. Returns false: there is nothing more to do.
  Result<bool> Fail(const kube::Object& pod, const Status& why);
  Result<node::ClaimRef> ClaimOf(const kube::Object& pod);
  // Changes the Pod if it still has the same UID.
  Status Patch(const kube::Object& pod, std::string_view subresource, json::Editor& edit, const json::Value& patch);
  Patience CallTime() const;

  kube::Client& client_;
  const DevicesOf devices_;
  const Clock& clock_;
  Log& log_;
  kube::Informer informer_;
  kube::Queue queue_;
  Cancel stop_;
  // A share that waits for another one occupies a worker. One worker is always left to release shares.
  std::counting_semaphore<> prepare_slots_{kWorkers - 1};
  std::vector<std::thread> workers_;
  std::thread looker_;
  mutable std::mutex mutex_;
  std::map<std::string, Run> runs_;              // by the Pod's UID
  std::map<std::string, kube::ObjectPtr> gone_;  // by UID: deleted Pods that may still have processes or a share
  std::map<std::string, kube::ObjectPtr> pods_;  // by UID: the Pods of the API
};

}  // namespace allot::local
