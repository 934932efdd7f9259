#pragma once
// The scheduler: follows a Kubernetes API, decides for the Pods that wait (sched/queue.h), and carries the decisions out.
//
// One thread owns the state and decides; worker threads write. Before the first decision the scheduler waits for a complete list of every
// kind, then at most 10 seconds for the API server's answer to which features it has (server_features.h). Without an answer it begins with
// Features::Defaults(). It asks again after 30 seconds, and every 5 minutes once it has an answer.
//
// Promises:
//   1. a decision counts until the scheduler knows how it ended. No device is given out twice, even if writes are slow, an answer is
//      lost, a watch is cut, or the Pod is deleted meanwhile;
//   2. the scheduler may be killed at any moment: the next one continues from what the API has;
//   3. after a failed write, the scheduler tries the Pod again after a pause that grows. Other Pods are not delayed.
// Only one scheduler may serve a scheduler name at a time.

#include <array>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "cel/cache.h"
#include "control/attempts.h"
#include "control/binder.h"
#include "control/intake.h"
#include "control/waiting_news.h"
#include "control/workers.h"
#include "kube/events.h"
#include "kube/informer.h"
#include "sched/queue.h"

namespace allot::control {

struct SchedulerOptions {
  std::set<std::string, std::less<>> names = {"default-scheduler", "allot"};  // spec.schedulerName of the Pods to serve
  sched::Strategy strategy = sched::Strategy::kPack;
  int binders = 4;  // Pods that are bound at the same time
  NewsOptions news;
  PauseOptions pauses;                        // after a failed write, for the same Pod
  std::chrono::seconds grace{2};              // for writes under way when the scheduler is stopped
  std::string component = "allot-scheduler";  // the source of Events
};

class Scheduler {
 public:
  struct Counts {
    uint64_t runs = 0;       // over all waiting Pods
    uint64_t decisions = 0;  // for one Pod each
    uint64_t placed = 0;     // decisions that found a node
    uint64_t overtakes = 0;  // decisions that let a Pod start before one that came earlier
    uint64_t bound = 0;
    uint64_t failures = 0;  // placements that could not be written
    uint64_t waiting = 0;   // Pods that wait now
  };

  // All arguments must outlive the scheduler; several threads use `random`. ClientOptions::qps limits all its requests: two writes for
  // each claim, one for the Pod and one for an Event; two more where the scheduler makes the claim.
  Scheduler(SchedulerOptions options, kube::Client& client, const Clock& clock, Random& random, Log& log);
  ~Scheduler() { Stop(); }

  // May be called once.
  void Start();
  // Gives writes under way SchedulerOptions::grace, then cancels them. Returns when all threads have ended.
  void Stop();

  // Waits for the first decisions. kUnavailable, with the reason, when the patience ends before.
  Status AwaitSync(const Patience& patience) const;
  // Ok while the scheduler follows the API; else why it does not.
  Status status() const;
  Counts counts() const;

 private:
  struct Feed {
    Feed(Intake& intake, What what, Listener::Matters matters, kube::Client& client, const kube::ResourceType& type, Random& random)
        : listener(intake, what, matters), informer(client, type, {}, random, &listener) {}
    Listener listener;
    kube::Informer informer;
  };

  void Run();
  bool AwaitFeeds();
  // Follow, FollowPod, FollowClaim, Settle, TakeIn, TakeFeatures, Learn, Drop: true where a waiting Pod may be able to start now.
  bool Follow(const Change& change);
  bool Settle(const Outcome& outcome);
  bool FollowPod(const Change& change);
  bool FollowClaim(const Change& change);
  // Puts a version of a claim into the cluster, unless the cluster has a newer one.
  bool TakeIn(const kube::ObjectPtr& claim);
  // The same with the version that jobs wrote or read, which the informer may see later.
  bool Learn(const std::string& claim_key);
  Status Put(const Change& change);
  void Remove(const Change& change);
  std::optional<std::chrono::nanoseconds> TimeToWait() const;
  // Lets a worker ask for the API server's features when it is time to.
  void AskForFeatures();
  bool TakeFeatures(const Result<alloc::Features>& answer);
  // Lets Pods be decided again, and retries unsure placements, whose pause is over.
  bool EndPauses();
  void Decide();
  // scheduler_attempts.cc carries decisions out:
  void HandOver(sched::Placed placed);
  void Send(Attempt& attempt);
  void CarryOut(const sched::Placed& placed, bool again, bool undo);
  Status Try(const sched::Placed& placed, bool again, bool undo);
  bool IsGone(const sched::Pod& pod) const;
  bool StillFits(const sched::Placed& placed);
  bool Drop(Attempt& attempt, const sched::Pod& pod);
  // A Pod that waits, with what it asks for now.
  struct Waiter {
    const sched::Waiting* waiting = nullptr;
    sched::PodWithClaims asking;
  };
  // Makes and frees the claims that keep these Pods from being decided.
  void PrepareClaims(const std::vector<Waiter>& waiters);
  // Tells the Pods why they wait.
  void TellWaitingPods(const std::vector<Waiter>& waiters);
  Result<std::string> WhyWaits(const sched::Snapshot& snapshot, const sched::PodWithClaims& asking, const sched::Waiting& one);
  Result<std::string> WhyNever(const sched::Snapshot& snapshot, const sched::PodWithClaims& asking, const sched::Waiting& one);
  bool HelpsToWait(const sched::PodWithClaims& asking);
  void FreeClaimsInTheWay(const sched::Waiting& one, const sched::PodWithClaims& asking);
  // For a Pod that asks for devices as amounts of a resource (PodWithClaims::to_claim).
  void MakeClaim(const sched::PodWithClaims& asking);

  const SchedulerOptions options_;
  kube::Client& client_;
  const Clock& clock_;
  Log& log_;

  Intake intake_;
  Feed pods_, nodes_, namespaces_, claims_, slices_, classes_;
  const std::array<Feed*, 6> feeds_;
  kube::MutationCache known_claims_;
  Cancel stop_;  // ends the thread that decides
  Cancel end_writes_;
  Binder binder_;

  // Used only by the thread that decides.
  SeededRandom share_ids_;  // need to differ, not to be secret: a seeded generator saves a system call for each plan
  cel::Cache selectors_;
  sched::Cluster cluster_;
  sched::Decider decider_;
  sched::Queue queue_;
  Attempts attempts_;
  std::map<std::string, std::string> why_never_;  // by the shape of Pods that never fit, on the hardware `why_never_of_`
  uint64_t why_never_of_ = 0;
  std::optional<MonotonicTime> next_features_;  // when to ask for them; nullopt: a worker is asking

  mutable std::mutex mutex_;  // guards synced_ and counts_
  mutable std::condition_variable changed_;
  bool synced_ = false;
  Counts counts_;

  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<WaitingNews> news_;
  std::unique_ptr<Workers> workers_;
  std::thread thread_;
};

}  // namespace allot::control
