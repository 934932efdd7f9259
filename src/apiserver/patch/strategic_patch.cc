#include "apiserver/patch/strategic_patch.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/strategic_list.h"
#include "apiserver/patch/strategic_object.h"
#include "apiserver/refusal.h"

namespace allot::apiserver {

namespace {

using json::Member;

constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kSetElementOrder = "$setElementOrder";
constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList";

Status Broken(std::string message) { return Refuse(500, "", std::move(message)); }

// Returns the part of a directive's key after the slash.
Result<std::string_view> ListOf(std::string_view key, std::string_view directive) {
  if (key.size() > directive.size() && key[directive.size()] == '/') return key.substr(directive.size() + 1);
  return BadRequest(directive == kSetElementOrder ? "invalid patch format of setElementOrder list"
                                                  : "invalid patch format of primitive list");
}

class StrategicPatch {
 public:
  explicit StrategicPatch(Editor& edit) : edit_(edit) {}

  // `type` is a struct, or a type whose members are not merged more deeply.
  Result<Value> MergeObject(const Type& type, const Value& live, const Value& patch);

 private:
  Status RetainKeys(MemberList& live, MemberList& patch, const Value& patch_object);
  Status OrderLists(const Type& type, MemberList& live, MemberList& patch, const Value& patch_object);
  Status MergeMember(const Type& type, MemberList& live, std::string_view key, const Value& patch);
  // `live_order`, unless nullptr, is set to the order of the live list that counts after the merge.
  Result<Value> MergeList(const Type& type, const Field& field, const Value& live, const Value& patch, bool deletes,
                          Value* live_order = nullptr);
  Result<std::vector<Value>> MergeObjects(const Field& field, std::vector<Value>& live, std::vector<Value>& patch);
  Status CheckOrder(const Field& field, const Value& patch, const Value& order);
  Result<const Field*> FieldOf(const Type& type, std::string_view key);

