#include "cel/eval/maps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace allot::cel {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kIndexFrom = 12;  // smaller maps are searched linearly

uint64_t HashOf(const Value& key) {
  uint64_t hash = 0;
  switch (key.kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType: hash = std::hash<std::string_view>()(key.Text()); break;
    case Kind::kBool: hash = key.boolean; break;
    case Kind::kDouble: hash = key.real == 0 ? 0 : key.natural; break;
    case Kind::kNull: break;
    default: hash = key.natural; break;
  }
  return (hash + static_cast<uint64_t>(key.kind)) * 0x9E3779B97F4A7C15ull;
}

// Same kind and value. Lists, maps and other objects must be the same object.
bool SameKey(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType: return a.Text() == b.Text();
    case Kind::kBool: return a.boolean == b.boolean;
    case Kind::kDouble: return a.real == b.real;
    case Kind::kNull: return true;
    case Kind::kTimestamp: return a.integer == b.integer && a.size == b.size && a.zone == b.zone;
    default: return a.natural == b.natural;
  }
}

}  // namespace

uint32_t HashMap::IndexOf(const Value& key, uint64_t hash) const {
  if (bucket_count_ == 0) {
    for (uint32_t i = 0; i < size_; ++i) {
      if (entries_[i].hash == hash && SameKey(entries_[i].key, key)) return i;
    }
    return kNone;
  }
  for (uint64_t bucket = hash >> 32;; ++bucket) {
    const uint32_t entry = buckets_[bucket & (bucket_count_ - 1)];
    if (entry == 0) return kNone;
    if (entries_[entry - 1].hash == hash && SameKey(entries_[entry - 1].key, key)) return entry - 1;
  }
}

void HashMap::Reindex() {
  if (size_ < kIndexFrom) {
    bucket_count_ = 0;
    return;
  }
  if (bucket_count_ < 2 * capacity_) {
    bucket_count_ = 2 * capacity_;
    buckets_ = arena_.Array<uint32_t>(bucket_count_);
  }
  std::fill_n(buckets_, bucket_count_, 0);
  for (uint32_t i = 0; i < size_; ++i) {
    uint64_t bucket = entries_[i].hash >> 32;
    while (buckets_[bucket & (bucket_count_ - 1)] != 0) ++bucket;
    buckets_[bucket & (bucket_count_ - 1)] = i + 1;
  }
}

void HashMap::Put(const Value& key, const Value& value) {
  const uint64_t hash = HashOf(key);
  if (const uint32_t found = IndexOf(key, hash); found != kNone) {
    entries_[found].value = value;
    return;
  }
  const bool grow = size_ == capacity_;
  if (grow) {
    capacity_ = std::max<uint32_t>(4, capacity_ * 2);  // stays a power of two
    Entry* const grown = arena_.Array<Entry>(capacity_);
    std::copy_n(entries_, size_, grown);
    entries_ = grown;
  }
  entries_[size_++] = {key, value, hash};
  if (grow || (bucket_count_ == 0 && size_ >= kIndexFrom)) {
    Reindex();
  } else if (bucket_count_ != 0) {
    uint64_t bucket = hash >> 32;
    while (buckets_[bucket & (bucket_count_ - 1)] != 0) ++bucket;
    buckets_[bucket & (bucket_count_ - 1)] = size_;
  }
}

void HashMap::Remove(const Value& key) {
  const uint32_t found = IndexOf(key, HashOf(key));
  if (found == kNone) return;
  std::move(entries_ + found + 1, entries_ + size_, entries_ + found);
  --size_;
  Reindex();
}

const Value* HashMap::FindExact(const Value& key) const {
  const uint32_t found = IndexOf(key, HashOf(key));
  return found == kNone ? nullptr : &entries_[found].value;
}

