#include "apiserver/patch/merge_patch.h"

#include <unordered_map>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/refusal.h"

namespace allot::apiserver {

namespace {

using json::Member;

Value MergeObjects(Editor& edit, const Value& object, const Value& patch) {
  if (!object.IsObject() || !patch.IsObject()) return WithoutNulls(edit, patch);
  std::unordered_map<std::string_view, const Value*> changes;
  for (const Member& member : patch.Members()) changes.emplace(member.key, &member.value);
  std::vector<Member> merged;
  merged.reserve(object.Members().size() + changes.size());
  for (const Member& member : object.Members()) {
    const auto change = changes.find(member.key);
    if (change == changes.end()) {
      merged.push_back(member);
      continue;
    }
    if (!change->second->IsNull()) merged.push_back({member.key, MergeObjects(edit, member.value, *change->second)});
    changes.erase(change);
  }
  for (const Member& member : patch.Members()) {
    if (!member.value.IsNull() && changes.contains(member.key)) merged.push_back({member.key, WithoutNulls(edit, member.value)});
  }
  return edit.Object(merged);
}

}  // namespace

Value WithoutNulls(Editor& edit, const Value& value) {
  if (value.IsArray()) return edit.Map(value, [&](const Value& item) { return WithoutNulls(edit, item); });
  if (!value.IsObject()) return value;
  std::vector<Member> kept;
  kept.reserve(value.Members().size());
  for (const Member& member : value.Members()) {
    if (!member.value.IsNull()) kept.push_back({member.key, WithoutNulls(edit, member.value)});
  }
  return edit.Object(kept);
}

Result<Value> ApplyMergePatch(Editor& edit, const Value& object, const Value& patch) {
  if (!patch.IsObject()) return BadRequest("Invalid JSON Patch: a merge patch must be an object");
  return MergeObjects(edit, object, patch);
}

}  // namespace allot::apiserver
