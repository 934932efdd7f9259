#pragma once
// What controllers ask about Pods.

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "json/editor.h"

namespace allot::apiserver {

// It has succeeded or failed: none of its containers will run again.
bool HasEnded(const json::Value& pod);
// It has not ended, and is not being deleted.
bool IsActive(const json::Value& pod);
// It will not run (any more), so that what it uses may go: it has ended, or was deleted before it had a node.
bool IsDone(const json::Value& pod);
bool IsReady(const json::Value& pod);
// Since when it is ready; nothing: it is not.
std::optional<WallTime> ReadySince(const json::Value& pod);

// A Pod that the template describes, controlled by `owner`. Without a name: `prefix` is the beginning of the one that it gets.
json::Value PodFromTemplate(json::Editor& edit, const json::Value& pod_template, const json::Value& owner, std::string_view prefix);

}  // namespace allot::apiserver