bool HashMap::Find(const Value& key, Value* value) const {
  const auto exact = [&](const Value& candidate) {
    const Value* const found = FindExact(candidate);
    if (found != nullptr) *value = *found;
    return found != nullptr;
  };
  if (exact(key)) return true;
  switch (key.kind) {
    case Kind::kDouble: {
      int64_t i = 0;
      uint64_t u = 0;
      if (DoubleToInt(key.real, &i) && static_cast<double>(i) == key.real && exact(Value::Int(i))) return true;
      return DoubleToUint(key.real, &u) && static_cast<double>(u) == key.real && exact(Value::Uint(u));
    }
    case Kind::kInt: return key.integer >= 0 && exact(Value::Uint(static_cast<uint64_t>(key.integer)));
    case Kind::kUint: return key.natural <= static_cast<uint64_t>(INT64_MAX) && exact(Value::Int(static_cast<int64_t>(key.natural)));
    default: return false;
  }
}

Value AttributeToValue(Arena& arena, const model::AttributeValue& value) {
  using K = model::AttributeValue::Kind;
  const auto list = [&](size_t size, auto element) {
    Value* const items = arena.Array<Value>(size);
    for (size_t i = 0; i < size; ++i) items[i] = element(i);
    List* const made = arena.New<List>();
    made->items = items;
    made->size = size;
    return Value::Of(made);
  };
  switch (value.kind) {
    case K::kInt: return Value::Int(value.int_value);
    case K::kBool: return Value::Bool(value.bool_value);
    case K::kString: return Value::String(value.text);
    case K::kVersion: return Value::Of(value.version.get());
    case K::kInts: return list(value.list->ints.size(), [&](size_t i) { return Value::Int(value.list->ints[i]); });
    case K::kBools: return list(value.list->bools.size(), [&](size_t i) { return Value::Bool(value.list->bools[i]); });
    case K::kStrings: return list(value.list->texts.size(), [&](size_t i) { return Value::String(value.list->texts[i]); });
    case K::kVersions: return list(value.list->versions.size(), [&](size_t i) { return Value::Of(&*value.list->versions[i]); });
    case K::kNone: break;
  }
  return Value::Error("unsupported attribute value");
}

namespace {

std::string_view DomainOf(const model::QualifiedName& name, std::string_view driver) { return name.domain.empty() ? driver : name.domain; }

// If a device has both "id" and "driver/id", Kubernetes picks one at random. This picks the last by name.
template <typename Entry>
const Entry* FindEntry(const std::vector<Entry>& entries, std::string_view driver, std::string_view domain, std::string_view id) {
  const Entry* found = nullptr;
  for (const Entry& entry : entries) {
    if (entry.name.id == id && DomainOf(entry.name, driver) == domain) found = &entry;
  }
  return found;
}

class DomainMap final : public Map {
 public:
  DomainMap(Arena& arena, const model::Device& device, std::string_view driver, std::string_view domain, bool capacity)
      : arena_(arena), device_(device), driver_(driver), domain_(domain), capacity_(capacity) {}

  uint64_t size() const override {
    uint64_t size = 0;
    const auto count = [&](const auto& entries) {
      for (const auto& entry : entries) size += DomainOf(entry.name, driver_) == domain_;
    };
    capacity_ ? count(device_.capacity) : count(device_.attributes);
    return size;
  }
  bool IsPartOfDevice() const override { return true; }
  bool Find(const Value& key, Value* value) const override {
    if (!key.Is(Kind::kString)) return false;
    if (capacity_) {
      const model::Quantity* const found = FindCapacity(device_, driver_, domain_, key.Text());
      if (found != nullptr) *value = Value::Of(found);
      return found != nullptr;
    }
    const model::AttributeValue* const found = FindAttribute(device_, driver_, domain_, key.Text());
    if (found != nullptr) *value = AttributeToValue(arena_, *found);
    return found != nullptr;
  }
  Value KeyAt(uint64_t index) const override {
    const auto nth = [&](const auto& entries) {
      for (const auto& entry : entries) {
        if (DomainOf(entry.name, driver_) == domain_ && index-- == 0) return Value::String(entry.name.id);
      }
      return Value::Null();
    };
    return capacity_ ? nth(device_.capacity) : nth(device_.attributes);
  }
  Value ValueAt(uint64_t index) const override {
    Value value;
    Find(KeyAt(index), &value);
    return value;
  }

