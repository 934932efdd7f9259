#pragma once
// What the scheduler has under way for each Pod: the placement that is being written, the jobs that work on its claims, and the pauses
// after failures.
//
// A Pod's record begins with the first job for it. It ends when no job and no placement is left, and the API shows the Pod on a node or
// deleted. Records are kept by uid, so another Pod of the same name starts anew.
// Not thread-safe.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sched/queue.h"

namespace allot::control {

struct PauseOptions {
  std::chrono::milliseconds first{1000}, longest{10'000};
};

// The time to wait after a failure: each pause is twice as long as the one before.
class Pause {
 public:
  bool running() const { return until_.has_value(); }
  // Returns when the pause will be over.
  MonotonicTime Begin(const PauseOptions& options, MonotonicTime now);
  // Ends a pause whose time is over, and says whether there was one. The failures stay counted.
  bool EndIfOver(MonotonicTime now);
  // Forgets all failures.
  void Reset() { *this = Pause(); }

 private:
  int failures_ = 0;
  std::optional<MonotonicTime> until_;
};

// One Pod's record.
struct Attempt {
  std::string pod, uid;  // key and uid
  // The placement that is being written; null: none. It counts until the scheduler knows that it was written or refused.
  std::shared_ptr<const sched::Placed> placed;
  bool unsure = false;  // an earlier try may have written a part of it
  bool undo = false;    // the placement is not wanted any more. Stays set, as a write that takes it back may be under way.
  std::string node;     // where the Pod will be, until the API shows it there; empty: nothing was decided
  Pause refused;        // after a refused placement: the Pod is not decided meanwhile
  Pause retry;          // of an unsure placement
  Pause claim;          // after a claim that could not be made or freed
  bool over = false;    // the API shows the Pod on a node, or deleted
  int jobs = 0;         // under way
};

class Attempts {
 public:
  explicit Attempts(PauseOptions options) : options_(options) {}

  // nullptr: nothing is under way for this Pod.
  Attempt* Find(std::string_view uid);
  // The Pod's record, which is made where there is none. References stay valid until the record ends.
  Attempt& Of(const sched::Pod& pod);
  size_t size() const { return attempts_.size(); }

  void BeginJob(Attempt& attempt, const std::vector<std::string>& claims);
  // True: the scheduler asked to decide again after one of these claims (DecideAgainAfter), and no job works on that claim any more.
  bool EndJob(Attempt& attempt, const std::vector<std::string>& claims);
  // Whether a job works on the claim, or will.
  bool IsBusy(std::string_view claim) const { return busy_.contains(claim); }
  // REQUIRES IsBusy(claim).
  void DecideAgainAfter(std::string_view claim) { busy_.find(claim)->second.decide_again = true; }

  // Begins a pause of this record.
  void Begin(Attempt& attempt, Pause& pause, MonotonicTime now);
  // Records that may have a pause that is over.
  std::vector<Attempt*> TakeDue(MonotonicTime now);
  // The next time at which TakeDue may have something; nullopt: no record pauses.
  std::optional<MonotonicTime> next() const;

  // The API shows the Pod on a node, or deleted: it need not be decided again. An unsure placement is still retried.
  void Close(Attempt& attempt);
  // Removes the record, where it has ended. The reference is invalid then.
  void EraseIfDone(Attempt& attempt);

 private:
  struct Busy {
    int jobs = 0;
    bool decide_again = false;
  };

  const PauseOptions options_;
  std::map<std::string, Attempt, std::less<>> attempts_;  // by uid
  std::map<std::string, Busy, std::less<>> busy_;         // claims, by key
  std::set<std::pair<MonotonicTime, std::string>> due_;   // times and uids; also of pauses and records that have ended since
};

}  // namespace allot::control