  Editor& edit_;
};

Result<const Field*> StrategicPatch::FieldOf(const Type& type, std::string_view key) {
  if (type.shape != Shape::kStruct) {
    return Broken(StrCat("merging an object in json but data type is not struct, for the json field ", Quoted(key)));
  }
  const Field* const field = type.Find(key);
  if (field == nullptr) return Broken(StrCat("unable to find api field in struct ", type.name, " for the json field ", Quoted(key)));
  return field;
}

Result<Value> StrategicPatch::MergeObject(const Type& type, const Value& live, const Value& patch) {
  if (const Value* const directive = patch.Find(kPatchDirective)) {
    const std::string_view verb = json::TextOf(*directive);
    if (verb == "replace") return edit_.Without(patch, kPatchDirective);
    if (verb == "delete") return edit_.Object({});
    return Broken(StrCat("unknown patch type: ", json::Write(*directive), " in map: ", json::Write(patch)));
  }
  MemberList result(live), rest(patch);
  TRY(RetainKeys(result, rest, patch));
  TRY(OrderLists(type, result, rest, patch));
  for (const Member& member : patch.Members()) {
    if (rest.Find(member.key) != nullptr) TRY(MergeMember(type, result, member.key, member.value));
  }
  return result.Take(edit_);
}

Status StrategicPatch::RetainKeys(MemberList& live, MemberList& patch, const Value& patch_object) {
  const Value* const directive = patch_object.Find(kRetainKeys);
  if (directive == nullptr) return Status();
  patch.Erase(kRetainKeys);
  if (!directive->IsArray()) return BadRequest("invalid patch format of retainKeys");
  std::set<std::string_view> retained;
  for (const Value& key : directive->Items()) retained.insert(json::TextOf(key));
  for (const Member& member : patch_object.Members()) {
    const bool free = member.value.IsNull() || member.key == kRetainKeys || member.key.starts_with(kDeleteFromPrimitiveList) ||
                      member.key.starts_with(kSetElementOrder);
    if (!free && !retained.contains(member.key)) return BadRequest("invalid patch format of retainKeys");
  }
  live.EraseUnless([&](std::string_view key) { return retained.contains(key); });
  return Status();
}

// The items in a patch must follow the order that it asks for.
Status StrategicPatch::CheckOrder(const Field& field, const Value& patch, const Value& order) {
  if (order.Items().empty()) return Status();
  const ItemIndex index(field.patch_key);
  const auto mismatch = [&] {
    return Broken(
        StrCat("The order in patch list:\n", json::Write(patch), "\n doesn't match $setElementOrder list:\n", json::Write(order), "\n"));
  };
  size_t place = 0;
  for (const Value& item : patch.Items()) {
    if (!field.patch_key.empty() && !item.IsObject()) return Broken("expected an object in a list of objects");
    if (const Value* const directive = item.IsObject() ? item.Find(kPatchDirective) : nullptr) {
      // Go first removes items that delete, and skips others only while there is an order to compare with.
      if (json::TextOf(*directive) == "delete" || place < order.Items().size()) continue;
      return mismatch();
    }
    ASSIGN_OR_RETURN(const std::string id, index.IdOf(item));
    for (;; ++place) {
      if (place == order.Items().size()) return mismatch();
      ASSIGN_OR_RETURN(const std::string asked, index.IdOf(order.Items()[place]));
      if (asked == id) break;
    }
    ++place;
  }
  return Status();
}

Status StrategicPatch::OrderLists(const Type& type, MemberList& live, MemberList& patch, const Value& patch_object) {
  for (const Member& member : patch_object.Members()) {
    if (!member.key.starts_with(kSetElementOrder)) continue;
    patch.Erase(member.key);
    const Value& order = member.value;
    if (!order.IsArray()) return Broken("expected a list in $setElementOrder");
    ASSIGN_OR_RETURN(const std::string_view key, ListOf(member.key, kSetElementOrder));
    const Value *const live_list = live.Find(key), *const patch_list = patch.Find(key);
    if ((live_list != nullptr && !live_list->IsArray()) || (patch_list != nullptr && !patch_list->IsArray())) {
      return Broken(StrCat("expected a list for $setElementOrder/", key));
    }
    ASSIGN_OR_RETURN(const Field* const field, FieldOf(type, key));
    if (field->type->shape != Shape::kList) return Broken(StrCat("expected slice or array type for ", key));
    if (patch_list != nullptr) TRY(CheckOrder(*field, *patch_list, order));
    if (live_list == nullptr && patch_list == nullptr) continue;
    const Value live_copy = live_list == nullptr ? edit_.Array({}) : *live_list;
    Value merged, live_order = live_copy;
    if (patch_list == nullptr) {
      merged = *live_list;
    } else if (live_list == nullptr) {
      merged = *WithoutDirectives(edit_, *patch_list);
    } else {
      ASSIGN_OR_RETURN(merged, MergeList(*field->type, *field, *live_list, *patch_list, false, &live_order));
    }
    const Value patch_copy = patch_list == nullptr ? edit_.Array({}) : *patch_list;
    ASSIGN_OR_RETURN(const auto objects, ItemsAreObjects(live_copy.Items(), patch_copy.Items()));
    if (!objects) return Broken("no elements in any of the given slices");
    ASSIGN_OR_RETURN(const auto ordered, InOrder(merged.Items(), order.Items(), live_order.Items(), field->patch_key));
    live.Set(key, edit_.Array(ordered));
    patch.Erase(key);
  }
  return Status();
}

Status StrategicPatch::MergeMember(const Type& type, MemberList& live, std::string_view key, const Value& patch) {
  const bool deletes = key.starts_with(kDeleteFromPrimitiveList);
  if (deletes) {
    ASSIGN_OR_RETURN(key, ListOf(key, kDeleteFromPrimitiveList));
  }
  if (patch.IsNull()) {
    live.Erase(key);
    return Status();
  }
  const Value* const old = live.Find(key);
  const bool both_objects = old != nullptr && old->IsObject() && patch.IsObject();
  const bool both_lists = old != nullptr && old->IsArray() && patch.IsArray();
  if (!both_objects && !both_lists) {
    if (deletes) return Status();
    if (const auto value = WithoutDirectives(edit_, WithoutNulls(edit_, patch))) {
      live.Set(key, *value);
    } else {
      live.Erase(key);
    }
    return Status();
  }
  ASSIGN_OR_RETURN(const Field* const field, FieldOf(type, key));
  if (both_objects) {
    ASSIGN_OR_RETURN(const Value merged, MergeObject(*field->type, *old, patch));
    live.Set(key, merged);
  } else {
    ASSIGN_OR_RETURN(const Value merged, MergeList(*field->type, *field, *old, patch, deletes));
    live.Set(key, merged);
  }
  return Status();
}

Result<Value> StrategicPatch::MergeList(const Type& type, const Field& field, const Value& live, const Value& patch, bool deletes,
                                        Value* live_order) {
  if (type.shape != Shape::kList) return Broken(StrCat("expected slice or array type for ", field.name));
  if (!field.patch_merge && !deletes) return patch;
  ASSIGN_OR_RETURN(const auto objects, ItemsAreObjects(live.Items(), patch.Items()));
  if (!objects) return live;
  std::vector<Value> old(live.Items().begin(), live.Items().end()), changes(patch.Items().begin(), patch.Items().end());
  if (*objects) {
    if (field.patch_key.empty()) return Broken(StrCat("cannot merge lists without merge key for ", field.name));
    ASSIGN_OR_RETURN(const auto merged, MergeObjects(field, old, changes));
    // Go merges in the memory of the live list (apimachinery 1.36, mergeSlice): new items take the places of deleted ones.
    if (live_order != nullptr) *live_order = edit_.Array(std::span(merged).first(std::min(merged.size(), live.Items().size())));
    ASSIGN_OR_RETURN(const auto ordered, InOrder(merged, changes, old, field.patch_key));
    return edit_.Array(ordered);
  }
  if (!field.patch_key.empty() && !deletes) return Broken(StrCat("expected objects in ", field.name));
  ItemIndex in_patch(""), seen("");
  TRY(in_patch.Add(changes));
  std::vector<Value> merged;
  if (!deletes) old.insert(old.end(), changes.begin(), changes.end());
  for (const Value& item : old) {
    ASSIGN_OR_RETURN(const std::string id, seen.IdOf(item));
    if (deletes ? in_patch.Find(id).has_value() : seen.Find(id).has_value()) continue;
    TRY(seen.Add({&item, 1}));
    merged.push_back(item);
  }
  if (deletes) return edit_.Array(merged);
  ASSIGN_OR_RETURN(const auto ordered, InOrder(merged, changes, live.Items(), ""));
  return edit_.Array(ordered);
}

// Leaves in `live` what is neither deleted nor replaced, and in `patch` what is merged; together they give the order.
Result<std::vector<Value>> StrategicPatch::MergeObjects(const Field& field, std::vector<Value>& live, std::vector<Value>& patch) {
  ItemIndex index(field.patch_key);
  std::set<std::string> deleted;
  std::vector<Value> changes;
  bool replace = false;
  for (const Value& item : patch) {
    const Value* const directive = item.Find(kPatchDirective);
    if (directive == nullptr) {
      changes.push_back(item);
      continue;
    }
    const std::string_view verb = json::TextOf(*directive);
    if (verb == "delete") {
      ASSIGN_OR_RETURN(std::string id, index.IdOf(item));
      deleted.insert(std::move(id));
    } else if (verb == "replace") {
      replace = true;
    } else if (verb == "merge") {
      return Broken("merging lists cannot yet be specified in the patch");
    } else {
      return Broken(StrCat("unknown patch type: ", json::Write(*directive), " in map: ", json::Write(item)));
    }
  }
  if (replace) {
    live = std::move(changes);
    patch.clear();
    return live;
  }
  patch = std::move(changes);
  std::vector<Value> merged;
  for (const Value& item : live) {
    ASSIGN_OR_RETURN(const std::string id, index.IdOf(item));
    if (!deleted.contains(id)) merged.push_back(item);
  }
  live = merged;
  TRY(index.Add(live));
  for (const Value& item : patch) {
    ASSIGN_OR_RETURN(const std::string id, index.IdOf(item));
    if (const auto place = index.Find(id)) {
      ASSIGN_OR_RETURN(merged[*place], MergeObject(*field.type->element, merged[*place], item));
    } else {
      TRY(index.Add({&item, 1}));
      merged.push_back(item);
    }
  }
  return merged;
}

}  // namespace

Result<Value> ApplyStrategicPatch(Editor& edit, const Type& type, const Value& object, const Value& patch) {
  if (!patch.IsObject()) return BadRequest("a strategic merge patch must be an object");
  return StrategicPatch(edit).MergeObject(type, object, patch);
}

}  // namespace allot::apiserver
