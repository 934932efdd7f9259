#include "apiserver/controllers/workloads/deployments.h"

#include <algorithm>

#include "apiserver/controllers/pods.h"
#include "apiserver/controllers/workloads/deployment_sets.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kDeployments = "deployments.apps", kSets = "replicasets.apps";

std::vector<SetSize> SizesOf(const std::vector<Stored>& sets) {
  std::vector<SetSize> sizes;
  for (const Stored& set : sets) sizes.push_back(SizeOf(set));
  return sizes;
}

// Whether the number of replicas changed since the sets were sized.
bool IsScaled(const Rollout& rollout, const RolloutPlan& plan) {
  const auto differs = [&](const Stored& set) {
    const std::optional<int64_t> desired = NumberIn(set, kDesired);
    return SizeOf(set).replicas > 0 && desired && *desired != plan.replicas;
  };
  return (rollout.current && differs(*rollout.current)) || std::any_of(rollout.old.begin(), rollout.old.end(), differs);
}

// Returns all sets that have replicas, the current one last.
std::vector<const Stored*> Active(const Rollout& rollout) {
  std::vector<const Stored*> active;
  for (const Stored& set : rollout.old) {
    if (SizeOf(set).replicas > 0) active.push_back(&set);
  }
  if (rollout.current && SizeOf(*rollout.current).replicas > 0) active.push_back(&*rollout.current);
  return active;
}

}  // namespace

void Deployments::Notice(const Sight& sight) {
  if (sight.Is(kDeployments) && !sight.deleted()) Add(sight.key());
  if (sight.Is(kSets)) AddOwners(sight, "Deployment", kDeployments);
  // Recreate waits for Pods that are being deleted, which their ReplicaSet does not count any more.
  if (sight.Is("pods") && sight.deleted() && sight.Mentions("\"ReplicaSet\"")) {
    const json::Value* owner = ControllerOf(sight.json());
    if (owner == nullptr) return;
    const std::optional<Stored> set = Read(store(), {std::string(kSets), sight.key().space, std::string(json::TextOf((*owner)["name"]))});
    const json::Value* deployment = set ? ControllerOf(set->json()) : nullptr;
    if (deployment != nullptr) Add({std::string(kDeployments), sight.key().space, std::string(json::TextOf((*deployment)["name"]))});
  }
}

Result<Again> Deployments::Reconcile(const Key& key) {
  std::optional<Stored> deployment = Read(store(), key);
  if (!deployment) return Again();
  ASSIGN_OR_RETURN(Rollout rollout, Look(*std::move(deployment)));
  Status advanced;
  if (!IsDeleting(rollout.deployment.json())) advanced = Advance(rollout);
  // Read the sets again: they may have changed.
  std::optional<Stored> now = Read(store(), key);
  if (!now) return Again();
  const Rollout::News news = rollout.news;
  const std::string failure = rollout.failure;
  const bool deployment_moved = now->metadata()["generation"].IsNumber() &&
                                IntOr(now->metadata()["generation"], 0) != IntOr(rollout.deployment.metadata()["generation"], 0);
  if (deployment_moved) return Again(std::chrono::seconds(0));  // this turn acted on an older spec, so the new one is not observed yet
  ASSIGN_OR_RETURN(Rollout after, Look(*std::move(now)));
  after.news = news;
  after.failure = failure;
  ASSIGN_OR_RETURN(const Again again, WriteStatus(after));
  if (!advanced.ok()) return advanced;
  return again;
}

Result<Rollout> Deployments::Look(Stored deployment) {
  ASSIGN_OR_RETURN(std::vector<Stored> sets, Owned(deployment, kSets));
  std::stable_sort(sets.begin(), sets.end(), [](const Stored& a, const Stored& b) {
    return json::TextOf(a.metadata()["creationTimestamp"]) < json::TextOf(b.metadata()["creationTimestamp"]);
  });
  Rollout rollout{std::move(deployment), std::nullopt, {}};
  for (Stored& set : sets) {
    if (!rollout.current && HasTemplate(set, rollout.deployment.spec()["template"])) {
      rollout.current = std::move(set);
    } else {
      rollout.old.push_back(std::move(set));
    }
  }
  return rollout;
}

Status Deployments::Advance(Rollout& rollout) {
  const RolloutPlan plan = PlanOf(rollout.deployment.json());
  const bool paused = json::IsTrue(rollout.deployment.spec()["paused"]);
  if (paused || (IsScaled(rollout, plan) && (plan.rolling || Active(rollout).size() == 1))) {
    TRY(ScaleAll(rollout));
    return paused ? CleanUp(rollout) : Status();
  }
  TRY(plan.rolling ? Roll(rollout) : Recreate(rollout));
  return IsComplete(rollout.deployment.json(), rollout.deployment.status()) ? CleanUp(rollout) : Status();
}

Status Deployments::Roll(Rollout& rollout) {
  const RolloutPlan plan = PlanOf(rollout.deployment.json());
  TRY(HaveCurrent(rollout));
  const SetSize current = SizeOf(*rollout.current);
  const std::vector<SetSize> old = SizesOf(rollout.old);
  if (const int64_t next = NextSize(plan, current, old); next != current.replicas) return Resize(plan, *rollout.current, next);
  const std::vector<int64_t> sizes = NextOldSizes(plan, current, old);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != old[i].replicas) TRY(Resize(plan, rollout.old[i], sizes[i]));
  }
  return Status();
}

