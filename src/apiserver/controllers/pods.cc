#include "apiserver/controllers/pods.h"

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/stored.h"

namespace allot::apiserver {

bool HasEnded(const json::Value& pod) {
  const std::string_view phase = json::TextOf(pod["status"]["phase"]);
  return phase == "Succeeded" || phase == "Failed";
}

bool IsActive(const json::Value& pod) { return !HasEnded(pod) && !IsDeleting(pod); }

bool IsDone(const json::Value& pod) { return HasEnded(pod) || (IsDeleting(pod) && json::TextOf(pod["spec"]["nodeName"]).empty()); }

bool IsReady(const json::Value& pod) { return ConditionStatus(pod["status"], "Ready") == "True"; }

std::optional<WallTime> ReadySince(const json::Value& pod) {
  if (!IsReady(pod)) return std::nullopt;
  return TimeOf((*FindCondition(pod["status"], "Ready"))["lastTransitionTime"]).value_or(WallTime());
}

json::Value PodFromTemplate(json::Editor& edit, const json::Value& pod_template, const json::Value& owner, std::string_view prefix) {
  json::Value metadata = edit.Object({{"generateName", edit.String(prefix)}});
  for (const std::string_view key : {"labels", "annotations", "finalizers"}) {
    if (const json::Value& value = pod_template["metadata"][key]; !value.IsNull()) metadata = edit.Set(metadata, key, value);
  }
  metadata = edit.Set(metadata, "ownerReferences", edit.Array({ControllerReference(edit, owner)}));
  return edit.Object(
      {{"kind", edit.Literal("Pod")}, {"apiVersion", edit.Literal("v1")}, {"metadata", metadata}, {"spec", pod_template["spec"]}});
}

}  // namespace allot::apiserver
