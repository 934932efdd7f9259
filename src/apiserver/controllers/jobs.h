#pragma once
// Jobs: Pods that run until enough of them have succeeded.
//
// Each end of a Pod is counted once, whatever happens in between: its uid is written into the Job's status first, then the finalizer that
// holds the Pod is taken off, then the counter goes up and the uid goes, in one write. Of an indexed Job the indexes themselves are
// counted.

#include "apiserver/controllers/job_pods.h"
#include "apiserver/controllers/owned.h"

namespace allot::apiserver {

class Jobs final : public OwningController {
 public:
  explicit Jobs(World& world) : OwningController(world, "job-controller") {}

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  // What is written into the status at the end of a turn.
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

// Pods whose Job is gone, or is none of theirs any more: nobody will count them, so that nothing may hold them.
class JobOrphans final : public Controller {
 public:
  explicit JobOrphans(World& world) : Controller(world, "job-controller") {}

  void Notice(const Sight& sight) override;
  // Of a Pod.
  Result<Again> Reconcile(const Key& key) override;
};

}  // namespace allot::apiserver
