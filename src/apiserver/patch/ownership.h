#pragma once
// How the managers of an object change with it: what UpdateManaged and ApplyManaged have in common.

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
  // FieldManagers of versions that are not served are dropped. REQUIRES that `write` outlives this.
  Ownership(json::Editor& edit, const FieldWrite& write, const FieldManagers& managers);

  FieldManagers& managers() { return managers_; }
  bool empty() const { return managers_.empty(); }

  // Somebody who updates made `after` of `before`: what that changed is theirs now, and nobody else's.
  void Update(const json::Value& before, const json::Value& after, std::string_view manager);

  // `self`, who is one of the managers, makes `after` of `before`. What is removed nobody owns any more; what is changed by `self` alone,
  // if nobody else owns it or `force`. Otherwise nothing happens: the conflicts are returned, sorted by manager.
  std::vector<FieldConflict> TakeOver(const json::Value& before, const json::Value& after, const FieldManager& self, bool force);

  // `merged` without what `last` has and neither `last`'s manager, whose entry is new already, nor anybody else has now.
  json::Value Prune(const json::Value& merged, const FieldManager& last);

  // An entry of somebody who writes now, without fields and time.
  FieldManager Writer(std::string_view name, bool applied) const;
  FieldManager* Find(const FieldManager& like) { return FindManager(managers_, like); }
  void Put(const FieldManager& manager);
  // The fields, but those that the write cannot set.
  FieldSet WithoutReset(const FieldSet& fields) const { return RecursiveDifference(edit_, fields, write_->reset); }

 private:
  // The object in a version; none where that is not served.
  ValuePlace PlaceOf(std::string_view api_version) const;
  const Comparison& Compare(std::string_view api_version, const json::Value& before, const json::Value& after,
                            std::map<std::string_view, Comparison>& done) const;

  json::Editor& edit_;
  const FieldWrite* write_;
  FieldManagers managers_;
};

// Without what nobody owns: the name, the version, and what else the server alone decides.
FieldSet WithoutUnowned(json::Editor& edit, const FieldSet& set);

}  // namespace allot::apiserver
