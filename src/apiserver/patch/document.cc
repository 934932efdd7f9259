#include "apiserver/patch/document.h"

#include "apiserver/json_names.h"

#include <algorithm>
#include <charconv>

namespace allot::apiserver {

using json::Member;

DocumentNode LeafNode(const Value& value) {
  DocumentNode node;
  node.value = value;
  return node;
}

void Thaw(DocumentNode& node) {
  if (node.members != nullptr || node.items != nullptr) return;
  if (node.value.IsObject()) {
    node.members = std::make_unique<std::map<std::string_view, DocumentNode>>();
    for (const Member& member : node.value.Members()) node.members->emplace(member.key, LeafNode(member.value));
  } else if (node.value.IsArray()) {
    node.items = std::make_unique<std::vector<DocumentNode>>();
    node.items->reserve(node.value.Items().size());
    for (const Value& item : node.value.Items()) node.items->push_back(LeafNode(item));
  }
}

Value Freeze(Editor& edit, const DocumentNode& node) {
  if (node.members != nullptr) {
    std::vector<Member> members;
    for (const auto& [key, child] : *node.members) members.push_back({key, Freeze(edit, child)});
    return edit.Object(members);
  }
  if (node.items != nullptr) {
    std::vector<Value> items;
    for (const DocumentNode& child : *node.items) items.push_back(Freeze(edit, child));
    return edit.Array(items);
  }
  return node.value;
}

namespace {

int HeightOf(const Value& value) {
  int inner = 0;
  for (const Member& member : json::MembersOf(value)) inner = std::max(inner, HeightOf(member.value));
  for (const Value& item : json::ItemsOf(value)) inner = std::max(inner, HeightOf(item));
  return inner + 1;
}

}  // namespace

int HeightOf(DocumentNode& node) {
  if (node.height > 0) return node.height;
  int inner = 0;
  if (node.members != nullptr) {
    for (auto& [key, child] : *node.members) inner = std::max(inner, HeightOf(child));
    node.height = inner + 1;
  } else if (node.items != nullptr) {
    for (DocumentNode& child : *node.items) inner = std::max(inner, HeightOf(child));
    node.height = inner + 1;
  } else {
    node.height = HeightOf(node.value);
  }
  return node.height;
}

bool Same(const DocumentNode& node, const Value& value) {
  if (node.members != nullptr) {
    if (!value.IsObject() || value.Members().size() != node.members->size()) return false;
    return std::all_of(value.Members().begin(), value.Members().end(), [&](const Member& member) {
      const auto found = node.members->find(member.key);
      return found != node.members->end() && Same(found->second, member.value);
    });
  }
  if (node.items != nullptr) {
    return value.IsArray() && std::equal(node.items->begin(), node.items->end(), value.Items().begin(), value.Items().end(), Same);
  }
  return json::Equal(node.value, value);
}

void CountJsonBytes(const Value& value, size_t limit, size_t& bytes) {
  bytes += 1;
  if (value.IsString()) bytes += value.AsString().size() + 2;
  if (value.IsNumber()) bytes += value.NumberText().size();
  for (const Member& member : json::MembersOf(value)) {
    if (bytes > limit) return;
    bytes += member.key.size() + 4;
    CountJsonBytes(member.value, limit, bytes);
  }
  for (const Value& item : json::ItemsOf(value)) {
    if (bytes > limit) return;
    CountJsonBytes(item, limit, bytes);
  }
}

std::optional<size_t> ListIndex(std::string_view text, size_t size) {
  int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto length = static_cast<int64_t>(size);
  if (index < -length || index >= length) return std::nullopt;
  return static_cast<size_t>(index < 0 ? index + length : index);
}

DocumentNode* Child(DocumentNode& container, std::string_view key) {
  Thaw(container);
  if (container.members != nullptr) {
    const auto found = container.members->find(key);
    return found == container.members->end() ? nullptr : &found->second;
  }
  if (container.items == nullptr) return nullptr;
  const auto index = ListIndex(key, container.items->size());
  return index ? &(*container.items)[*index] : nullptr;
}

}  // namespace allot::apiserver
