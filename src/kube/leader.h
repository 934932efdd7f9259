#pragma once
// One leader among several processes, by a Lease (coordination.k8s.io/v1) that they take turns to hold. Works beside client-go's election.
//
// Promises, as long as nobody deletes the Lease or shares an identity, and clocks run at rates that differ by less than
// lease_duration / renew_deadline:
//   1. two never lead at the same time: a leader counts its time from before it sent the last write that the server confirmed, for
//      renew_deadline; a candidate waits lease_duration, by its own clock, from when it first saw that write;
//   2. who is told `stopped` is told so before anybody else can lead, and has lease_duration - renew_deadline to stop;
//   3. no other process's clock is ever believed.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"

namespace allot::kube {

struct LeaseRecord {
  std::string holder;                    // empty: nobody
  int64_t duration_seconds = 0;          // what the holder asks candidates to wait
  std::string acquire_time, renew_time;  // for people to read: "2026-01-01T00:00:00.000000Z"
  int64_t transitions = 0;               // how often the holder changed
  std::string resource_version;          // empty: the Lease is not there
};

struct LeaderOptions {
  std::string identity;  // another one for each process, also after a restart
  std::chrono::seconds lease_duration{15};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{
      2'000};  // of the leader; candidates wait up to 2.2 times as long, so that they do not march in step

  // kInvalid unless identity is set and lease_duration > renew_deadline > 1.2 retry_period > 0.
  Status Check() const;
};

// The election without threads and network: it says what to ask the server for, and is told what came of it. Not thread-safe.
class Elector {
 public:
  struct Action {
    enum class Kind { kWait, kGet, kCreate, kUpdate };
    Kind kind = Kind::kWait;
    MonotonicTime until;  // of kWait: when to ask again; else: when to give up on the answer
    LeaseRecord record;   // to create or update
  };

  // REQUIRES options.Check().ok(). `random` must outlive it.
  Elector(LeaderOptions options, Random& random);

  // What to do now. Every action but kWait must be followed by one of the calls below. `sent` is a time before it was sent.
  Action Next(MonotonicTime now, WallTime wall);
  void OnFound(const LeaseRecord& record, MonotonicTime now);  // of kGet
  void OnMissing(MonotonicTime now);                           // of kGet
  // The server confirmed the write; `record` is what it made of it.
  void OnWritten(const LeaseRecord& record, MonotonicTime sent, MonotonicTime now);
  // No answer, or no success.
  void OnFailed(MonotonicTime now);

  // Leads no longer. The record that hands over, to be written once the work has stopped; nothing: the Lease is not ours.
  std::optional<LeaseRecord> Release(WallTime wall);

  bool Leads(MonotonicTime now) const { return leads_until_ && now < *leads_until_; }
  // Of a leader.
  std::optional<MonotonicTime> leads_until() const { return leads_until_; }
  // Changes whenever this one starts to lead.
  uint64_t term() const { return term_; }
  // Who held the Lease when it was last seen; empty: nobody, or it was never seen.
  const std::string& holder() const { return seen_.holder; }

 private:
  enum class Step { kLook, kWrite };

  void See(const LeaseRecord& record, MonotonicTime now);
  void Rest(MonotonicTime now);
  bool IsMine() const { return seen_.holder == options_.identity; }
  LeaseRecord NewRecord(WallTime wall) const;

  const LeaderOptions options_;
  Random& random_;
  Step step_ = Step::kLook;
  bool looked_ = false;    // in this round
  MonotonicTime next_at_;  // nothing is done before
  LeaseRecord seen_;
  MonotonicTime seen_at_;  // when it was first seen so
  std::optional<MonotonicTime> leads_until_;
  uint64_t term_ = 0;
};

// Where the Lease is kept. Calls come from one thread.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  // kNotFound: there is none.
  virtual Result<LeaseRecord> Get(const http::Patience& patience) = 0;
  virtual Result<LeaseRecord> Create(const LeaseRecord& record, const http::Patience& patience) = 0;
  // kConflict unless the Lease still has the record's resource_version.
  virtual Result<LeaseRecord> Update(const LeaseRecord& record, const http::Patience& patience) = 0;
};

// A Lease of the API. What is not part of a LeaseRecord (labels, strategy, preferredHolder) is left as it is.
class KubeLease final : public LeaseStore {
 public:
  KubeLease(Client& client, std::string namespace_name, std::string name)
      : client_(client), namespace_(std::move(namespace_name)), name_(std::move(name)) {}

  Result<LeaseRecord> Get(const http::Patience& patience) override;
  Result<LeaseRecord> Create(const LeaseRecord& record, const http::Patience& patience) override;
  Result<LeaseRecord> Update(const LeaseRecord& record, const http::Patience& patience) override;

 private:
  Result<LeaseRecord> Keep(Result<ObjectPtr> answer);
  std::string Write(const LeaseRecord& record) const;

  Client& client_;
  const std::string namespace_, name_;
  ObjectPtr last_;  // as the server has it under its resourceVersion; null: never seen
};

// Takes part in the election until it is stopped; leads any number of times.
//
// One thread talks to the server, another one calls back: `stopped` comes in time though a call hangs.
class LeaderElection {
 public:
  // Called one after the other, by one thread; they must return soon and must not call Stop. Each `started` is followed by a `stopped`.
  struct Callbacks {
    std::function<void()> started, stopped;
    std::function<void(const std::string& identity)> new_leader;  // the first one that is seen, and each other one; ourselves too
  };

  // All must outlive it. REQUIRES options.Check().ok().
  LeaderElection(LeaseStore& store, LeaderOptions options, Random& random, Callbacks callbacks);
  ~LeaderElection() { Stop(); }

  void Start();
  // Leads no longer, calls `stopped`, and then gives the Lease back, so that another one need not wait. No call follows.
  void Stop();

  // By the clock: right even where this process was held up and no callback came yet. To be asked before each act that only a leader may
  // do.
  bool leading() const;
  std::string leader() const;
  // Ok while the server answers; else what was wrong last.
  Status status() const;

 private:
  void Campaign();
  void Act(const Elector::Action& action);
  void HandOver();
  void Herald();

  LeaseStore& store_;
  const LeaderOptions options_;
  const Callbacks callbacks_;
  Cancel stop_;
  std::thread campaign_, herald_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  Elector elector_;
  Status status_;
  bool ending_ = false;     // the herald ends when all is told
  uint64_t told_term_ = 0;  // of the `started` that no `stopped` followed; 0: none
};

}  // namespace allot::kube
