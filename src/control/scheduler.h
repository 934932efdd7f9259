#pragma once
// The scheduler: follows a Kubernetes API, decides for the Pods that wait (sched/queue.h), and carries the decisions out.
//
// One thread owns what is known and decides; others write. Nothing is decided before everything has been seen once.
//
// Promises:
//   1. what was decided counts until it is certain how it ended: nothing is given out twice, however slow the writes are, also where an
//      answer is lost, a watch is cut, or the Pod is deleted meanwhile;
//   2. it may be killed at any moment: whoever starts next goes on from what the API has;
//   3. a Pod for which a write failed is tried again after a pause that grows, and delays nobody else.
// Only one of them may serve a scheduler name at a time.

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
#include "control/binder.h"
#include "control/intake.h"
#include "control/pauses.h"
#include "control/waiting_news.h"
#include "control/workers.h"
#include "kube/events.h"
#include "kube/informer.h"
#include "sched/queue.h"

namespace allot::control {

struct SchedulerOptions {
  std::set<std::string, std::less<>> names = {"default-scheduler", "allot"};  // spec.schedulerName of the Pods that it serves
  sched::Strategy strategy = sched::Strategy::kPack;
  int binders = 4;  // Pods that are bound at the same time
  NewsOptions news;
  PauseOptions pauses;                        // after a failed write, for the same Pod
  std::chrono::seconds grace{2};              // for writes under way when it is stopped
  std::string component = "allot-scheduler";  // the source of Events
};

class Scheduler {
 public:
  struct Counts {
    uint64_t runs = 0;       // over all who wait
    uint64_t decisions = 0;  // for one Pod
    uint64_t placed = 0;     // of them: a node was found
    uint64_t overtakes = 0;  // of them: before others that came earlier
    uint64_t bound = 0;
    uint64_t failures = 0;  // placements that could not be written
    uint64_t waiting = 0;   // Pods, now
  };

  // All must outlive it; `random` is used by several threads. The client's limit of requests (ClientOptions::qps) is the scheduler's: for
  // each Pod, it writes twice for each claim, once for the Pod and once for an Event; twice more where it makes the claim.
  Scheduler(SchedulerOptions options, kube::Client& client, const Clock& clock, Random& random, Log& log);
  ~Scheduler() { Stop(); }

  // Once.
  void Start();
  // Writes under way get a little time, then end where they are. Returns when all threads have ended.
  void Stop();

  // Waits until all has been seen and the first decisions are made. kUnavailable, with what is in the way, when the patience ends before.
  Status AwaitSync(const http::Patience& patience) const;
  // Ok while it follows the API; else why not.
  Status status() const;
  Counts counts() const;

 private:
  struct Feed {
    Feed(Intake& intake, What what, Listener::Matters matters, kube::Client& client, const kube::ResourceType& type, Random& random)
        : listener(intake, what, matters), informer(client, type, {}, random, &listener) {}
    Listener listener;
    kube::Informer informer;
  };

  // A decision that is being carried out.
  struct Attempt {
    std::shared_ptr<const sched::Placed> placed;
    bool unsure = false;  // something of it may be written that nobody knows of
    bool undo = false;    // it is not wanted any more: what would take it back may be on its way, so that it stays so
  };

  void Run();
  bool AwaitFeeds();
  // Both: whether it may let somebody start.
  bool Follow(const Change& change);
  bool Settle(const Outcome& outcome);
  bool FollowPod(const Change& change);
  bool FollowClaim(const Change& change);
  // Both: a claim as the API had it at one moment; nothing happens where a newer version is known.
  bool TakeIn(const kube::ObjectPtr& claim);
  bool Learn(const std::string& claim_key);
  Status Put(const Change& change);
  void Remove(const Change& change);
  std::optional<std::chrono::nanoseconds> TimeToWait() const;
  // Pods whose pause is over can be decided again; decisions that are unsure are tried once more.
  bool EndPauses();
  void Decide();
  // How decisions are carried out: scheduler_attempts.cc
  void HandOver(sched::Placed placed);
  void Send(const Attempt& attempt);
  void CarryOut(const sched::Placed& placed, bool again, bool undo);
  Status Try(const sched::Placed& placed, bool again, bool undo);
  bool IsGone(const sched::Pod& pod) const;
  bool StillFits(const sched::Placed& placed);
  bool Drop(const sched::PodPtr& pod);
  void TellThoseWhoWait();
  bool HelpsToWait(const sched::Request& request);
  void FreeClaimsInTheWay(const sched::Waiting& one, const sched::Request& request);
  // Of a Pod that asks for devices as amounts of a resource (Request::to_claim).
  void MakeClaim(const sched::Request& request);

  const SchedulerOptions options_;
  kube::Client& client_;
  const Clock& clock_;
  Log& log_;

  Intake intake_;
  Feed pods_, nodes_, namespaces_, claims_, slices_, classes_;
  const std::array<Feed*, 6> feeds_;
  kube::MutationCache known_claims_;
  Cancel stop_;  // deciding
  Cancel end_writes_;
  Binder binder_;

  // Of the thread that decides.
  SeededRandom share_ids_;  // they must differ, that nobody guesses them does not matter: no calls of the kernel for each plan
  cel::Cache selectors_;
  sched::Cluster cluster_;
  sched::Decider decider_;
  sched::Queue queue_;
  Pauses pauses_;                                                // of Pods that were refused
  Pauses claim_pauses_;                                          // of Pods of which a claim could not be made, or freed
  Pauses retries_;                                               // of attempts that are unsure, by uid
  std::map<std::string, Attempt, std::less<>> attempts_;         // by the Pod's uid, until it is certain how they ended
  std::map<std::string, int, std::less<>> busy_claims_;          // that jobs work on, or will: how many
  std::map<std::string, std::string, std::less<>> handed_over_;  // Pods, and their nodes, until the API has them there

  mutable std::mutex mutex_;  // of what follows
  mutable std::condition_variable changed_;
  bool synced_ = false;
  Counts counts_;

  std::unique_ptr<kube::EventRecorder> events_;
  std::unique_ptr<WaitingNews> news_;
  std::unique_ptr<Workers> workers_;
  std::thread thread_;
};

}  // namespace allot::control
