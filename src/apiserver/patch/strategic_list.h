#pragma once
// The lists of a strategic merge patch: which items are the same, and their final order.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "json/value.h"

namespace allot::apiserver {

// Two items are the same if they have the same `key` (objects) or are equal (scalars; `key` is empty).
class ItemIndex {
 public:
  explicit ItemIndex(std::string_view key) : key_(key) {}

  // Returns kInvalid if the item has no key, or one that is not a scalar.
  Result<std::string> IdOf(const json::Value& item) const;
  // Appends the items. Of several with one identity the first counts.
  Status Add(std::span<const json::Value> items);
  std::optional<size_t> Find(const std::string& id) const;

 private:
  std::string_view key_;
  std::unordered_map<std::string, size_t> first_;
  size_t size_ = 0;
};

// Orders merged items: those in `wanted` in its order, the others in the order of `live`, each before the first wanted item that follows it
// there.
Result<std::vector<json::Value>> InOrder(std::span<const json::Value> merged, std::span<const json::Value> wanted,
                                         std::span<const json::Value> live, std::string_view key);

// Returns whether the items are objects; nullopt if there are none. Refuses lists of lists (422) and items of different kinds.
Result<std::optional<bool>> ItemsAreObjects(std::span<const json::Value> a, std::span<const json::Value> b);

}  // namespace allot::apiserver
