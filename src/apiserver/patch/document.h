#pragma once
// A JSON document that can be changed in place. A small change costs only as much as the part that it changes.

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "json/editor.h"

namespace allot::apiserver {

// A value of the document. An unchanged part is still the original immutable value.
struct DocumentNode {
  json::Value value;
  std::unique_ptr<std::map<std::string_view, DocumentNode>> members;  // set for a thawed object
  std::unique_ptr<std::vector<DocumentNode>> items;                   // set for a thawed list
  int height = 0;  // at least the actual height; 0: unknown. Cached so that moving a large part repeatedly stays cheap

  bool IsObject() const { return members != nullptr || (items == nullptr && value.IsObject()); }
  bool IsArray() const { return items != nullptr || (members == nullptr && value.IsArray()); }
};

DocumentNode LeafNode(const json::Value& value);
// Turns the members or items of an object or list into nodes.
void Thaw(DocumentNode& node);
json::Value Freeze(json::Editor& edit, const DocumentNode& node);

// Parses an index into a list of `size` items; a negative index counts from the end. Returns nullopt if it is invalid.
std::optional<size_t> ListIndex(std::string_view text, size_t size);
// Returns the member or item, thawing the container; nullptr if there is none.
DocumentNode* Child(DocumentNode& container, std::string_view key);

// The number of levels: 1 for a scalar.
int HeightOf(DocumentNode& node);
bool Same(const DocumentNode& node, const json::Value& value);
// Adds roughly the size of the value as JSON. Stops soon after `limit` is exceeded.
void CountJsonBytes(const json::Value& value, size_t limit, size_t& bytes);

}  // namespace allot::apiserver