 private:
  Arena& arena_;
  const model::Device& device_;
  const std::string_view driver_, domain_;
  const bool capacity_;
};

class OuterMap final : public Map {
 public:
  OuterMap(Arena& arena, const model::Device& device, std::string_view driver, bool capacity)
      : arena_(arena), device_(device), driver_(driver), capacity_(capacity) {
    const auto add = [&](const auto& entries) {
      for (const auto& entry : entries) domains_.push_back(DomainOf(entry.name, driver_));
    };
    capacity_ ? add(device_.capacity) : add(device_.attributes);
    std::sort(domains_.begin(), domains_.end());
    domains_.erase(std::unique(domains_.begin(), domains_.end()), domains_.end());
  }

  uint64_t size() const override { return domains_.size(); }
  // A domain that the device lacks is an empty map; only `in` tells the difference.
  bool Find(const Value& key, Value* value) const override {
    *value = Value::Of(NewDomainMap(arena_, device_, driver_, key.Is(Kind::kString) ? key.Text() : std::string_view("\0", 1), capacity_));
    return true;
  }
  bool Contains(const Value& key) const override {
    return key.Is(Kind::kString) && std::find(domains_.begin(), domains_.end(), key.Text()) != domains_.end();
  }
  Value KeyAt(uint64_t index) const override { return Value::String(domains_[index]); }
  Value ValueAt(uint64_t index) const override {
    Value value;
    Find(KeyAt(index), &value);
    return value;
  }

 private:
  Arena& arena_;
  const model::Device& device_;
  const std::string_view driver_;
  const bool capacity_;
  std::vector<std::string_view> domains_;
};

class DeviceMap final : public Map {
 public:
  DeviceMap(Arena& arena, const model::Device& device, std::string_view driver) : arena_(arena), device_(device), driver_(driver) {}

  uint64_t size() const override { return 4; }
  bool Find(const Value& key, Value* value) const override {
    for (uint64_t i = 0; i < 4; ++i) {
      if (!key.Is(Kind::kString) || key.Text() != KeyAt(i).Text()) continue;
      *value = ValueAt(i);
      return true;
    }
    return false;
  }
  Value KeyAt(uint64_t index) const override {
    static constexpr std::string_view kKeys[] = {"allowMultipleAllocations", "attributes", "capacity", "driver"};
    return Value::String(kKeys[index]);
  }
  Value ValueAt(uint64_t index) const override {
    switch (index) {
      case 0: return Value::Bool(device_.allow_multiple_allocations);
      case 1: return Value::Of(NewOuterMap(arena_, device_, driver_, false));
      case 2: return Value::Of(NewOuterMap(arena_, device_, driver_, true));
      default: return Value::String(driver_);
    }
  }

 private:
  Arena& arena_;
  const model::Device& device_;
  const std::string_view driver_;
};

}  // namespace

const model::AttributeValue* FindAttribute(const model::Device& device, std::string_view driver, std::string_view domain,
                                           std::string_view id) {
  const model::Attribute* const found = FindEntry(device.attributes, driver, domain, id);
  return found == nullptr ? nullptr : &found->value;
}

const model::Quantity* FindCapacity(const model::Device& device, std::string_view driver, std::string_view domain, std::string_view id) {
  const model::Capacity* const found = FindEntry(device.capacity, driver, domain, id);
  return found == nullptr ? nullptr : &found->value;
}

const Map* NewDeviceMap(Arena& arena, const model::Device& device, std::string_view driver) {
  return arena.New<DeviceMap>(arena, device, driver);
}

const Map* NewOuterMap(Arena& arena, const model::Device& device, std::string_view driver, bool capacity) {
  return arena.New<OuterMap>(arena, device, driver, capacity);
}

const Map* NewDomainMap(Arena& arena, const model::Device& device, std::string_view driver, std::string_view domain, bool capacity) {
  return arena.New<DomainMap>(arena, device, driver, domain, capacity);
}

}  // namespace allot::cel
