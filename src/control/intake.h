#pragma once
// What happened, for the one thread that decides: changes of objects as informers see them, and how jobs ended.
//
// Thread-safe.

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kube/informer.h"
#include "kube/object.h"

namespace allot::control {

enum class What { kPod, kNode, kNamespace, kClaim, kSlice, kClass };

struct Change {
  What what = What::kPod;
  bool removed = false;
  kube::ObjectPtr object;  // of what is removed: the last one
};

// Of a job for a Pod.
struct Outcome {
  enum class Job {
    kBind,   // of the binder
    kClaim,  // made or freed one of its claims, so that it can be decided
  };
  Job job = Job::kBind;
  std::string pod, uid;             // its key and uid
  std::vector<std::string> claims;  // keys that the job worked on
  Status status;
};

class Intake {
 public:
  struct Batch {
    std::vector<Change> changes;
    std::vector<Outcome> outcomes;
    bool stopped = false;
  };

  void Put(Change change);
  void Put(Outcome outcome);
  // All that there is. Waits for something, but for no longer than `most`.
  Batch Take(std::optional<std::chrono::nanoseconds> most);
  // The next Take returns at once, and all after it.
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Batch batch_;
};

// Puts what an informer sees, as far as it matters, into the intake.
class Listener final : public kube::Informer::Handler {
 public:
  // `matters` may be null: every change does.
  using Matters = bool (*)(const json::Value& before, const json::Value& after);
  Listener(Intake& intake, What what, Matters matters) : intake_(intake), what_(what), matters_(matters) {}

  void OnAdded(const kube::ObjectPtr& object) override { intake_.Put(Change{what_, false, object}); }
  void OnUpdated(const kube::ObjectPtr& before, const kube::ObjectPtr& after) override {
    if (matters_ == nullptr || matters_(before->json(), after->json())) intake_.Put(Change{what_, false, after});
  }
  void OnDeleted(const kube::ObjectPtr& last) override { intake_.Put(Change{what_, true, last}); }

 private:
  Intake& intake_;
  const What what_;
  const Matters matters_;
};

}  // namespace allot::control
