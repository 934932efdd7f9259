#include "apiserver/controllers/conditions.h"

#include "apiserver/controllers/stored.h"

namespace allot::apiserver {

const json::Value* FindCondition(const json::Value& status, std::string_view type) {
  for (const json::Value& condition : json::ItemsOf(status["conditions"])) {
    if (json::TextOf(condition["type"]) == type) return &condition;
  }
  return nullptr;
}

std::string_view ConditionStatus(const json::Value& status, std::string_view type) {
  const json::Value* condition = FindCondition(status, type);
  return condition == nullptr ? std::string_view() : json::TextOf((*condition)["status"]);
}

json::Value SetCondition(json::Editor& edit, const json::Value& conditions, const Condition& condition, WallTime now,
                         std::string_view updated, bool touch) {
  const json::Value time = TimeValue(edit, now);
  std::vector<json::Member> members = {{"type", edit.String(condition.type)}, {"status", edit.String(condition.status)}};
  if (!updated.empty()) members.push_back({updated, time});
  members.push_back({"lastTransitionTime", time});
  if (!condition.reason.empty()) members.push_back({"reason", edit.String(condition.reason)});
  if (!condition.message.empty()) members.push_back({"message", edit.String(condition.message)});
  json::Value made = edit.Object(members);

  std::vector<json::Value> list;
  bool found = false;
  for (const json::Value& one : json::ItemsOf(conditions)) {
    if (json::TextOf(one["type"]) != condition.type) {
      list.push_back(one);
      continue;
    }
    const bool same_status = json::TextOf(one["status"]) == condition.status;
    const bool same = same_status && json::TextOf(one["reason"]) == condition.reason && json::TextOf(one["message"]) == condition.message;
    if (same && !touch) return conditions;
    if (same_status && !one["lastTransitionTime"].IsNull()) made = edit.Set(made, "lastTransitionTime", one["lastTransitionTime"]);
    list.push_back(made);
    found = true;
  }
  if (!found) list.push_back(made);
  return edit.Array(list);
}

json::Value WithoutCondition(json::Editor& edit, const json::Value& conditions, std::string_view type) {
  std::vector<json::Value> kept;
  for (const json::Value& one : json::ItemsOf(conditions)) {
    if (json::TextOf(one["type"]) != type) kept.push_back(one);
  }
  return kept.size() == json::ItemsOf(conditions).size() ? conditions : edit.Array(kept);
}

}  // namespace allot::apiserver
