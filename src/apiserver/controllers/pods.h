#pragma once
// The state of a Pod, as controllers need it.

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "json/editor.h"

namespace allot::apiserver {

// Whether it has succeeded or failed: none of its containers will run again.
bool HasEnded(const json::Value& pod);
// Whether it has neither ended nor is being deleted.
bool IsActive(const json::Value& pod);
// Whether it will not run any more, so that its claims may be released: it has ended, or was deleted before it had a node.
bool IsDone(const json::Value& pod);
bool IsReady(const json::Value& pod);
// Since when it is ready; nullopt if it is not.
std::optional<WallTime> ReadySince(const json::Value& pod);

// Makes a Pod from the template, controlled by `owner`. Its generateName is `prefix`.
json::Value PodFromTemplate(json::Editor& edit, const json::Value& pod_template, const json::Value& owner, std::string_view prefix);

}  // namespace allot::apiserver
