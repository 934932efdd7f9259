// ApplyManaged: combines the parts of server-side apply.

#include <algorithm>
#include <optional>

#include "apiserver/json_names.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/managers.h"
#include "apiserver/patch/merge.h"
#include "apiserver/patch/ownership.h"
#include "apiserver/patch/typed.h"
#include "apiserver/refusal.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr size_t kMaxAnnotations = 256 << 10;  // bytes

// "apps/v1, Kind=Deployment", "/v1, Kind=Pod"
std::string KindText(std::string_view api_version, std::string_view kind) {
  return StrCat(api_version.find('/') == std::string_view::npos ? "/" : "", api_version, ", Kind=", kind);
}

std::string ObjectText(const FieldWrite& write, const Value& object) {
  return StrCat(TextOf(object["metadata"]["namespace"]), "/", TextOf(object["metadata"]["name"]), "; ",
                KindText(write.api_version, write.kind));
}

Status CheckConfig(Editor& edit, const FieldWrite& write, const Value& live, const Value& config) {
  const std::string_view api_version = TextOf(config["apiVersion"]), kind = TextOf(config["kind"]);
  if (api_version != write.api_version || kind != write.kind) {
    return BadRequest(StrCat("invalid object type: ", KindText(api_version, kind)));
  }
  if (config["metadata"]["managedFields"].IsArray()) return BadRequest("metadata.managedFields must be nil");
  if (const std::string wrong = WhatIsWrong(edit, {&write.type}, config); !wrong.empty()) {
    return Refuse(500, "", StrCat("failed to create typed patch object (", ObjectText(write, config), "): ", wrong));
  }
  if (const std::string wrong = WhatIsWrong(edit, {&write.type}, live, DuplicateItems::kAllowed); !wrong.empty()) {
    return Refuse(500, "", StrCat("failed to create typed live object (", ObjectText(write, live), "): ", wrong));
  }
  return Status();
}

Status ConflictRefusal(const std::vector<FieldConflict>& conflicts) {
  auto refusal = std::make_shared<Refusal>();
  refusal->code = 409;
  refusal->reason = "Conflict";
  std::string list;
  for (size_t i = 0; i < conflicts.size(); ++i) {
    const std::string manager = NameOfManager(conflicts[i].manager), path = ToText(conflicts[i].path);
    refusal->causes.push_back({"FieldManagerConflict", path, StrCat("conflict with ", manager)});
    const bool first_of_manager = i == 0 || !conflicts[i].manager.IsSameAs(conflicts[i - 1].manager);
    if (first_of_manager) list += StrCat(i == 0 ? "" : "\n", "conflicts with ", manager, ":");
    list += StrCat("\n- ", path);
  }
  std::string message = conflicts.size() == 1
                            ? StrCat("Apply failed with 1 conflict: ", refusal->causes[0].message, ": ", refusal->causes[0].field)
                            : StrCat("Apply failed with ", conflicts.size(), " conflicts: ", list);
  return Status(Code::kConflict, std::move(message), std::move(refusal));
}

struct Applied {
  Value object;
  std::vector<FieldConflict> conflicts;  // if not empty, the rest is unset
};

Applied Apply(Editor& edit, const FieldWrite& write, Ownership& ownership, const Value& live, const Value& config, bool force) {
  const ValuePlace place{&write.type};
  FieldManager self = ownership.Writer(write.manager, true);
  std::optional<FieldManager> last;
  if (const FieldManager* const previous = ownership.Find(self)) last = *previous;
  self.fields = ownership.WithoutReset(FieldsOf(edit, place, config));
  if (last) self.time = last->time;
  ownership.Put(self);

  Applied applied;
  applied.object = MergeConfig(edit, place, live, config);
  if (last) applied.object = ownership.Prune(applied.object, *last);
  applied.conflicts = ownership.TakeOver(live, applied.object, self, force);
  if (!applied.conflicts.empty()) return applied;

  self.Set(WithoutUnowned(edit, self.fields));
  if (!json::Equal(live, applied.object)) self.time = edit.CopyText(write.now);
  ownership.Put(self);
  DropEmptyManagers(ownership.managers());
  return applied;
}

