#include "view/queue.h"

#include <algorithm>

#include "json/editor.h"
#include "sched/conditions.h"
#include "sched/order.h"

namespace allot::view {
namespace {

using kube::Object;

const json::Value* ScheduledCondition(const Object& pod) {
  for (const json::Value& condition : json::ItemsOf(pod.json()["status"]["conditions"])) {
    if (Object::Text(condition["type"]) == "PodScheduled" && Object::Text(condition["status"]) == "False") return &condition;
  }
  return nullptr;
}

}  // namespace

std::string WhyNot(const Object& pod) {
  const json::Value* const condition = ScheduledCondition(pod);
  return condition == nullptr ? "" : std::string(Object::Text((*condition)["message"]));
}

bool NeverFits(const Object& pod) {
  if (!Object::Text(pod.json()["spec"]["nodeName"]).empty()) return false;
  for (const json::Value& condition : json::ItemsOf(pod.json()["status"]["conditions"])) {
    if (Object::Text(condition["type"]) == sched::kNeverFitsCondition) return Object::Text(condition["status"]) == "True";
  }
  return false;
}

bool IsInQueue(const Object& pod) {
  const json::Value* const condition = ScheduledCondition(pod);
  const bool blocked = condition != nullptr && Object::Text((*condition)["reason"]) != "Unschedulable";
  return !blocked && !NeverFits(pod) && pod.json()["metadata"]["deletionTimestamp"].IsNull();
}

std::vector<kube::ObjectPtr> InQueueOrder(const std::vector<kube::ObjectPtr>& pods) {
  struct Entry {
    kube::ObjectPtr object;
    sched::PodPtr pod;  // nullptr: it cannot be read
  };
  std::vector<Entry> entries;
  for (const kube::ObjectPtr& object : pods) {
    Result<sched::PodPtr> pod = sched::Pod::Read(object);
    entries.push_back({object, pod.ok() ? *std::move(pod) : nullptr});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.pod != nullptr && b.pod != nullptr) return sched::IsAhead(*a.pod, *b.pod);
    if (a.pod != nullptr || b.pod != nullptr) return a.pod != nullptr;
    return kube::KeyOf(*a.object) < kube::KeyOf(*b.object);
  });
  std::vector<kube::ObjectPtr> sorted;
  for (Entry& entry : entries) sorted.push_back(std::move(entry.object));
  return sorted;
}

size_t PlaceAmong(const std::vector<kube::ObjectPtr>& pods, std::string_view uid) {
  size_t place = 0;
  for (const kube::ObjectPtr& pod : InQueueOrder(pods)) {
    const bool waits = IsInQueue(*pod);
    if (waits) ++place;
    if (pod->uid() == uid) return waits ? place : 0;
  }
  return 0;
}

size_t AskForPlace(kube::Client& client, std::string_view uid, const Patience& patience) {
  std::vector<kube::ObjectPtr> pods;
  kube::ListOptions options;
  options.field_selector = "spec.nodeName=,status.phase=Pending";
  const auto listed = client.List(kube::types::kPods, "", options, [&](kube::ObjectPtr pod) { pods.push_back(std::move(pod)); }, patience);
  return listed.ok() ? PlaceAmong(pods, uid) : 0;
}

}  // namespace allot::view
