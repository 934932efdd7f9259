#include "apiserver/patch/managed_fields.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/patch/managers.h"
#include "apiserver/patch/ownership.h"
#include "apiserver/patch/typed.h"

namespace allot::apiserver {

namespace {

const Value& ManagedFieldsOf(const Value& object) { return object["metadata"]["managedFields"]; }

FieldManagers ManagersOrNone(Editor& edit, const Value& object) {
  Result<FieldManagers> managers = ReadManagers(edit, ManagedFieldsOf(object));
  return managers.ok() ? *std::move(managers) : FieldManagers();
}

// A client that does not know managedFields omits them or sends invalid ones. Neither discards the owners.
FieldManagers ManagersAfter(Editor& edit, const FieldWrite& write, const Value& live, const Value& object, bool forget) {
  if (!write.subresource.empty()) return ManagersOrNone(edit, live);
  if (forget || ResetsManagers(object)) return {};
  FieldManagers sent = ManagersOrNone(edit, object);
  return sent.empty() ? ManagersOrNone(edit, live) : sent;
}

}  // namespace

bool ResetsManagers(const Value& object) {
  const Value& entries = ManagedFieldsOf(object);
  if (!entries.IsArray()) return false;
  if (entries.Items().empty()) return true;
  return entries.Items().size() == 1 && entries.Items()[0].IsObject() && entries.Items()[0].Members().empty();
}

Value UpdateManaged(Editor& edit, const FieldWrite& write, const Value& live, const Value& object, bool forget) {
  const Value bare = edit.WithoutAt(object, {"metadata", "managedFields"});
  const FieldManagers managers = ManagersAfter(edit, write, live, object, forget);
  // An object without managers gets one only by an apply, not by an update.
  if (managers.empty() && !json::TextOf(live["metadata"]["uid"]).empty()) return bare;
  const Value before = live.IsNull() ? (write.custom ? edit.Object({}) : ObjectBeforeCreate(edit, write.type))
                                     : edit.WithoutAt(live, {"metadata", "managedFields"});
  Ownership ownership(edit, write, managers);
  ownership.Update(before, bare, write.manager);
  const Value entries = WriteManagers(edit, ownership.managers());
  return entries.IsNull() ? bare : edit.SetAt(bare, {"metadata", "managedFields"}, entries);
}

Value KeepTimes(Editor& edit, const Value& live, const Value& object) {
  const auto old_entries = json::ItemsOf(ManagedFieldsOf(live)), new_entries = json::ItemsOf(ManagedFieldsOf(object));
  if (new_entries.empty() || old_entries.size() != new_entries.size()) return object;
  bool times_differ = false;
  for (size_t i = 0; i < new_entries.size(); ++i) {
    times_differ = times_differ || !json::Equal(old_entries[i]["time"], new_entries[i]["time"]);
    if (!json::Equal(edit.Without(old_entries[i], "time"), edit.Without(new_entries[i], "time"))) return object;
  }
  if (!times_differ) return object;
  const auto rest = [&](const Value& whole) {
    return edit.WithoutAt(edit.WithoutAt(whole, {"metadata", "managedFields"}), {"metadata", "resourceVersion"});
  };
  if (!json::Equal(rest(live), rest(object))) return object;
  return edit.SetAt(object, {"metadata", "managedFields"}, ManagedFieldsOf(live));
}

FieldSet ResetFields(Editor& edit, std::string_view resource, std::string_view subresource, bool has_status, bool custom) {
  if (!has_status) return {};
  if (subresource.empty()) return FieldSet::OfPaths(edit, {{"status"}});
  if (subresource != "status") return {};
  if (custom || resource == "resourceclaims.resource.k8s.io") return FieldSet::OfPaths(edit, {{"metadata"}, {"spec"}});
  if (resource == "pods") return FieldSet::OfPaths(edit, {{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}});
  if (resource == "deployments.apps") return FieldSet::OfPaths(edit, {{"spec"}, {"metadata", "labels"}});
  return FieldSet::OfPaths(edit, {{"spec"}});
}

}  // namespace allot::apiserver
