#include "control/changes.h"

#include <initializer_list>
#include <string_view>

#include "json/editor.h"

namespace allot::control {
namespace {

using Path = std::pair<std::string_view, std::string_view>;

bool Differ(const json::Value& before, const json::Value& after, std::initializer_list<Path> paths) {
  for (const auto& [part, field] : paths) {
    if (!json::Equal(before[part][field], after[part][field])) return true;
  }
  return false;
}

bool HasEnded(const json::Value& pod) {
  const std::string_view phase = json::TextOf(pod["status"]["phase"]);
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

bool NodeChanged(const json::Value& before, const json::Value& after) {
  return !json::Equal(before["spec"], after["spec"]) || Differ(before, after, {{"metadata", "labels"}, {"status", "allocatable"}});
}

bool PodChanged(const json::Value& before, const json::Value& after) {
  return HasEnded(before) != HasEnded(after) || !json::Equal(before["spec"], after["spec"]) ||
         Differ(before, after,
                {{"metadata", "labels"},
                 {"metadata", "deletionTimestamp"},
                 {"status", "resourceClaimStatuses"},
                 {"status", "extendedResourceClaimStatus"}});
}

}  // namespace allot::control
