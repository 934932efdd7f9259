#pragma once
// Field management: which manager owns which field after a write, and server-side apply.
//
// The rules are those of Kubernetes 1.36: a write that is no apply takes over the fields that it changes; an apply owns the fields that it
// names, must not change those of others unless it is forced, and removes those that it owned before and no longer names, unless somebody
// else owns them, too.
//
// Pure: objects in, an object out. The objects and types that are passed in must live as long as the editor's arena.

#include <functional>
#include <string_view>

#include "apiserver/patch/field_set.h"
#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// A write, as far as fields are concerned.
struct FieldWrite {
  const Type& type;              // of the object in the version of the request
  std::string_view api_version;  // of the request: "v1", "resource.k8s.io/v1"
  std::string_view kind;
  std::string_view subresource;  // empty: the object itself
  std::string_view manager;      // empty: "unknown"
  std::string_view now;          // RFC 3339, seconds, in UTC: "2026-01-02T03:04:05Z"
  bool custom = false;           // the kind has a definition

  // Fields that this write cannot set (ResetFields); never owned by it.
  FieldSet reset;
  // The types of other versions of the kind, whose objects differ by nothing but that; null, or where it returns nullptr, for versions that
  // are not served: their managers are dropped.
  std::function<const Type*(std::string_view api_version)> version;
};

// Whether somebody asks to forget all managers: metadata.managedFields is an empty list, or one empty entry. To be asked of what was sent,
// or of what a patch made, before it is normalized.
bool ResetsManagers(const json::Value& object);

// `object`, which replaces `live` by anything but an apply, with its managedFields. `live` is null for a create. `forget`: ResetsManagers.
// Managers that the object brings along count, unless they are broken or the write is to a subresource.
json::Value UpdateManaged(json::Editor& edit, const FieldWrite& write, const json::Value& live, const json::Value& object, bool forget);

// What applying `config` makes of `live` (null: it is created), with its managedFields; not yet normalized or defaulted. An apply that
// changes nothing returns an object that is equal to `live`, times included. Refusals: 400 for a config of another kind or version or with
// managedFields, 409 for conflicts, with a cause for each; 500, as kube-apiserver answers, where it does not fit the schema.
Result<json::Value> ApplyManaged(json::Editor& edit, const FieldWrite& write, const json::Value& live, const json::Value& config,
                                 bool force);

// `object` as it is to be stored in place of `live`: where it differs by nothing but the times of its managers, those of `live` are kept.
json::Value KeepTimes(json::Editor& edit, const json::Value& live, const json::Value& object);

// What a write to a resource ("pods", "resourceclaims.resource.k8s.io", anything of a custom kind) or its status cannot set.
FieldSet ResetFields(json::Editor& edit, std::string_view resource, std::string_view subresource, bool has_status, bool custom);

}  // namespace allot::apiserver
