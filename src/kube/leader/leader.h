#pragma once
// Elects one leader among several processes through a Lease (coordination.k8s.io/v1). Works together with client-go's election.
//
// Promises, provided that the Lease is not deleted, identities are unique, and the rates of clocks differ by less than lease_duration /
// renew_deadline:
//   1. two processes never lead at the same time: a leader leads for renew_deadline from before it sent the last confirmed write; a
//      candidate waits lease_duration, on its own clock, from when it first saw that write;
//   2. `stopped` is called before another process can lead, and the callee has lease_duration - renew_deadline to stop;
//   3. no process relies on another process's clock.

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
  std::string holder;                    // empty: none
  int64_t duration_seconds = 0;          // how long candidates must wait
  std::string acquire_time, renew_time;  // for people to read: "2026-01-01T00:00:00.000000Z"
  int64_t transitions = 0;               // how often the holder changed
  std::string resource_version;          // empty: the Lease does not exist
};

struct LeaderOptions {
  std::string identity;  // unique for each process, also after a restart
  std::chrono::seconds lease_duration{15};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{
      2'000};  // of the leader; candidates wait up to 2.2 times as long, at random, to avoid acting in step

  // kInvalid unless identity is set and lease_duration > renew_deadline > 1.2 retry_period > 0.
  Status Check() const;
};

// The election without threads and network: Next says what to ask the server, and the caller reports the outcome. Not thread-safe.
class Elector {
 public:
  struct Action {
    enum class Kind { kWait, kGet, kCreate, kUpdate };
    Kind kind = Kind::kWait;
    MonotonicTime until;  // kWait: when to call Next again; else: the deadline of the call
    LeaseRecord record;   // the record to create or update
  };

  // REQUIRES: options.Check().ok(). `random` must outlive it.
  Elector(LeaderOptions options, Random& random);

  // Returns what to do now. After every action except kWait, call one of the functions below. `sent` is a time before the request was sent.
  Action Next(MonotonicTime now, WallTime wall);
  void OnFound(const LeaseRecord& record, MonotonicTime now);  // for kGet
  void OnMissing(MonotonicTime now);                           // for kGet
  // The server confirmed the write; `record` is the stored record.
  void OnWritten(const LeaseRecord& record, MonotonicTime sent, MonotonicTime now);
  // The call failed or got no response.
  void OnFailed(MonotonicTime now);

  // Stops leading. Returns the record that hands the Lease over, to be written once the work has stopped; nullopt if another process holds
  // it.
  std::optional<LeaseRecord> Release(WallTime wall);

  bool Leads(MonotonicTime now) const { return leads_until_ && now < *leads_until_; }
  // Set while leading.
  std::optional<MonotonicTime> leads_until() const { return leads_until_; }
  // Changes each time this process starts to lead.
  uint64_t term() const { return term_; }
  // The holder when the Lease was last seen; empty if there was none or it was never seen.
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
  MonotonicTime next_at_;  // do nothing before this time
  LeaseRecord seen_;
  MonotonicTime seen_at_;  // when this version was first seen
  std::optional<MonotonicTime> leads_until_;
  uint64_t term_ = 0;
};

// Where the Lease is stored. Called from one thread.
class LeaseStore {
 public:
  virtual ~LeaseStore() = default;
  // Returns kNotFound if the Lease does not exist.
  virtual Result<LeaseRecord> Get(const Patience& patience) = 0;
  virtual Result<LeaseRecord> Create(const LeaseRecord& record, const Patience& patience) = 0;
  // Returns kConflict unless the Lease still has the record's resource_version.
  virtual Result<LeaseRecord> Update(const LeaseRecord& record, const Patience& patience) = 0;
};

// A Lease of the API. Fields outside LeaseRecord (labels, strategy, preferredHolder) are kept unchanged.
class KubeLease final : public LeaseStore {
 public:
  KubeLease(Client& client, std::string namespace_name, std::string name)
      : client_(client), namespace_(std::move(namespace_name)), name_(std::move(name)) {}

  Result<LeaseRecord> Get(const Patience& patience) override;
  Result<LeaseRecord> Create(const LeaseRecord& record, const Patience& patience) override;
  Result<LeaseRecord> Update(const LeaseRecord& record, const Patience& patience) override;

 private:
  Result<LeaseRecord> Keep(Result<ObjectPtr> answer);
  std::string Write(const LeaseRecord& record) const;

  Client& client_;
  const std::string namespace_, name_;
  ObjectPtr last_;  // the last version seen, with its resourceVersion; nullptr: never seen
};

// Takes part in the election until it is stopped; may lead any number of times.
//
// One thread talks to the server and another calls back, so `stopped` comes in time even if a call to the server hangs.
class LeaderElection {
 public:
  // Called one at a time, by one thread. They must return soon and must not call Stop. Each `started` is followed by a `stopped`.
  struct Callbacks {
    std::function<void()> started, stopped;
    std::function<void(const std::string& identity)> new_leader;  // called for the first leader seen and at each change, including this
                                                                  // process
  };

  // All arguments must outlive it. REQUIRES: options.Check().ok().
  LeaderElection(LeaseStore& store, LeaderOptions options, Random& random, Callbacks callbacks);
  ~LeaderElection() { Stop(); }

  void Start();
  // Stops leading, calls `stopped`, then releases the Lease so that the next leader need not wait. No callback follows.
  void Stop();

  // Computed from the clock: correct even if this process was suspended and `stopped` has not been called yet. Check it before each act
  // that only a leader may do.
  bool leading() const;
  std::string leader() const;
  // Ok while the server answers, else the last error.
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

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  Elector elector_;
  Status status_;
  bool ending_ = false;     // the herald ends after the last callback
  uint64_t told_term_ = 0;  // term of a `started` that no `stopped` has followed; 0: none
};

}  // namespace allot::kube
