#pragma once
// The controller of Jobs: runs Pods until enough of them have succeeded.
//
// Each end of a Pod is counted exactly once. The Pod's uid is first written into the Job's status, then the Pod's finalizer is removed,
// then one write raises the counter and removes the uid. An indexed Job counts the indexes themselves.

#include "apiserver/controllers/workloads/job_pods.h"
#include "apiserver/controllers/workloads/owned.h"

namespace allot::apiserver {

class Jobs final : public OwningController {
 public:
  explicit Jobs(World& world) : OwningController(world, "job-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  // What a turn writes into the status.
  struct Turn;

  Result<Again> Work(const Stored& job);
  Status NoteEnds(const Stored& job, const JobPods& pods);
  Status ReleaseEnded(const Stored& job, const JobPods& pods);
  void Decide(const Stored& job, const JobPods& pods, Turn& turn) const;
  Status ManagePods(const Stored& job, const std::vector<Stored>& pods, const JobPods& sorted, Turn& turn);
  Status AddPods(const Stored& job, const JobPods& pods, int64_t count, int64_t& active);
  Status WriteStatus(const Stored& job, const Turn& turn);
  Result<Again> AfterEnd(const Stored& job);
  Status Release(const Stored& pod);
};

// Removes the tracking finalizer from Pods whose Job is gone or does not own them any more: no Job will count them.
class JobOrphans final : public Controller {
 public:
  explicit JobOrphans(World& world) : Controller(world, "job-controller") {}

  void Notice(const Sight& sight) override;
  // `key` is a Pod.
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
