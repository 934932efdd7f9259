#include "apiserver/store/history.h"

#include <algorithm>
#include <mutex>

namespace allot::apiserver {

void History::Load(EntryPtr entry) {
  const std::unique_lock lock(mutex_);
  Entries& entries = collections_[entry->key.resource].entries;
  entries[{entry->key.space, entry->key.name}] = std::move(entry);
}

void History::Begin(uint64_t version) {
  const std::unique_lock lock(mutex_);
  begin_ = version_ = version;
  for (auto& [resource, collection] : collections_) collection.begin = version;
}

void History::BeginHistory(std::string_view resource) {
  const std::unique_lock lock(mutex_);
  Collection& collection = collections_[std::string(resource)];
  collection.changes.clear();
  collection.begin = version_;
}

void History::ApplyOne(const ChangePtr& change) {
  const Key& key = change->after->key;
  const auto [place, made] = collections_.try_emplace(key.resource);
  Collection& collection = place->second;
  if (made) collection.begin = begin_;
  if (change->deleted) {
    if (const auto found = collection.entries.find(Name(key.space, key.name)); found != collection.entries.end()) {
      collection.entries.erase(found);
    }
  } else {
    collection.entries[{key.space, key.name}] = change->after;
  }
  collection.changes.push_back(change);
  changes_.push_back(change);
  bytes_ += Weight(*change);
  version_ = change->version;
}

void History::Apply(const std::vector<ChangePtr>& changes) {
  const std::unique_lock lock(mutex_);
  for (const ChangePtr& change : changes) ApplyOne(change);
  Forget();
}

void History::Forget() {
  while (changes_.size() > max_changes_ || (bytes_ > max_bytes_ && !changes_.empty())) {
    const ChangePtr oldest = changes_.front();
    changes_.pop_front();
    bytes_ -= Weight(*oldest);
    begin_ = oldest->version;
    Collection& collection = collections_[oldest->after->key.resource];
    if (!collection.changes.empty() && collection.changes.front() == oldest) {
      collection.changes.pop_front();
      collection.begin = oldest->version;
    }
  }
}

EntryPtr History::Get(const Key& key) const {
  const std::shared_lock lock(mutex_);
  const auto collection = collections_.find(key.resource);
  if (collection == collections_.end()) return nullptr;
  const auto found = collection->second.entries.find(std::pair<std::string_view, std::string_view>(key.space, key.name));
  return found == collection->second.entries.end() ? nullptr : found->second;
}

uint64_t History::version() const {
  const std::shared_lock lock(mutex_);
  return version_;
}

std::pair<History::Entries::const_iterator, History::Entries::const_iterator> History::Range(const Entries& entries,
                                                                                             std::string_view space) {
  if (space.empty()) return {entries.begin(), entries.end()};
  const std::string next = std::string(space) + '\0';  // the smallest text above it
  return {entries.lower_bound(std::pair(space, std::string_view())),
          entries.lower_bound(std::pair(std::string_view(next), std::string_view()))};
}

Snapshot History::List(std::string_view resource, std::string_view space) const {
  const std::shared_lock lock(mutex_);
  Snapshot snapshot;
  snapshot.version = version_;
  const auto collection = collections_.find(std::string(resource));
  if (collection == collections_.end()) return snapshot;
  const auto [begin, end] = Range(collection->second.entries, space);
  if (space.empty()) snapshot.entries.reserve(collection->second.entries.size());
  for (auto entry = begin; entry != end; ++entry) snapshot.entries.push_back(entry->second);
  return snapshot;
}

// Undoes the changes since, latest first.
Result<Snapshot> History::ListAt(std::string_view resource, std::string_view space, uint64_t version) const {
  const std::shared_lock lock(mutex_);
  if (version > version_) return Unavailable("version ", version, " does not exist yet; the latest is ", version_);
  Snapshot snapshot;
  snapshot.version = version;
  const auto collection = collections_.find(std::string(resource));
  if (collection == collections_.end()) return snapshot;
  if (version < collection->second.begin) return allot::NotFound("version ", version, " is forgotten");
  const auto [begin, end] = Range(collection->second.entries, space);
  Entries entries(begin, end);
  const std::deque<ChangePtr>& changes = collection->second.changes;
  for (auto change = changes.rbegin(); change != changes.rend() && (*change)->version > version; ++change) {
    const Key& key = (*change)->after->key;
    if (!space.empty() && key.space != space) continue;
    if ((*change)->before == nullptr) {
      entries.erase(Name(key.space, key.name));
    } else {
      entries[{key.space, key.name}] = (*change)->before;
    }
  }
  for (auto& [name, entry] : entries) snapshot.entries.push_back(std::move(entry));
  return snapshot;
}

Result<std::vector<ChangePtr>> History::ChangesSince(std::string_view resource, uint64_t version, size_t most) const {
  const std::shared_lock lock(mutex_);
  const std::deque<ChangePtr>* changes = &changes_;
  uint64_t begin = begin_;
  if (!resource.empty()) {
    const auto collection = collections_.find(std::string(resource));
    if (collection != collections_.end()) {
      changes = &collection->second.changes;
      begin = collection->second.begin;
    } else {
      changes = nullptr;
    }
  }
  if (version < begin) return allot::NotFound("version ", version, " is forgotten");
  std::vector<ChangePtr> found;
  if (changes == nullptr) return found;
  const auto first =
      std::partition_point(changes->begin(), changes->end(), [&](const ChangePtr& change) { return change->version <= version; });
  found.assign(first, first + static_cast<ptrdiff_t>(std::min(most, static_cast<size_t>(changes->end() - first))));
  return found;
}

}  // namespace allot::apiserver
