#include "kube/mutation.h"

namespace allot::kube {
namespace {

uint64_t Version(const Object& object) { return VersionNumber(object).value_or(0); }

MutationCache::Name NameOf(std::string_view namespace_name, std::string_view name) {
  return {std::string(namespace_name), std::string(name)};
}

}  // namespace

ObjectPtr MutationCache::View::Find(std::string_view namespace_name, std::string_view name) const {
  if (!changed_.empty()) {
    if (const auto found = changed_.find(NameOf(namespace_name, name)); found != changed_.end()) return found->second;
  }
  return snapshot_->Find(namespace_name, name);
}

void MutationCache::Assume(ObjectPtr written) { Put(std::move(written), false); }

void MutationCache::AssumeDeleted(ObjectPtr last) { Put(std::move(last), true); }

void MutationCache::Put(ObjectPtr object, bool deleted) {
  const Name name = NameOf(object->namespace_name(), object->name());
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Snapshot> snapshot = source_();
  Sweep(*snapshot);
  bool seen = false;
  if (const auto known = assumptions_.find(name); known != assumptions_.end()) {
    const Object& before = *known->second.object;
    const bool same = before.uid() == object->uid();
    // Responses may arrive out of order. Nothing follows the deletion of the same object.
    if (same && known->second.deleted) return;
    if (Version(before) > Version(*object) && !(same && deleted)) return;
    seen = same && known->second.seen;
  }
  Assumption assumption{std::move(object), deleted, seen, clock_.MonotonicNow() + ttl_};
  if (Holds(assumption, *snapshot)) {
    assumptions_.insert_or_assign(name, std::move(assumption));
  } else {
    assumptions_.erase(name);
  }
}

void MutationCache::Forget(std::string_view namespace_name, std::string_view name) {
  const std::lock_guard lock(mutex_);
  assumptions_.erase(NameOf(namespace_name, name));
}

bool MutationCache::Holds(Assumption& assumption, const Snapshot& snapshot) const {
  const Object& assumed = *assumption.object;
  if (clock_.MonotonicNow() >= assumption.until) return false;
  const ObjectPtr informed = snapshot.Find(assumed.namespace_name(), assumed.name());
  // The informer has not seen the creation yet, or has already seen the deletion.
  if (informed == nullptr) return !assumption.seen;
  // One of the two objects replaced the other.
  if (informed->uid() != assumed.uid()) return !assumption.seen && Version(*informed) < Version(assumed);
  assumption.seen = true;
  return assumption.deleted || Version(*informed) < Version(assumed);
}

void MutationCache::Sweep(const Snapshot& snapshot) {
  for (auto entry = assumptions_.begin(); entry != assumptions_.end();) {
    entry = Holds(entry->second, snapshot) ? std::next(entry) : assumptions_.erase(entry);
  }
}

ObjectPtr MutationCache::Get(std::string_view namespace_name, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Snapshot> snapshot = source_();
  const auto found = assumptions_.find(NameOf(namespace_name, name));
  if (found != assumptions_.end()) {
    if (Holds(found->second, *snapshot)) return found->second.deleted ? nullptr : found->second.object;
    assumptions_.erase(found);
  }
  return snapshot->Find(namespace_name, name);
}

MutationCache::View MutationCache::Take() {
  const std::lock_guard lock(mutex_);
  View view;
  view.snapshot_ = source_();
  Sweep(*view.snapshot_);
  for (const auto& [name, assumption] : assumptions_) view.changed_.emplace(name, assumption.deleted ? nullptr : assumption.object);
  return view;
}

size_t MutationCache::size() {
  const std::lock_guard lock(mutex_);
  Sweep(*source_());
  return assumptions_.size();
}

}  // namespace allot::kube
