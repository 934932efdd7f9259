#pragma once
// metadata.managedFields: who has set which fields of an object, and how.
//
// Somebody who applies has one entry for each subresource; somebody who updates one for each version and subresource.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/patch/field_set.h"

namespace allot::apiserver {

struct FieldManager {
  std::string_view name;
  bool applied = false;  // else: updated
  std::string_view api_version, subresource;

  std::string_view time;  // RFC 3339, in UTC; empty: none
  FieldSet fields;
  // The fields as they were read; null once they have changed, so that what stays the same is not written anew.
  json::Value read;

  bool IsSameAs(const FieldManager& other) const {
    return name == other.name && applied == other.applied && subresource == other.subresource &&
           (applied || api_version == other.api_version);
  }
  void Set(const FieldSet& set) {
    fields = set;
    read = json::Value();
  }
};

using FieldManagers = std::vector<FieldManager>;

// REQUIRES that everything read or passed in lives as long as the editor's arena.
// kInvalid for an entry that is broken.
Result<FieldManagers> ReadManagers(json::Editor& edit, const json::Value& managed_fields);
// In the order in which Kubernetes lists them: by operation, time, name, version and subresource. Null where there are none.
json::Value WriteManagers(json::Editor& edit, const FieldManagers& managers);

// nullptr: there is none.
FieldManager* FindManager(FieldManagers& managers, const FieldManager& like);
void DropEmptyManagers(FieldManagers& managers);
// Of more than ten that updated, the oldest of each version become one, "ancient-changes".
void CapManagers(json::Editor& edit, FieldManagers& managers);

// What tells managers apart, as Kubernetes writes and sorts it: `{"manager":"two","operation":"Update","apiVersion":"v1"}`.
std::string IdOfManager(const FieldManager& manager);
// `"one"`, `"two" with subresource "status" using v1`: as conflicts name them.
std::string NameOfManager(const FieldManager& manager);

}  // namespace allot::apiserver
