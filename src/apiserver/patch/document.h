#pragma once
// A JSON document that can be changed in place: many small changes cost no more than what they change.

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "json/editor.h"

namespace allot::apiserver {

// A value of the document. What no change has touched is still the immutable value that it was.
struct DocumentNode {
  json::Value value;
  std::unique_ptr<std::map<std::string_view, DocumentNode>> members;  // of an object that was thawed
  std::unique_ptr<std::vector<DocumentNode>> items;                   // of a list that was
  int height = 0;  // at least that of what is in it; 0: not known. Kept, so that moving a large part again and again stays cheap.

  bool IsObject() const { return members != nullptr || (items == nullptr && value.IsObject()); }
  bool IsArray() const { return items != nullptr || (members == nullptr && value.IsArray()); }
};

DocumentNode LeafNode(const json::Value& value);
// Makes the members or items of an object or list nodes of their own.
void Thaw(DocumentNode& node);
json::Value Freeze(json::Editor& edit, const DocumentNode& node);

// An index of a list with `size` items; one below zero counts from the end. Nothing where the text is none.
std::optional<size_t> ListIndex(std::string_view text, size_t size);
// The member or item, thawing the container; nullptr where there is none.
DocumentNode* Child(DocumentNode& container, std::string_view key);

// The levels of the value: 1 for a scalar.
int HeightOf(DocumentNode& node);
bool Same(const DocumentNode& node, const json::Value& value);
// Adds about the bytes that the value takes as JSON; stops soon after `limit` is passed.
void CountJsonBytes(const json::Value& value, size_t limit, size_t& bytes);

}  // namespace allot::apiserver
