#pragma once
// Computes the status of a Deployment from its ReplicaSets.

#include <optional>
#include <string>
#include <vector>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

// A Deployment with its ReplicaSets.
struct Rollout {
  Stored deployment;
  std::optional<Stored> current;  // has the Deployment's template; nullopt: not made yet
  std::vector<Stored> old;        // oldest first
  // What this turn did to `current`.
  enum class News { kNone, kCreated, kFailed } news = News::kNone;
  std::string failure = {};  // for kFailed
};

// Returns the status as it should be now. `stored` is the stored Deployment.
json::Value DeploymentStatus(json::Editor& edit, const Rollout& rollout, const json::Value& stored, WallTime now);

// Whether all Pods have the new template and are available.
bool IsComplete(const json::Value& deployment, const json::Value& status);

// Returns when the progress deadline expires unless something changes.
Again ProgressDeadline(const json::Value& deployment, const json::Value& status, WallTime now);

}  // namespace allot::apiserver
