#include "apiserver/controllers/pod_garbage.h"

#include <algorithm>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/pods.h"

namespace allot::apiserver {

namespace {

constexpr std::chrono::seconds kPeriod{20}, kQuarantine{40};

// Returns the position of a field in a Pod's index.
size_t Place(const Kind& kind, std::string_view field) {
  const auto found = std::find_if(kind.selectable.begin(), kind.selectable.end(), [&](const auto& one) { return one.name == field; });
  CHECK(found != kind.selectable.end());
  return static_cast<size_t>(found - kind.selectable.begin());
}

// Returns the oldest Pods beyond `most`, by name if equally old.
std::vector<EntryPtr> Surplus(const std::vector<EntryPtr>& pods, size_t most) {
  if (pods.size() <= most) return {};
  std::vector<std::pair<std::string, EntryPtr>> by_age;
  for (const EntryPtr& pod : pods) by_age.emplace_back(json::TextOf(Stored(pod).metadata()["creationTimestamp"]), pod);
  std::stable_sort(by_age.begin(), by_age.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<EntryPtr> surplus;
  for (size_t i = 0; i < by_age.size() - most; ++i) surplus.push_back(by_age[i].second);
  return surplus;
}

}  // namespace

struct PodGarbage::Survey {
  std::map<std::string, std::vector<EntryPtr>> by_node;  // Pods of missing Nodes
  std::vector<EntryPtr> unscheduled;                     // being deleted
  std::vector<EntryPtr> ended;
  bool any = false;  // there is a Pod at all
};

void PodGarbage::Notice(const Sight& sight) {
  if (!sight.Is("pods") || !sight.created() || looks_) return;
  looks_ = true;
  Add({"pods", "", ""});
}

// Reads the index instead of parsing every Pod: there may be many.
PodGarbage::Survey PodGarbage::LookAround() {
  Survey survey;
  const std::shared_ptr<const Kind> pods = api().BuiltIn("pods");
  const size_t node_at = Place(*pods, "spec.nodeName"), phase_at = Place(*pods, "status.phase");
  for (EntryPtr& pod : store().List("pods", "").entries) {
    survey.any = true;
    const std::vector<std::string>& fields = pod->index.fields;
    if (fields.size() != pods->selectable.size()) continue;
    const std::string& node = fields[node_at];
    if (!node.empty() && store().Get({"nodes", "", node}) == nullptr) {
      survey.by_node[node].push_back(std::move(pod));
    } else if (node.empty() && pod->json.find("\"deletionTimestamp\"") != std::string::npos && IsDeleting(Stored(pod).json())) {
      survey.unscheduled.push_back(std::move(pod));
    } else if (fields[phase_at] == "Succeeded" || fields[phase_at] == "Failed") {
      survey.ended.push_back(std::move(pod));
    }
  }
  return survey;
}

Result<Again> PodGarbage::Reconcile(const Key&) {
  Survey survey = LookAround();
  const MonotonicTime now = world().clock.MonotonicNow();
  std::erase_if(missed_, [&](const auto& node) { return !survey.by_node.contains(node.first); });
  // A Pod that cannot be removed does not stop the others.
  Status failed;
  const auto remove = [&](const EntryPtr& pod) {
    Status removed = Delete(TargetOf(pod->key), pod->uid, 0);
    if (!removed.ok()) failed = std::move(removed);
  };
  for (const auto& [node, pods] : survey.by_node) {
    if (now < missed_.try_emplace(node, now).first->second + kQuarantine) continue;
    for (const EntryPtr& pod : pods) {
      if (Status marked = MarkLost(Stored(pod)); !marked.ok()) failed = std::move(marked);
      remove(pod);
    }
  }
  for (const EntryPtr& pod : survey.unscheduled) remove(pod);
  for (const EntryPtr& pod : Surplus(survey.ended, most_ended_)) remove(pod);
  looks_ = survey.any;
  if (!failed.ok()) return failed;
  return survey.any ? Again(kPeriod) : Again();
}

// Sets the phase and a condition, so a client that waits for the Pod sees why it is gone.
Status PodGarbage::MarkLost(const Stored& pod) {
  if (HasEnded(pod.json())) return Status();
  return Change(TargetOf(pod.key(), "status"), pod.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    const Condition lost{"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"};
    const json::Value failed = edit.SetAt(stored, {"status", "phase"}, edit.Literal("Failed"));
    return edit.SetAt(failed, {"status", "conditions"}, SetCondition(edit, stored["status"]["conditions"], lost, Now()));
  });
}

}  // namespace allot::apiserver