// Client-side apply (kubectl before server-side apply) recorded what it had applied in an annotation. Fields that still have the recorded
// values belonged to kubectl, so taking them over is not a conflict.
std::vector<FieldConflict> WithoutLastApplied(Editor& edit, const FieldWrite& write, const Value& live,
                                              std::vector<FieldConflict> conflicts) {
  const std::string_view text = TextOf(live["metadata"]["annotations"][kLastApplied]);
  if (text.empty()) return conflicts;
  const auto parsed = json::Parse(text);
  if (!parsed.ok() || TextOf(parsed->root()["apiVersion"]) != write.api_version) return conflicts;
  const Value last = edit.Copy(parsed->root());
  const ValuePlace place{&write.type};
  if (!WhatIsWrong(edit, place, last).empty()) return conflicts;
  const Comparison comparison = CompareObjects(edit, place, last, live);
  const FieldSet differs = Union(edit, comparison.changed, comparison.removed);
  const FieldSet allowed = Difference(edit, FieldsOf(edit, place, last), differs);
  std::erase_if(conflicts, [&](const FieldConflict& conflict) { return allowed.Has(conflict.path); });
  return conflicts;
}

Value Sorted(Editor& edit, const Value& value) {
  if (value.IsArray()) return edit.Map(value, [&](const Value& item) { return Sorted(edit, item); });
  if (!value.IsObject()) return value;
  std::vector<json::Member> members;
  for (const json::Member& member : value.Members()) members.push_back({member.key, Sorted(edit, member.value)});
  std::sort(members.begin(), members.end(), [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  return edit.Object(members);
}

// Keeps the annotation up to date for clients that still use client-side apply.
Value WithLastApplied(Editor& edit, const Value& object, const Value& config) {
  const Value& annotations = object["metadata"]["annotations"];
  if (TextOf(annotations[kLastApplied]).empty()) return object;
  const Value applied = edit.WithoutAt(config, {"metadata", "annotations", kLastApplied});
  const Value text = edit.String(StrCat(json::Write(Sorted(edit, applied)), "\n"));
  const Value changed = edit.Set(annotations, kLastApplied, text);
  size_t bytes = 0;
  for (const json::Member& member : changed.Members()) bytes += member.key.size() + TextOf(member.value).size();
  return edit.SetAt(object, {"metadata", "annotations"}, bytes > kMaxAnnotations ? edit.Without(annotations, kLastApplied) : changed);
}

// Returns the object before it is created.
Value Nothing(Editor& edit, const FieldWrite& write) {
  if (!write.custom) return ObjectBeforeCreate(edit, write.type);
  return edit.Object({{"apiVersion", edit.String(write.api_version)}, {"kind", edit.String(write.kind)}});
}

}  // namespace

Result<Value> ApplyManaged(Editor& edit, const FieldWrite& write, const Value& live, const Value& config, bool force) {
  const Value before = live.IsNull() ? Nothing(edit, write) : edit.WithoutAt(live, {"metadata", "managedFields"});
  TRY(CheckConfig(edit, write, before, config));
  Result<FieldManagers> managers = ReadManagers(edit, live["metadata"]["managedFields"]);
  if (!managers.ok()) return Refuse(500, "", StrCat("failed to decode managed fields: ", managers.status().message()));

  Ownership ownership(edit, write, *managers);
  if (managers->empty()) ownership.Update(Nothing(edit, write), before, "before-first-apply");
  Ownership forced = ownership;
  Applied applied = Apply(edit, write, ownership, before, config, force);
  bool was_forced = false;
  if (!applied.conflicts.empty() && write.manager == "kubectl") {
    applied.conflicts = WithoutLastApplied(edit, write, before, std::move(applied.conflicts));
    was_forced = applied.conflicts.empty();
    if (was_forced) applied = Apply(edit, write, forced, before, config, true);
  }
  if (!applied.conflicts.empty()) return ConflictRefusal(applied.conflicts);
  if (write.manager == "kubectl") applied.object = WithLastApplied(edit, applied.object, config);
  const Value entries = WriteManagers(edit, was_forced ? forced.managers() : ownership.managers());
  return entries.IsNull() ? applied.object : edit.SetAt(applied.object, {"metadata", "managedFields"}, entries);
}

}  // namespace allot::apiserver
