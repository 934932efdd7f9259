#pragma once
// One Pod of this node, from its binding to its end: a machine of states that moves when something has happened.
//
// Promises:
//   1. nothing of a container is started before all claims of the Pod are prepared, and none is unprepared while a container runs;
//   2. all state is on disk (pod_folder.h) and in the API: a new worker goes on where the last one was, whatever ended that;
//   3. the Pod is deleted from the API when nothing of it runs any more and its claims are given back, and its folder goes with it;
//   4. the status in the API changes only where it says something new.
// Not thread-safe; calls to the API, to Devices and to podman may block for as long as `PodLimits::call`.

#include <chrono>
#include <functional>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "kube/client.h"
#include "kube/events.h"
#include "local/containers.h"
#include "local/pod_claims.h"
#include "local/pod_folder.h"
#include "local/pod_spec.h"
#include "local/pod_status.h"
#include "local/podman.h"

namespace allot::local {

struct PodLimits {
  // Between the end of a container and its next start, from the second time on: doubles. A container that ran for `good_run` begins anew.
  std::chrono::milliseconds first_backoff{10'000}, longest_backoff{300'000}, good_run{600'000};
  // Between tries of what did not work (claims, ConfigMaps): doubles.
  std::chrono::milliseconds first_retry{500}, longest_retry{30'000};
  std::chrono::milliseconds call{15'000}, prepare{5'000};  // how long one may take
  std::chrono::milliseconds gone_grace{1'000};             // of a Pod that the API has no more
  int64_t log_bytes = 10 << 20;
};

// What all workers of a node share. All must outlive them.
struct PodWorld {
  std::string node;         // its name
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
  // Preparing waits out what time heals: so many may, while others go on.
  std::counting_semaphore<> prepare_slots;
};

class PodWorker {
 public:
  PodWorker(PodWorld& world, PodRecord record);

  struct Next {
    bool done = false;                               // nothing is left of the Pod
    std::optional<std::chrono::milliseconds> after;  // when to come again, if nothing happens before
  };
  // Does what there is to do. `pod` is what the API has of it; null: it has it no more. An error: come again later.
  Result<Next> Sync(kube::ObjectPtr pod);
  // Whether a container of it ran at the last Sync, or may have.
  bool AnyRuns() const;

 private:
  // One container.
  struct Member {
    ContainerView view;
    bool ran = false;                         // has been started at least once
    int restarts = 0;                         // in a row, without a good run between them
    std::optional<MonotonicTime> not_before;  // of the next start; nothing: has not been thought about
    bool asked = false;                       // to end
    std::optional<int> unsure;                // an attempt of which it is not known whether it was started
    std::optional<ContainerBirth> birth;      // of what runs, or ran last
  };
  enum class Progress { kRuns, kWaits, kEnded };

  // pod_worker.cc: what is known, and what is told.
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
  http::Patience Patience() const { return Patience(world_.limits.call); }
  http::Patience Patience(std::chrono::milliseconds limit) const;
  MonotonicTime Now() const { return world_.clock.MonotonicNow(); }
  const json::Value& pod() const { return api_->json(); }
  const json::Value& SpecOf(const Member& member) const;
  bool IsTerminal() const;
  bool IsDeleted() const;

  // pod_worker_run.cc: forward.
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

  // pod_worker_end.cc: to the end.
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
  kube::ObjectPtr api_;          // the newest that is known; null: never seen
  std::vector<Member> members_;  // init containers first, in their order
  bool loaded_ = false, gone_ = false, prepared_ = false, completed_ = false, told_images_ = false, forgotten_ = false;
  std::string failure_reason_, failure_message_;
  std::optional<WallTime> started_at_;
  std::optional<MonotonicTime> stop_deadline_, delete_again_;
  std::optional<int64_t> deletion_grace_;  // that stop_deadline_ was made of
  std::chrono::milliseconds retry_{0};     // the last pause
  bool retries_ = false;                   // has been made longer by this Sync
  std::optional<MonotonicTime> come_back_;
};

}  // namespace allot::local
