#include "apiserver/controllers/workloads/owned.h"

#include <set>

namespace allot::apiserver {

Result<std::vector<Stored>> OwningController::Owned(const Stored& owner, std::string_view resource, std::string_view finalizer) const {
  const LabelSelector selector(owner.spec()["selector"]);
  const bool stays = !IsDeleting(owner.json());
  std::vector<Stored> owned;
  std::set<Key> seen;
  for (const EntryPtr& entry : store().List(resource, owner.key().space).entries) {
    if (!selector.Matches(entry->index)) continue;
    seen.insert(entry->key);
    Stored object(entry);
    if (ControllerOf(object.json()) == nullptr && stays && !IsDeleting(object.json())) {
      ASSIGN_OR_RETURN(const bool adopted, Adopt(owner, object, finalizer));
      if (!adopted) continue;
      if (std::optional<Stored> now = Read(store(), object.key())) object = *std::move(now);
    }
    if (IsControlledBy(object.json(), owner.uid())) owned.push_back(std::move(object));
  }
  for (const Key& key : world().owners.Of(owner.uid(), owner.key().space)) {
    if (!stays || key.resource != resource || seen.contains(key)) continue;
    std::optional<Stored> object = Read(store(), key);
    if (!object || !IsControlledBy(object->json(), owner.uid())) continue;
    // Match the object's current labels: releasing a Pod causes another to be made.
    if (selector.Matches(object->metadata()["labels"])) {
      owned.push_back(*std::move(object));
      continue;
    }
    TRY(Change(TargetOf(key), object->uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
      const json::Value free = finalizer.empty() ? stored : WithoutFinalizer(edit, stored, finalizer);
      return WithoutOwner(edit, free, owner.uid());
    }));
  }
  return owned;
}

// Returns false if another owner adopted it first.
Result<bool> OwningController::Adopt(const Stored& owner, const Stored& object, std::string_view finalizer) const {
  // The owner may have been replaced since it was read.
  const EntryPtr now = store().Get(owner.key());
  if (now == nullptr || now->uid != owner.uid()) return false;
  bool adopted = false;
  TRY(Change(TargetOf(object.key()), object.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    adopted = ControllerOf(stored) == nullptr && !IsDeleting(stored);
    if (!adopted) return stored;
    const json::Value owners =
        edit.Append(WithoutOwner(edit, stored, owner.uid())["metadata"]["ownerReferences"], ControllerReference(edit, owner.json()));
    const json::Value taken = edit.SetAt(stored, {"metadata", "ownerReferences"}, owners);
    return finalizer.empty() ? taken : WithFinalizer(edit, taken, finalizer);
  }));
  return adopted;
}

void OwningController::AddOwners(const Sight& sight, std::string_view kind, std::string_view resource) const {
  const std::string& space = sight.key().space;
  if (sight.Mentions("\"ownerReferences\"")) {
    if (const json::Value* controller = ControllerOf(sight.json())) {
      if (json::TextOf((*controller)["kind"]) == kind)
        Add({std::string(resource), space, std::string(json::TextOf((*controller)["name"]))});
      return;
    }
  }
  if (sight.deleted() || sight.entry().index.labels.empty()) return;
  for (EntryPtr& entry : store().List(resource, space).entries) {
    const Stored owner(std::move(entry));
    if (LabelSelector(owner.spec()["selector"]).Matches(sight.entry().index)) Add(owner.key());
  }
}

}  // namespace allot::apiserver
