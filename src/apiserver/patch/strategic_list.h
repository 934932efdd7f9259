#pragma once
// The lists of a strategic merge patch: which items are the same, and in which order they end up.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "json/value.h"

namespace allot::apiserver {

// Items are the same where their `key` (of objects) or they themselves (scalars; `key` is empty) are.
class ItemIndex {
 public:
  explicit ItemIndex(std::string_view key) : key_(key) {}

  // kInvalid where the item has no key, or one that is no scalar.
  Result<std::string> IdOf(const json::Value& item) const;
  // Adds the items behind those that were added before; of several with one identity the first counts.
  Status Add(std::span<const json::Value> items);
  std::optional<size_t> Find(const std::string& id) const;

 private:
  std::string_view key_;
  std::unordered_map<std::string, size_t> first_;
  size_t size_ = 0;
};

// Puts merged items into order: those that `wanted` lists in its order; the others keep the order of `live`, each placed before the first
// of the wanted ones that stands behind it there.
Result<std::vector<json::Value>> InOrder(std::span<const json::Value> merged, std::span<const json::Value> wanted,
                                         std::span<const json::Value> live, std::string_view key);

// Whether the items are objects; nothing where there are no items. Refuses lists of lists (422) and items of different kinds.
Result<std::optional<bool>> ItemsAreObjects(std::span<const json::Value> a, std::span<const json::Value> b);

}  // namespace allot::apiserver
