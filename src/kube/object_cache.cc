#include <algorithm>
#include <utility>

#include "kube/informer.h"

namespace allot::kube {
namespace {

size_t ShardOf(std::string_view namespace_name, std::string_view name, size_t shards) {
  const std::hash<std::string_view> hash;
  return (hash(namespace_name) * 31 + hash(name)) % shards;
}

std::pair<std::string_view, std::string_view> NameOf(const ObjectPtr& object) { return {object->namespace_name(), object->name()}; }

template <typename Shard>
auto LowerBound(Shard& shard, std::string_view namespace_name, std::string_view name) {
  return std::lower_bound(shard.begin(), shard.end(), std::pair(namespace_name, name),
                          [](const ObjectPtr& object, const auto& key) { return NameOf(object) < key; });
}

template <typename Shard>
ObjectPtr FindIn(const Shard& shard, std::string_view namespace_name, std::string_view name) {
  const auto at = LowerBound(shard, namespace_name, name);
  return at != shard.end() && NameOf(*at) == std::pair(namespace_name, name) ? *at : nullptr;
}

}  // namespace

ObjectPtr Snapshot::Find(std::string_view namespace_name, std::string_view name) const {
  return FindIn(*shards_[ShardOf(namespace_name, name, kShards)], namespace_name, name);
}

size_t Snapshot::size() const {
  size_t size = 0;
  for (const auto& shard : shards_) size += shard->size();
  return size;
}

std::shared_ptr<const Snapshot> ObjectCache::Take() const {
  const std::lock_guard lock(mutex_);
  if (snapshot_ != nullptr) return snapshot_;
  auto snapshot = std::make_shared<Snapshot>();
  for (size_t i = 0; i < Snapshot::kShards; ++i) {
    if (published_[i] == nullptr) published_[i] = std::make_shared<const Shard>(shards_[i]);
    snapshot->shards_[i] = published_[i];
  }
  snapshot_ = std::move(snapshot);
  return snapshot_;
}

ObjectCache::Place ObjectCache::PlaceOf(std::string_view namespace_name, std::string_view name) {
  const size_t shard = ShardOf(namespace_name, name, Snapshot::kShards);
  const auto at = LowerBound(shards_[shard], namespace_name, name);
  return {shard, at, at != shards_[shard].end() && NameOf(*at) == std::pair(namespace_name, name)};
}

ObjectPtr ObjectCache::Put(ObjectPtr object) {
  const std::lock_guard lock(mutex_);
  const Place place = PlaceOf(object->namespace_name(), object->name());
  published_[place.shard] = nullptr;
  snapshot_ = nullptr;
  if (place.found) return std::exchange(*place.at, std::move(object));
  shards_[place.shard].insert(place.at, std::move(object));
  return nullptr;
}

ObjectPtr ObjectCache::Remove(std::string_view namespace_name, std::string_view name) {
  const std::lock_guard lock(mutex_);
  const Place place = PlaceOf(namespace_name, name);
  if (!place.found) return nullptr;
  published_[place.shard] = nullptr;
  snapshot_ = nullptr;
  ObjectPtr removed = std::move(*place.at);
  shards_[place.shard].erase(place.at);
  return removed;
}

ObjectPtr ObjectCache::Find(std::string_view namespace_name, std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return FindIn(shards_[ShardOf(namespace_name, name, Snapshot::kShards)], namespace_name, name);
}

std::vector<ObjectPtr> ObjectCache::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<ObjectPtr> all;
  for (const Shard& shard : shards_) all.insert(all.end(), shard.begin(), shard.end());
  return all;
}

}  // namespace allot::kube
