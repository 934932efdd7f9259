#pragma once
// The maps of expressions: maps made by an expression, and views of a device.

#include <cstdint>

#include "cel/eval/value.h"
#include "model/device.h"

namespace allot::cel {

// Whether Kubernetes can use the value as a map key. It cannot use a value that holds a Go slice.
inline bool CanBeKey(const Value& value) { return value.kind != Kind::kBytes && value.kind != Kind::kSemver; }

// A map made by an expression. Keeps the order of insertion.
class HashMap final : public Map {
 public:
  explicit HashMap(Arena& arena) : arena_(arena) {}

  // Replaces the value of an equal key of the same kind. REQUIRES: CanBeKey(key).
  void Put(const Value& key, const Value& value);
  void Remove(const Value& key);

  uint64_t size() const override { return size_; }
  bool Find(const Value& key, Value* value) const override;
  Value KeyAt(uint64_t index) const override { return entries_[index].key; }
  Value ValueAt(uint64_t index) const override { return entries_[index].value; }

  // Returns the value of a key of exactly this kind, or nullptr.
  const Value* FindExact(const Value& key) const;

 private:
  struct Entry {
    Value key, value;
    uint64_t hash;
  };

  uint32_t IndexOf(const Value& key, uint64_t hash) const;
  void Reindex();

  Arena& arena_;
  Entry* entries_ = nullptr;
  uint32_t* buckets_ = nullptr;  // entry number + 1, open addressing; only for larger maps
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
  uint32_t bucket_count_ = 0;
};

// Converts an attribute. REQUIRES: IsUsable(value).
Value AttributeToValue(Arena& arena, const model::AttributeValue& value);

// Views of a device as maps: device, device.attributes, device.attributes["d"], and the same for capacity.
const Map* NewDeviceMap(Arena& arena, const model::Device& device, std::string_view driver);
const Map* NewOuterMap(Arena& arena, const model::Device& device, std::string_view driver, bool capacity);
const Map* NewDomainMap(Arena& arena, const model::Device& device, std::string_view driver, std::string_view domain, bool capacity);

// Return nullptr if the device has none of that name.
const model::AttributeValue* FindAttribute(const model::Device& device, std::string_view driver, std::string_view domain,
                                           std::string_view id);
const model::Quantity* FindCapacity(const model::Device& device, std::string_view driver, std::string_view domain, std::string_view id);

}  // namespace allot::cel
