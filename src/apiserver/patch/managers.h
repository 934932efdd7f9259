#pragma once
// metadata.managedFields: which manager set which fields of an object, and how.
//
// A manager that applies has one entry for each subresource; a manager that updates has one for each version and subresource.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/patch/field_set.h"

namespace allot::apiserver {

struct FieldManager {
  std::string_view name;
  bool applied = false;  // false: updated
  std::string_view api_version, subresource;

  std::string_view time;  // RFC 3339, in UTC; empty: none
  FieldSet fields;
  // The fields as they were read; null once changed. Unchanged fields are not written again.
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

// REQUIRES: everything read or passed in lives as long as the editor's arena. Returns kInvalid for a broken entry.
Result<FieldManagers> ReadManagers(json::Editor& edit, const json::Value& managed_fields);
// Writes the entries in Kubernetes' order: by operation, time, name, version and subresource. Null if there are none.
json::Value WriteManagers(json::Editor& edit, const FieldManagers& managers);

// Returns nullptr if there is none.
FieldManager* FindManager(FieldManagers& managers, const FieldManager& like);
void DropEmptyManagers(FieldManagers& managers);
// If more than ten managers updated, merges the oldest of each version into one, "ancient-changes".
void CapManagers(json::Editor& edit, FieldManagers& managers);

// Returns the identity of a manager, as Kubernetes writes and sorts it: `{"manager":"two","operation":"Update","apiVersion":"v1"}`.
std::string IdOfManager(const FieldManager& manager);
// Returns the name used in conflicts: `"one"`, `"two" with subresource "status" using v1`.
std::string NameOfManager(const FieldManager& manager);

}  // namespace allot::apiserver
