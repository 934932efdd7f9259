#include "apiserver/controllers/workloads/deployment_status.h"

#include <algorithm>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/workloads/deployment_plan.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kUpdated = "lastUpdateTime";

int64_t Count(const json::Value& status, std::string_view key) { return IntOr(status[key], 0); }

// Computes the Progressing condition.
class Progress {
 public:
  Progress(const Rollout& rollout, const json::Value& stored, const json::Value& status)
      : rollout_(rollout), stored_(stored), status_(status) {}

  json::Value Set(json::Editor& edit, const json::Value& conditions, WallTime now) const {
    const auto set = [&](std::string_view status, std::string_view reason, std::string message, bool touch = false) {
      return SetCondition(edit, conditions, {"Progressing", status, reason, std::move(message)}, now, kUpdated, touch);
    };
    const json::Value& spec = stored_["spec"];
    if (spec["progressDeadlineSeconds"].IsNull()) return WithoutCondition(edit, conditions, "Progressing");
    const std::string_view reason = Reason();
    if (json::IsTrue(spec["paused"])) {
      return reason == "ProgressDeadlineExceeded" ? conditions : set("Unknown", "DeploymentPaused", "Deployment is paused");
    }
    if (rollout_.news == Rollout::News::kFailed) return set("False", "ReplicaSetCreateError", rollout_.failure);
    const std::string what = rollout_.current ? StrCat("ReplicaSet \"", rollout_.current->key().name, "\"") : "Deployment";
    if (rollout_.news == Rollout::News::kCreated) {
      return set("True", "NewReplicaSetCreated", StrCat("Created new replica set \"", rollout_.current->key().name, "\""), true);
    }
    const bool settled = reason == "NewReplicaSetAvailable" && Count(status_, "replicas") == Count(status_, "updatedReplicas");
    if (settled) return conditions;
    if (IsComplete(stored_, status_)) return set("True", "NewReplicaSetAvailable", StrCat(what, " has successfully progressed."));
    if (Moves()) return set("True", "ReplicaSetUpdated", StrCat(what, " is progressing."), true);
    if (reason == "DeploymentPaused") return set("Unknown", "DeploymentResumed", "Deployment is resumed");
    if (reason.empty())
      return rollout_.current ? set("True", "FoundNewReplicaSet", StrCat("Found new replica set \"", rollout_.current->key().name, "\""))
                              : conditions;
    if (IsLate(now)) return set("False", "ProgressDeadlineExceeded", StrCat(what, " has timed out progressing."));
    return conditions;
  }

 private:
  std::string_view Reason() const {
    const json::Value* condition = FindCondition(stored_["status"], "Progressing");
    return condition == nullptr ? std::string_view() : json::TextOf((*condition)["reason"]);
  }
  bool Moves() const {
    const json::Value& before = stored_["status"];
    const auto old_pods = [](const json::Value& status) { return Count(status, "replicas") - Count(status, "updatedReplicas"); };
    const auto grows = [&](std::string_view key) { return Count(status_, key) > Count(before, key); };
    return grows("updatedReplicas") || grows("readyReplicas") || grows("availableReplicas") || old_pods(status_) < old_pods(before);
  }
  bool IsLate(WallTime now) const {
    const json::Value* condition = FindCondition(stored_["status"], "Progressing");
    if (condition == nullptr || Reason() == "NewReplicaSetAvailable") return false;
    if (Reason() == "ProgressDeadlineExceeded") return true;
    const std::optional<WallTime> since = TimeOf((*condition)[kUpdated]);
    return since && *since + std::chrono::seconds(IntOr(stored_["spec"]["progressDeadlineSeconds"], 600)) < now;
  }

  const Rollout& rollout_;
  const json::Value& stored_;
  const json::Value& status_;
};

json::Value Counts(json::Editor& edit, const Rollout& rollout, const json::Value& before) {
  int64_t asked = 0, replicas = 0, ready = 0, available = 0;
  const auto add = [&](const Stored& set) {
    asked += IntOr(set.spec()["replicas"], 0);
    replicas += Count(set.status(), "replicas");
    ready += Count(set.status(), "readyReplicas");
    available += Count(set.status(), "availableReplicas");
  };
  for (const Stored& set : rollout.old) add(set);
  if (rollout.current) add(*rollout.current);
  json::Value status = SetCount(edit, before, "observedGeneration", IntOr(rollout.deployment.metadata()["generation"], 0));
  status = SetCount(edit, status, "replicas", replicas);
  status = SetCount(edit, status, "updatedReplicas", rollout.current ? Count(rollout.current->status(), "replicas") : 0);
  status = SetCount(edit, status, "readyReplicas", ready);
  status = SetCount(edit, status, "availableReplicas", available);
  return SetCount(edit, status, "unavailableReplicas", std::max<int64_t>(0, asked - available));
}

// Returns the ReplicaFailure condition of a ReplicaSet that could not create or delete Pods, or nullptr.
const json::Value* FailureOf(const Rollout& rollout) {
  if (rollout.current) {
    if (const json::Value* failure = FindCondition(rollout.current->status(), "ReplicaFailure")) return failure;
  }
  for (const Stored& set : rollout.old) {
    if (const json::Value* failure = FindCondition(set.status(), "ReplicaFailure")) return failure;
  }
  return nullptr;
}

}  // namespace

bool IsComplete(const json::Value& deployment, const json::Value& status) {
  const int64_t replicas = IntOr(deployment["spec"]["replicas"], 1);
  return Count(status, "updatedReplicas") == replicas && Count(status, "replicas") == replicas &&
         Count(status, "availableReplicas") == replicas &&
         Count(status, "observedGeneration") >= IntOr(deployment["metadata"]["generation"], 0);
}

json::Value DeploymentStatus(json::Editor& edit, const Rollout& rollout, const json::Value& stored, WallTime now) {
  json::Value status = Counts(edit, rollout, stored["status"]);
  json::Value conditions = status["conditions"];
  const bool enough = Count(status, "availableReplicas") >= PlanOf(stored).least_available();
  conditions =
      SetCondition(edit, conditions,
                   enough ? Condition{"Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."}
                          : Condition{"Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."},
                   now, kUpdated);
  conditions = Progress(rollout, stored, status).Set(edit, conditions, now);
  if (const json::Value* failure = FailureOf(rollout)) {
    const Condition condition{"ReplicaFailure", "True", json::TextOf((*failure)["reason"]),
                              std::string(json::TextOf((*failure)["message"]))};
    conditions = SetCondition(edit, conditions, condition, now, kUpdated);
  } else {
    conditions = WithoutCondition(edit, conditions, "ReplicaFailure");
  }
  return edit.Set(status, "conditions", conditions);
}

Again ProgressDeadline(const json::Value& deployment, const json::Value& status, WallTime now) {
  const json::Value& deadline = deployment["spec"]["progressDeadlineSeconds"];
  const json::Value* condition = FindCondition(status, "Progressing");
  if (deadline.IsNull() || condition == nullptr || json::IsTrue(deployment["spec"]["paused"]) || IsComplete(deployment, status))
    return Again();
  const std::string_view reason = json::TextOf((*condition)["reason"]);
  if (reason == "NewReplicaSetAvailable" || reason == "ProgressDeadlineExceeded") return Again();
  const WallTime since = TimeOf((*condition)[kUpdated]).value_or(now);
  // One second more: times in conditions have no fraction.
  const auto left = since + std::chrono::seconds(IntOr(deadline, 600) + 1) - now;
  return std::max<std::chrono::nanoseconds>(left, std::chrono::seconds(1));
}

}  // namespace allot::apiserver
