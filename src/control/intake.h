#pragma once
// The inbox of the thread that decides: changes of objects from the informers, outcomes of jobs, and the API server's features.
//
// Thread-safe.

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "alloc/compat.h"
#include "base/clock.h"
#include "base/status.h"
#include "kube/informer.h"
#include "kube/object.h"

namespace allot::control {

enum class What { kPod, kNode, kNamespace, kClaim, kSlice, kClass };

struct Change {
  What what = What::kPod;
  bool removed = false;
  kube::ObjectPtr object;  // the last version, where removed
};

// How a job for a Pod ended.
struct Outcome {
  enum class Job {
    kBind,   // wrote or undid a placement
    kClaim,  // made or freed one of the Pod's claims, so that the Pod can be decided
  };
  Job job = Job::kBind;
  std::string pod, uid;             // the Pod's key and uid
  std::vector<std::string> claims;  // keys that the job worked on
  Status status;
};

class Intake {
 public:
  struct Batch {
    std::vector<Change> changes;
    std::vector<Outcome> outcomes;
    std::optional<Result<alloc::Features>> features;  // the last answer
    bool stopped = false;
  };

  void Put(Change change);
  void Put(Outcome outcome);
  void Put(Result<alloc::Features> features);
  // Takes everything that was put. Waits at most `most` for the first.
  Batch Take(std::optional<std::chrono::nanoseconds> most);
  // This and every later Take return at once.
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Batch batch_;
};

// Puts the changes that an informer sees, and that matter, into the intake.
class Listener final : public kube::Informer::Handler {
 public:
  // A null `matters`: every change matters.
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
