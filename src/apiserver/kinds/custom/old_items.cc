#include "apiserver/kinds/custom/old_items.h"

#include <optional>
#include <string>
#include <unordered_map>

#include "apiserver/json_names.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

// Returns nullopt if a key is missing or not a scalar.
std::optional<std::string> KeyOf(const CustomSchema& schema, const Value& item) {
  if (!item.IsObject()) return std::nullopt;
  std::string text;
  for (const std::string& key : schema.list_keys) {
    const Value& value = item[key];
    if (value.IsNull() || value.IsArray() || value.IsObject()) return std::nullopt;
    const std::string written = json::Write(value);
    text += StrCat(written.size(), ":", written);
  }
  return text;
}

}  // namespace

struct OldItems::Index {
  const CustomSchema& schema;
  std::unordered_map<std::string, const Value*> items;
};

OldItems::OldItems(const CustomSchema& schema, const Value* old) {
  if (old == nullptr || !old->IsArray() || schema.list_type != "map" || schema.list_keys.empty()) return;
  index_ = std::make_unique<Index>(Index{schema, {}});
  for (const Value& item : old->Items()) {
    if (auto key = KeyOf(schema, item)) index_->items.try_emplace(*std::move(key), &item);
  }
}
OldItems::~OldItems() = default;

const Value* OldItems::Find(const Value& item) const {
  if (index_ == nullptr) return nullptr;
  const auto key = KeyOf(index_->schema, item);
  const auto found = key ? index_->items.find(*key) : index_->items.end();
  return found == index_->items.end() ? nullptr : found->second;
}

}  // namespace allot::apiserver
