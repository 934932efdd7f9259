#pragma once
// The garbage collector. Deletes objects whose owners are all gone, and carries out the deletion policy of owners.
//
//   Background  the owner is removed; its dependents are deleted afterwards.
//   Foreground  the owner keeps the finalizer foregroundDeletion until no blocking dependent is left.
//   Orphan      the owner keeps the finalizer orphan until no dependent refers to it any more.
//
// An owner is identified by its uid; the name alone does not count. Owners of cluster-scoped objects are cluster-scoped. An owner of a kind
// that is not served may still exist, so its dependents stay.

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

  // Returns the state of each owner that an object refers to, in the order of its references.
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
  // Owners whose removal was seen, latest last: their kinds may be gone too.
  std::unordered_set<std::string> gone_;
  std::deque<std::string> gone_order_;
};

}  // namespace allot::apiserver
