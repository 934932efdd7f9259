#pragma once
// The status of a Deployment, from what its ReplicaSets say.

#include <optional>
#include <string>
#include <vector>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

// A Deployment with its ReplicaSets.
struct Rollout {
  Stored deployment;
  std::optional<Stored> current;  // has the Deployment's template; nothing: not made yet
  std::vector<Stored> old;        // oldest first
  // What happened to `current` just now.
  enum class News { kNone, kCreated, kFailed } news = News::kNone;
  std::string failure = {};  // of kFailed
};

// The status as it should be now. `stored` is the Deployment as it is.
json::Value DeploymentStatus(json::Editor& edit, const Rollout& rollout, const json::Value& stored, WallTime now);

// All Pods are of the new template, and available.
bool IsComplete(const json::Value& deployment, const json::Value& status);

// When the rollout is late, if nothing happens until then.
Again ProgressDeadline(const json::Value& deployment, const json::Value& status, WallTime now);

}  // namespace allot::apiserver
