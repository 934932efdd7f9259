#include "apiserver/controllers/workloads/replica_sets.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/pods.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kSets = "replicasets.apps";
constexpr int64_t kMostAtOnce = 500;  // Pods made or deleted in one turn

int64_t Replicas(const Stored& set) { return IntOr(set.spec()["replicas"], 1); }

int PhaseRank(const json::Value& pod) {
  const std::string_view phase = json::TextOf(pod["status"]["phase"]);
  return phase == "Running" ? 2 : phase == "Unknown" ? 1 : 0;
}

int64_t DeletionCost(const json::Value& pod) {
  const std::string_view text = json::TextOf(pod["metadata"]["annotations"]["controller.kubernetes.io/pod-deletion-cost"]);
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc() && end == text.data() + text.size() ? cost : 0;
}

int64_t Restarts(const json::Value& pod) {
  int64_t most = 0;
  for (const json::Value& container : json::ItemsOf(pod["status"]["containerStatuses"])) {
    most = std::max(most, IntOr(container["restartCount"], 0));
  }
  return most;
}

int64_t Seconds(const std::optional<WallTime>& time) {
  return time ? std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count() : 0;
}

// Adds the failure to the conditions. Keeps the first message while the reason stays the same: each message names another Pod, and a
// changed status would trigger another attempt at once.
json::Value SetFailure(json::Editor& edit, const json::Value& status, std::string_view reason, const std::string& message, WallTime now) {
  const json::Value* before = FindCondition(status, "ReplicaFailure");
  const bool same = before != nullptr && json::TextOf((*before)["status"]) == "True" && json::TextOf((*before)["reason"]) == reason;
  if (same) return status["conditions"];
  return SetCondition(edit, status["conditions"], {"ReplicaFailure", "True", reason, message}, now);
}

}  // namespace

std::vector<const Stored*> LeastUsefulFirst(const std::vector<Stored>& pods) {
  std::map<std::string_view, int64_t> on_node;
  for (const Stored& pod : pods) ++on_node[json::TextOf(pod.spec()["nodeName"])];
  const auto rank = [&](const Stored& pod) {
    const json::Value& json = pod.json();
    const std::string_view node = json::TextOf(pod.spec()["nodeName"]);
    return std::tuple(!node.empty(), PhaseRank(json), IsReady(json), DeletionCost(json), -on_node[node], -Seconds(ReadySince(json)),
                      -Restarts(json), -Seconds(TimeOf(pod.metadata()["creationTimestamp"])));
  };
  using Rank = decltype(rank(pods.front()));
  std::vector<std::pair<Rank, const Stored*>> ranked;
  for (const Stored& pod : pods) ranked.emplace_back(rank(pod), &pod);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Stored*> sorted;
  for (const auto& [unused, pod] : ranked) sorted.push_back(pod);
  return sorted;
}

void ReplicaSets::Notice(const Sight& sight) {
  if (sight.Is(kSets) && !sight.deleted()) Add(sight.key());
  if (sight.Is("pods")) AddOwners(sight, "ReplicaSet", kSets);
}

Result<Again> ReplicaSets::Reconcile(const Key& key) {
  const std::optional<Stored> set = Read(store(), key);
  if (!set) return Again();
  ASSIGN_OR_RETURN(std::vector<Stored> pods, Owned(*set, "pods"));
  std::erase_if(pods, [](const Stored& pod) { return !IsActive(pod.json()); });
  Status scaled;
  if (!IsDeleting(set->json())) scaled = Scale(*set, pods);
  // Count the Pods from before scaling: the change brings the set here again.
  ASSIGN_OR_RETURN(const Again again, WriteStatus(*set, pods, scaled));
  if (!scaled.ok()) return scaled;
  return again;
}

Status ReplicaSets::Scale(const Stored& set, const std::vector<Stored>& active) {
  const int64_t missing = Replicas(set) - static_cast<int64_t>(active.size());
  if (missing > 0) return AddPods(set, std::min(missing, kMostAtOnce));
  if (missing < 0) return RemovePods(active, static_cast<size_t>(std::min(-missing, kMostAtOnce)));
  return Status();
}

Status ReplicaSets::AddPods(const Stored& set, int64_t count) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value pod = PodFromTemplate(edit, set.spec()["template"], set.json(), StrCat(set.key().name, "-"));
  for (int64_t i = 0; i < count; ++i) {
    if (Result<Stored> made = Create("pods", set.key().space, pod); !made.ok()) return made.status();
  }
  return Status();
}

Status ReplicaSets::RemovePods(const std::vector<Stored>& active, size_t count) {
  for (const Stored* pod : LeastUsefulFirst(active)) {
    if (count-- == 0) break;
    TRY(Delete(TargetOf(pod->key()), pod->uid()));
  }
  return Status();
}

Result<Again> ReplicaSets::WriteStatus(const Stored& set, const std::vector<Stored>& active, const Status& scaled) {
  const std::chrono::seconds min_ready(IntOr(set.spec()["minReadySeconds"], 0));
  const json::Value& wanted_labels = set.spec()["template"]["metadata"]["labels"];
  int64_t labeled = 0, ready = 0, available = 0;
  Again again;
  for (const Stored& pod : active) {
    const auto has = [&](const json::Member& label) { return json::Equal(pod.metadata()["labels"][label.key], label.value); };
    const auto wanted = json::MembersOf(wanted_labels);
    labeled += std::all_of(wanted.begin(), wanted.end(), has) ? 1 : 0;
    const std::optional<WallTime> since = ReadySince(pod.json());
    if (!since) continue;
    ++ready;
    const auto left = *since + min_ready - Now();
    if (min_ready.count() == 0 || left <= std::chrono::seconds(0)) {
      ++available;
    } else {
      again = again ? std::min<std::chrono::nanoseconds>(*again, left) : left;
    }
  }
  TRY(Change(TargetOf(set.key(), "status"), set.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    json::Value status = edit.Set(stored["status"], "replicas", edit.Int(static_cast<int64_t>(active.size())));
    status = SetCount(edit, status, "fullyLabeledReplicas", labeled);
    status = SetCount(edit, status, "readyReplicas", ready);
    status = SetCount(edit, status, "availableReplicas", available);
    status = SetCount(edit, status, "observedGeneration", IntOr(set.metadata()["generation"], 0));
    json::Value conditions = WithoutCondition(edit, status["conditions"], "ReplicaFailure");
    if (!scaled.ok()) {
      const bool too_few = Replicas(set) > static_cast<int64_t>(active.size());
      conditions = SetFailure(edit, status, too_few ? "FailedCreate" : "FailedDelete", scaled.message(), Now());
    }
    status = json::ItemsOf(conditions).empty() ? edit.Without(status, "conditions") : edit.Set(status, "conditions", conditions);
    return json::Equal(status, stored["status"]) ? stored : edit.Set(stored, "status", status);
  }));
  return again;
}

}  // namespace allot::apiserver
