#pragma once
// Values as server-side apply sees them: scalars, lists and maps. Its type decides whether a value is owned as a whole (atomic) or item by
// item.
//
// For a value without a known type (Shape::kAny) this is deduced: lists are atomic, maps are not. A value that does not fit its type is
// treated as empty.

#include <optional>
#include <string>
#include <vector>

#include "apiserver/patch/field_set.h"
#include "apiserver/schema/type.h"
#include "json/editor.h"

namespace allot::apiserver {

// A place in an object.
struct ValuePlace {
  const Type* type = nullptr;    // nullptr: not in the schema
  const Field* field = nullptr;  // the field that has the value; nullptr: an item of a list or map, or the object itself

  explicit operator bool() const { return type != nullptr; }

  // Returns the place of a member; empty if the type neither declares it nor preserves unknown fields.
  ValuePlace Member(std::string_view name) const;
  // The same, faster if members are asked for in the order of the type; see Type::Find.
  ValuePlace Member(std::string_view name, size_t& next) const;
  ValuePlace Item() const;
  // Whether the type declares this member. Maps declare none.
  bool Names(std::string_view name) const { return type->shape == Shape::kStruct && type->Find(name) != nullptr; }
  // How the list is merged: as its field says, else as its type says.
  Merge ListMerge() const { return field != nullptr ? field->merge : type->merge; }
  const std::vector<std::string>& ListKeys() const { return field != nullptr ? field->keys : type->keys; }
};

enum class ValueForm : uint8_t { kScalar, kList, kMap };

// How a value at the place is handled; `value` may be nullptr.
ValueForm FormOf(const ValuePlace& place, const json::Value* value);
// Whether a list or map at the place has a single owner.
bool IsAtomic(const ValuePlace& place, ValueForm form);

// Returns the element that identifies an item of the list. Returns nullopt if the item has no key, or cannot have one. REQUIRES: the list
// is not atomic.
std::optional<PathElement> ElementOf(json::Editor& edit, const ValuePlace& list, const json::Value& item);

// An item of a list with its element.
struct KeyedItem {
  PathElement element;
  const json::Value* value = nullptr;
};
// Skips items without an element.
std::vector<KeyedItem> KeyedItems(json::Editor& edit, const ValuePlace& list, std::span<const json::Value> items);

// Finds members of an object by name; fast if they are asked for in order.
class MemberFinder {
 public:
  explicit MemberFinder(std::span<const json::Member> members) : members_(members) {}
  const json::Value* Find(std::string_view name);

 private:
  std::span<const json::Member> members_;
  size_t next_ = 0;
  std::vector<const json::Member*> sorted_;  // made when first needed
};

// Returns every field of the value, including those in lists and maps.
FieldSet FieldsOf(json::Editor& edit, const ValuePlace& place, const json::Value& value);
// Adds the declared fields that contain members of the set.
FieldSet WithNamedFields(json::Editor& edit, const ValuePlace& place, const FieldSet& set);
// Adapts the set to places that became atomic after it was written.
FieldSet Reconciled(json::Editor& edit, const ValuePlace& place, const FieldSet& set);

// Returns the first reason why `value` is not of the type: an undeclared field, a wrong kind, two items with one key. Empty if it is.
// `.spec.x: field not declared in schema`
enum class DuplicateItems : uint8_t { kRefused, kAllowed };
std::string WhatIsWrong(json::Editor& edit, const ValuePlace& place, const json::Value& value,
                        DuplicateItems duplicates = DuplicateItems::kRefused);

// Returns the object before it is created: the fields that Go writes even if they are empty.
json::Value ObjectBeforeCreate(json::Editor& edit, const Type& type);

}  // namespace allot::apiserver