Status Deployments::Recreate(Rollout& rollout) {
  const RolloutPlan plan = PlanOf(rollout.deployment.json());
  bool waits = false;
  for (const Stored& set : rollout.old) {
    if (SizeOf(set).replicas > 0) {
      TRY(Resize(plan, set, 0));
      waits = true;
    }
    waits = waits || HasPods(set);
  }
  if (waits) return Status();
  TRY(HaveCurrent(rollout));
  if (SizeOf(*rollout.current).replicas == plan.replicas) return Status();
  return Resize(plan, *rollout.current, plan.replicas);
}

bool Deployments::HasPods(const Stored& set) const {
  const std::vector<Key> dependents = world().owners.Of(set.uid(), set.key().space);
  return std::any_of(dependents.begin(), dependents.end(), [&](const Key& key) {
    const std::optional<Stored> pod = key.resource == "pods" ? Read(store(), key) : std::nullopt;
    return pod && !HasEnded(pod->json());
  });
}

// Applies a change of replicas, during a rollout or not.
Status Deployments::ScaleAll(Rollout& rollout) {
  const RolloutPlan plan = PlanOf(rollout.deployment.json());
  std::vector<const Stored*> active = Active(rollout);
  if (active.empty() && rollout.current) active.push_back(&*rollout.current);
  if (active.empty() && !rollout.old.empty()) active.push_back(&rollout.old.back());
  if (active.empty()) return Status();
  if (active.size() == 1) return Resize(plan, *active.front(), plan.replicas);

  const bool settled = rollout.current && SizeOf(*rollout.current).replicas == plan.replicas &&
                       SizeOf(*rollout.current).available == plan.replicas && NumberIn(*rollout.current, kDesired) == plan.replicas;
  if (settled) {
    for (const Stored& set : rollout.old) {
      if (SizeOf(set).replicas > 0) TRY(Resize(plan, set, 0));
    }
    return Status();
  }
  if (!plan.rolling) return Status();
  int64_t all = 0;
  for (const Stored* set : active) all += SizeOf(*set).replicas;
  // To grow, the larger sets come first, then the newer; to shrink, the larger, then the older.
  if (plan.most() > all) std::reverse(active.begin(), active.end());
  std::stable_sort(active.begin(), active.end(),
                   [](const Stored* a, const Stored* b) { return SizeOf(*a).replicas > SizeOf(*b).replicas; });
  std::vector<SetSize> sizes;
  for (const Stored* set : active) sizes.push_back(SizeOf(*set));
  const std::vector<int64_t> next = ProportionalSizes(plan, sizes, IntOr(rollout.deployment.status()["replicas"], 0));
  for (size_t i = 0; i < next.size(); ++i) TRY(Resize(plan, *active[i], next[i]));
  return Status();
}

// Deletes old sets beyond the history limit; the rest are kept for a rollback.
Status Deployments::CleanUp(const Rollout& rollout) {
  const json::Value& limit = rollout.deployment.spec()["revisionHistoryLimit"];
  if (limit.IsNull()) return Status();
  std::vector<const Stored*> idle;
  for (const Stored& set : rollout.old) {
    if (!IsDeleting(set.json())) idle.push_back(&set);
  }
  std::stable_sort(idle.begin(), idle.end(), [](const Stored* a, const Stored* b) { return RevisionOf(*a) < RevisionOf(*b); });
  const int64_t surplus = static_cast<int64_t>(idle.size()) - IntOr(limit, 10);
  for (int64_t i = 0; i < surplus; ++i) {
    const Stored& set = *idle[static_cast<size_t>(i)];
    const bool observed = IntOr(set.status()["observedGeneration"], 0) >= IntOr(set.metadata()["generation"], 0);
    if (SizeOf(set).replicas != 0 || IntOr(set.status()["replicas"], 0) != 0 || !observed) continue;
    TRY(Delete(TargetOf(set.key()), set.uid()));
  }
  return Status();
}

Status Deployments::Resize(const RolloutPlan& plan, const Stored& set, int64_t replicas) {
  return Change(TargetOf(set.key()), set.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    const json::Value sized = edit.SetAt(stored, {"spec", "replicas"}, edit.Int(replicas));
    const json::Value marked = MarkSize(edit, sized, plan);
    return json::Equal(marked, stored) ? stored : marked;
  });
}

Result<Again> Deployments::WriteStatus(const Rollout& rollout) {
  Again again;
  const Stored& deployment = rollout.deployment;
  TRY(Change(
      TargetOf(deployment.key(), "status"), deployment.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
        const json::Value status = DeploymentStatus(edit, rollout, stored, Now());
        again = ProgressDeadline(stored, status, Now());
        json::Value changed = edit.Set(stored, "status", status);
        // Write through the status: otherwise a Deployment's annotations raise its generation.
        if (rollout.current && RevisionOf(*rollout.current) > 0) {
          changed = edit.SetAt(changed, {"metadata", "annotations", kRevision}, edit.String(std::to_string(RevisionOf(*rollout.current))));
        }
        return json::Equal(changed, stored) ? stored : changed;
      }));
  return again;
}

}  // namespace allot::apiserver
