#pragma once
// Field management: which manager owns which field after a write, and server-side apply.
//
// The rules are those of Kubernetes 1.36. A write other than an apply takes over the fields that it changes. An apply owns the fields that
// it names, must not change fields of other managers unless forced, and removes fields that it owned before and no longer names, unless
// another manager owns them too.
//
// Pure: objects in, an object out. Objects and types passed in must live as long as the editor's arena.

#include <functional>
#include <string_view>

#include "apiserver/patch/field_set.h"
#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// The part of a write that concerns fields.
struct FieldWrite {
  const Type& type;              // the object's type in the version of the request
  std::string_view api_version;  // of the request: "v1", "resource.k8s.io/v1"
  std::string_view kind;
  std::string_view subresource;  // empty: the object itself
  std::string_view manager;      // empty: "unknown"
  std::string_view now;          // RFC 3339, seconds, in UTC: "2026-01-02T03:04:05Z"
  bool custom = false;           // the kind has a CustomResourceDefinition

  // Fields that this write cannot set (ResetFields) and never owns.
  FieldSet reset;
  // Returns the types of other versions of the kind, whose objects differ only in the version. May be empty. If it returns nullptr the
  // version is not served and its managers are dropped.
  std::function<const Type*(std::string_view api_version)> version;
};

// Whether the client asks to discard all managers: metadata.managedFields is an empty list or has one empty entry. Call it before
// normalizing, on what was sent or what a patch produced.
bool ResetsManagers(const json::Value& object);

// Returns `object`, which replaces `live` by anything other than an apply, with its managedFields. `live` is null for a create. `forget` is
// the result of ResetsManagers. Managers in the object count, unless they are broken or the write is to a subresource.
json::Value UpdateManaged(json::Editor& edit, const FieldWrite& write, const json::Value& live, const json::Value& object, bool forget);

// Returns the result of applying `config` to `live` (null: create), with its managedFields, not yet normalized or defaulted. An apply that
// changes nothing returns an object equal to `live`, including times. Refusals: 400 for a config of another kind or version or with
// managedFields; 409 for conflicts, with a cause for each; 500, like kube-apiserver, if it does not fit the schema.
Result<json::Value> ApplyManaged(json::Editor& edit, const FieldWrite& write, const json::Value& live, const json::Value& config,
                                 bool force);

// Returns `object` as it is to be stored in place of `live`. If only the times of managers differ, keeps those of `live`.
json::Value KeepTimes(json::Editor& edit, const json::Value& live, const json::Value& object);

// Returns the fields that a write to a resource ("pods", "resourceclaims.resource.k8s.io", any custom resource) or its status cannot set.
FieldSet ResetFields(json::Editor& edit, std::string_view resource, std::string_view subresource, bool has_status, bool custom);

}  // namespace allot::apiserver
