#pragma once
// Values as server-side apply sees them: scalars, lists and maps, each taken as a whole (atomic) or item by item, as its type says.
//
// What is in a value of no known type (Shape::kAny) is deduced from it: lists are atomic, maps are not. Values that do not fit their type
// are taken as empty, never followed.

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
  const Field* field = nullptr;  // that it is the value of; nullptr: an item of a list or map, or the object itself

  explicit operator bool() const { return type != nullptr; }

  // The place of a member. Not in the schema where the type does not know it and keeps no unknown ones.
  ValuePlace Member(std::string_view name) const;
  // The same, quicker where they are asked for in the order of the type; see Type::Find.
  ValuePlace Member(std::string_view name, size_t& next) const;
  ValuePlace Item() const;
  // Whether the type names this member: those of maps are not.
  bool Names(std::string_view name) const { return type->shape == Shape::kStruct && type->Find(name) != nullptr; }
  // How the list here is merged: its field says so, else its type.
  Merge ListMerge() const { return field != nullptr ? field->merge : type->merge; }
  const std::vector<std::string>& ListKeys() const { return field != nullptr ? field->keys : type->keys; }
};

enum class ValueForm : uint8_t { kScalar, kList, kMap };

// How a value at the place is handled; `value` may be nullptr.
ValueForm FormOf(const ValuePlace& place, const json::Value* value);
// Whether a list or map at the place has one owner.
bool IsAtomic(const ValuePlace& place, ValueForm form);

// What tells an item of a list apart, at the place of the list. Nothing where it has no key, or cannot have one. REQUIRES a list that is
// not atomic.
std::optional<PathElement> ElementOf(json::Editor& edit, const ValuePlace& list, const json::Value& item);

// An item of a list with its element.
struct KeyedItem {
  PathElement element;
  const json::Value* value = nullptr;
};
// Items without element are left out.
std::vector<KeyedItem> KeyedItems(json::Editor& edit, const ValuePlace& list, std::span<const json::Value> items);

// Members of an object by name; quick where they are asked for in their order.
class MemberFinder {
 public:
  explicit MemberFinder(std::span<const json::Member> members) : members_(members) {}
  const json::Value* Find(std::string_view name);

 private:
  std::span<const json::Member> members_;
  size_t next_ = 0;
  std::vector<const json::Member*> sorted_;  // only when it was needed
};

// Every field of the value, those of lists and maps included.
FieldSet FieldsOf(json::Editor& edit, const ValuePlace& place, const json::Value& value);
// The set with those fields that the type names and that have members of the set in them.
FieldSet WithNamedFields(json::Editor& edit, const ValuePlace& place, const FieldSet& set);
// The set as it has to be where a place has become atomic since it was written.
FieldSet Reconciled(json::Editor& edit, const ValuePlace& place, const FieldSet& set);

// The first thing that keeps `value` from being of the type: an undeclared field, a wrong kind, two items with one key. Empty: nothing.
// `.spec.x: field not declared in schema`
enum class DuplicateItems : uint8_t { kRefused, kAllowed };
std::string WhatIsWrong(json::Editor& edit, const ValuePlace& place, const json::Value& value,
                        DuplicateItems duplicates = DuplicateItems::kRefused);

// What the object is before it is created: what Go writes even of an empty one.
json::Value ObjectBeforeCreate(json::Editor& edit, const Type& type);

}  // namespace allot::apiserver
