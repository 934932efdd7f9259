#include "control/binding_conditions.h"

#include "json/editor.h"
#include "kube/timestamp.h"

namespace allot::control {
namespace {

const json::Value& ConditionsOf(const json::Value& claim, const model::DeviceResult& result) {
  static const json::Value none{};
  for (const json::Value& one : json::ItemsOf(claim["status"]["devices"])) {
    if (json::TextOf(one["driver"]) == result.driver && json::TextOf(one["pool"]) == result.pool &&
        json::TextOf(one["device"]) == result.device && json::TextOf(one["shareID"]) == result.share_id) {
      return one["conditions"];
    }
  }
  return none;
}

// The condition, where it is true; else null.
const json::Value& TrueOne(const json::Value& conditions, std::string_view type) {
  static const json::Value none{};
  for (const json::Value& one : json::ItemsOf(conditions)) {
    if (json::TextOf(one["type"]) == type && json::TextOf(one["status"]) == "True") return one;
  }
  return none;
}

bool IsLate(const json::Value& claim, WallTime now) {
  const auto allocated = kube::ParseTime(json::TextOf(claim["status"]["allocation"]["allocationTimestamp"]));
  return allocated && now - *allocated > kBindingTimeout;
}

}  // namespace

Status CheckBindingConditions(const json::Value& claim, const model::Allocation& allocation, WallTime now) {
  for (const model::DeviceResult& result : allocation.results) {
    if (result.binding_conditions.empty()) continue;
    const json::Value& conditions = ConditionsOf(claim, result);
    for (const std::string_view type : result.binding_failure_conditions) {
      const json::Value& failed = TrueOne(conditions, type);
      if (!failed.IsNull())
        return Conflict("device ", result.device, " cannot be made ready: ", type, ": ", json::TextOf(failed["message"]));
    }
    for (const std::string_view type : result.binding_conditions) {
      if (!TrueOne(conditions, type).IsNull()) continue;
      if (IsLate(claim, now)) return Conflict("device ", result.device, " was not made ready in ", kBindingTimeout.count(), " s: ", type);
      return Unavailable("device ", result.device, " is still being made ready: ", type);
    }
  }
  return Status();
}

}  // namespace allot::control
