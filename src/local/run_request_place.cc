#include "local/run_request_place.h"

#include <algorithm>
#include <tuple>

#include "base/random.h"

namespace allot::local {
namespace {

using kube::Object;

const json::Value* ScheduledCondition(const Object& pod) {
  const json::Value& conditions = pod.json()["status"]["conditions"];
  if (!conditions.IsArray()) return nullptr;
  for (const json::Value& condition : conditions.Items()) {
    if (Object::Text(condition["type"]) == "PodScheduled" && Object::Text(condition["status"]) == "False") return &condition;
  }
  return nullptr;
}

// One that the scheduler has said nothing of yet is: it has just come.
bool IsInQueue(const Object& pod) {
  const json::Value* const condition = ScheduledCondition(pod);
  const bool held = condition != nullptr && Object::Text((*condition)["reason"]) != "Unschedulable";
  return !held && !WhyNot(pod).starts_with(kNeverStarts) && pod.json()["metadata"]["deletionTimestamp"].IsNull();
}

auto OrderOf(const Object& pod) {
  const json::Value& written = pod.json()["spec"]["priority"];
  const int64_t priority = written.IsNumber() ? written.AsInt64().value_or(0) : 0;
  const std::string_view created = Object::Text(pod.json()["metadata"]["creationTimestamp"]);
  return std::tuple(-priority, created, TimeOfUuid(pod.uid()), kube::KeyOf(pod));
}

}  // namespace

bool IsAheadOf(const Object& a, const Object& b) { return OrderOf(a) < OrderOf(b); }

std::string WhyNot(const Object& pod) {
  const json::Value* const condition = ScheduledCondition(pod);
  return condition == nullptr ? "" : std::string(Object::Text((*condition)["message"]));
}

size_t PlaceAmong(const std::vector<kube::ObjectPtr>& pods, std::string_view uid) {
  const auto self = std::find_if(pods.begin(), pods.end(), [&](const kube::ObjectPtr& pod) { return pod->uid() == uid; });
  if (self == pods.end() || !IsInQueue(**self)) return 0;
  const auto is_ahead = [&](const kube::ObjectPtr& pod) { return IsInQueue(*pod) && IsAheadOf(*pod, **self); };
  return 1 + static_cast<size_t>(std::count_if(pods.begin(), pods.end(), is_ahead));
}

size_t AskForPlace(kube::Client& client, std::string_view uid, const http::Patience& patience) {
  std::vector<kube::ObjectPtr> pods;
  kube::ListOptions options;
  options.field_selector = "spec.nodeName=,status.phase=Pending";
  const auto listed = client.List(kube::types::kPods, "", options, [&](kube::ObjectPtr pod) { pods.push_back(std::move(pod)); }, patience);
  return listed.ok() ? PlaceAmong(pods, uid) : 0;
}

}  // namespace allot::local
