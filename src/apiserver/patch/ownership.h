#pragma once
// How an object's managers change with it: shared by UpdateManaged and ApplyManaged.

#include <map>
#include <vector>

#include "apiserver/patch/compare.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/managers.h"

namespace allot::apiserver {

struct FieldConflict {
  FieldManager manager;
  std::vector<PathElement> path;
};

class Ownership {
 public:
  // Drops managers of versions that are not served. `write` must outlive this.
  Ownership(json::Editor& edit, const FieldWrite& write, const FieldManagers& managers);

  FieldManagers& managers() { return managers_; }
  bool empty() const { return managers_.empty(); }

  // `manager` updated `before` to `after`: it now owns the changed fields, and all others lose them.
  void Update(const json::Value& before, const json::Value& after, std::string_view manager);

  // `self`, one of the managers, applies `after` over `before`. Removed fields lose all owners. `self` becomes the only owner of changed
  // fields if no other manager owns them, or with `force`. Otherwise nothing changes and the conflicts are returned, sorted by manager.
  std::vector<FieldConflict> TakeOver(const json::Value& before, const json::Value& after, const FieldManager& self, bool force);

  // Returns `merged` without the fields of `last` that no manager owns now. The entry of `last`'s manager is already the new one.
  json::Value Prune(const json::Value& merged, const FieldManager& last);

  // Returns an entry for the writer, without fields and time.
  FieldManager Writer(std::string_view name, bool applied) const;
  FieldManager* Find(const FieldManager& like) { return FindManager(managers_, like); }
  void Put(const FieldManager& manager);
  // Removes the fields that the write cannot set.
  FieldSet WithoutReset(const FieldSet& fields) const { return RecursiveDifference(edit_, fields, write_->reset); }

 private:
  // Returns the object's place in a version; empty if the version is not served.
  ValuePlace PlaceOf(std::string_view api_version) const;
  const Comparison& Compare(std::string_view api_version, const json::Value& before, const json::Value& after,
                            std::map<std::string_view, Comparison>& done) const;

  json::Editor& edit_;
  const FieldWrite* write_;
  FieldManagers managers_;
};

// Removes fields that no manager owns: name, version and others that only the server sets.
FieldSet WithoutUnowned(json::Editor& edit, const FieldSet& set);

}  // namespace allot::apiserver
