#pragma once
// The state machine of one Pod of this node, from its binding to its end. Each event calls Sync.
//
// Promises:
//   1. no container starts before all claims of the Pod are prepared, and no claim is unprepared while a container runs;
//   2. all state is on disk (pod_folder.h) and in the API: after a crash a new worker continues where the last one stopped;
//   3. the worker deletes the Pod from the API only after all containers have ended and all claims are unprepared; then it removes the
//      Pod's folder;
//   4. the worker writes the status only if it changes.
// Not thread-safe. Calls to the API, to Devices and to podman may block for up to `PodLimits::call`.

#include <chrono>
#include <functional>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "kube/client.h"
#include "kube/events.h"
#include "local/containers/containers.h"
#include "local/containers/podman.h"
#include "local/pods/pod_claims.h"
#include "local/pods/pod_folder.h"
#include "local/pods/pod_spec.h"
#include "local/pods/pod_status.h"

namespace allot::local {

struct PodLimits {
  // The pause before a container restarts: none at first, then `first_backoff`, doubling. A run of `good_run` resets it.
  std::chrono::milliseconds first_backoff{10'000}, longest_backoff{300'000}, good_run{600'000};
  // The pause before a failed step (claims, ConfigMaps) is retried, doubling.
  std::chrono::milliseconds first_retry{500}, longest_retry{30'000};
  std::chrono::milliseconds call{15'000}, prepare{5'000};  // timeouts of one call to the API, and of one Prepare
  std::chrono::milliseconds gone_grace{1'000};             // the grace period of a Pod that the API no longer has
  int64_t log_bytes = 10 << 20;
};

// What all workers of a node share. All members must outlive the workers.
struct PodWorld {
  std::string node;         // the node's name
  std::string node_folder;  // ROOT/NODE
  PodLimits limits;
  FileSystem& files;
  const Clock& clock;
  kube::Client& client;
  kube::EventRecorder& events;
  Containers& containers;
  PodClaims& claims;
  const Podman* podman;  // null: containers are processes
  const Cancel& stop;
  // Prepare may wait for another claim to be released. The slots leave threads for the other Pods.
  std::counting_semaphore<> prepare_slots;
};

class PodWorker {
 public:
  PodWorker(PodWorld& world, PodRecord record);

  struct Next {
    bool done = false;                               // nothing is left of the Pod
    std::optional<std::chrono::milliseconds> after;  // when to call Sync again without an event
  };
  // Does the Pod's next steps. `pod` is the API's current object; null if it is gone. After an error the caller calls Sync again later.
  Result<Next> Sync(kube::ObjectPtr pod);
  // Whether a container of the Pod ran, or may have run, at the last Sync.
  bool AnyRuns() const;

 private:
  // One container.
  struct Member {
    ContainerView view;
    bool ran = false;                         // was started at least once
    int restarts = 0;                         // in a row, without a run of `good_run`
    std::optional<MonotonicTime> not_before;  // the time of the next restart; nullopt: not computed yet
    bool asked = false;                       // got the stop signal
    std::optional<int> unsure;                // an attempt whose Start failed; it may run nevertheless
    std::optional<ContainerBirth> birth;      // of the newest run
  };
  enum class Progress { kRuns, kWaits, kEnded };

  // pod_worker.cc: reads the state and writes the status.
  Status Load();
  Status LoadMember(Member& member);
  Instance LostInstance(const json::Value& status) const;
  Instance InstanceOf(Member& member, int attempt, const ContainerState& state) const;
  Status Refresh();
  Status RefreshUnsure(Member& member);
  Status RefreshRunning(Member& member);
  PodView View() const;
  Status WriteStatus();
  void Tell(kube::EventType type, std::string_view reason, std::string_view message);
  void ComeBackAt(MonotonicTime time);
  Patience CallTime() const { return CallTime(world_.limits.call); }
  Patience CallTime(std::chrono::milliseconds limit) const;
  MonotonicTime Now() const { return world_.clock.MonotonicNow(); }
  const json::Value& pod() const { return api_->json(); }
  const json::Value& SpecOf(const Member& member) const;
  bool IsTerminal() const;
  bool IsDeleted() const;

  // pod_worker_run.cc: prepares claims, starts and restarts containers.
  Status Forward();
  // Whether all containers have ended for good.
  bool IsOver() const;
  Status Prepare();
  Result<node::ClaimRef> FindClaim(const std::string& name);
  Result<DeviceAccess> DevicesOf(const json::Value& container);
  Result<Progress> Drive(Member& member);
  bool RestartsAfter(const Member& member) const;
  bool MustWait(Member& member);
  Status Start(Member& member);
  void TellOfImage(const Member& member, std::string_view program);
  void Wait(Member& member, std::string_view reason, const Status& why, std::string_view event);
  void Fail(std::string reason, std::string message);
  void CheckDeadline();

  // pod_worker_end.cc: stops containers, releases claims, deletes the Pod.
  Result<Next> SyncGone();
  Status StopAll();
  Status AskToEnd(Member& member);
  void SetDeadline(std::chrono::milliseconds grace);
  void DeadlineOfDeletion();
  Status Release();
  Status DeleteFromApi();

  PodWorld& world_;
  PodRecord record_;
  PodFolder folder_;
  kube::ObjectPtr api_;          // the newest object of the API; null: never seen
  std::vector<Member> members_;  // init containers first, in the order of the spec
  bool loaded_ = false, gone_ = false, prepared_ = false, completed_ = false, told_images_ = false, forgotten_ = false;
  std::string failure_reason_, failure_message_;
  std::optional<WallTime> started_at_;
  std::optional<MonotonicTime> stop_deadline_, delete_again_;
  std::optional<int64_t> deletion_grace_;  // the grace period behind stop_deadline_, in seconds
  std::chrono::milliseconds retry_{0};     // the current pause between retries
  bool retries_ = false;                   // this Sync has doubled retry_ already
  std::optional<MonotonicTime> come_back_;
};

}  // namespace allot::local
