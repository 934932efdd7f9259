#pragma once
// What a Deployment writes into its ReplicaSets and reads from them.

#include <optional>
#include <string_view>

#include "apiserver/controllers/stored.h"
#include "apiserver/controllers/workloads/deployment_plan.h"

namespace allot::apiserver {

inline constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMost = "deployment.kubernetes.io/max-replicas";
inline constexpr std::string_view kTemplateHash = "pod-template-hash";

// The number in an annotation, or nullopt.
std::optional<int64_t> NumberIn(const Stored& set, std::string_view annotation);
// 0 if the set has none.
int64_t RevisionOf(const Stored& set);
SetSize SizeOf(const Stored& set);
// Whether the set was made from the template, ignoring the label that the Deployment added.
bool HasTemplate(const Stored& set, const json::Value& pod_template);

// Adds annotations that record what the Deployment asked for when it sized the set.
json::Value MarkSize(json::Editor& edit, const json::Value& set, const RolloutPlan& plan);
// Copies the Deployment's annotations that apply to its sets, and sets the revision if it is higher.
json::Value CopyAnnotations(json::Editor& edit, const json::Value& set, const json::Value& deployment, int64_t revision);

// Makes a ReplicaSet for the Deployment's template.
json::Value SetFor(json::Editor& edit, const json::Value& deployment, std::string_view hash, int64_t replicas, int64_t revision);

}  // namespace allot::apiserver
