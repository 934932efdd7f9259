#pragma once
// The garbage collector: objects whose owners are all gone are deleted, and owners that are deleted with a policy see it through.
//
//   Background  the owner goes, its dependents are found without it.
//   Foreground  the owner keeps the finalizer foregroundDeletion until no dependent that blocks it is left.
//   Orphan      the owner keeps the finalizer orphan until no dependent refers to it any more.
//
// An owner is who has the uid; the name alone does not count. Owners of cluster-scoped objects are cluster-scoped, and a kind that is not
// served may have objects: in doubt an object stays.

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Garbage final : public Controller {
 public:
  explicit Garbage(World& world) : Controller(world, "generic-garbage-collector") {}

  void Notice(const Sight& sight) override;
  void Forget() override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  enum class OwnerState { kThere, kWaits, kGone, kUnknown };

  // The state of each owner that an object refers to, in the order of its references.
  std::vector<OwnerState> OwnersOf(const Stored& object) const;
  OwnerState StateOf(const Stored& object, const json::Value& reference) const;

  Result<Again> CheckOwners(const Stored& object);
  Status DropReferences(const Stored& object, const std::vector<OwnerState>& states);
  Status DeleteDependent(const Stored& object, bool owner_waits);
  Status BreakCircle(const Stored& object, const std::vector<Key>& dependents);
  Status Orphan(const Stored& owner);
  Status AwaitDependents(const Stored& owner);
  Status TakeOff(const Stored& owner, std::string_view finalizer);

  Target PlaceOf(const Key& key) const;
  Status ChangeAny(const Stored& object, const Api::ChangeFunction& change) const;
  void Remember(const std::string& uid);

  std::unordered_map<std::string, Key> waiting_;  // owners with the finalizer foregroundDeletion, by uid
  // Owners that were seen to go, latest last: their kinds may have gone with them.
  std::unordered_set<std::string> gone_;
  std::deque<std::string> gone_order_;
};

}  // namespace allot::apiserver
