#pragma once
// The types of JSON values that a schema declares, for expressions that look at them.
//
// Made bottom up with ObjectTypes, which owns them. An object is a type of its own even where another one has the same fields.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types.h"

namespace allot::cel {

struct ObjectField {
  std::string_view name;  // in expressions
  std::string_view key;   // in JSON
  const Type* type = nullptr;
};

// How two lists are compared and added.
enum class ListRule : uint8_t {
  kAtomic,  // item by item, one behind the other
  kSet,     // in any order; what is there already is not added again
  kMap,     // items are told apart by some of their fields, in any order; an item replaces the one with the same keys
};

// What a schema says of a value beyond its type.
struct Declared {
  uint64_t max_size = 0;  // how many characters, bytes, items or entries it may have
  bool nullable = false;
  std::vector<ObjectField> fields;  // of an object, sorted by key
  std::vector<uint32_t> by_name;    // ObjectTypes' own: into fields
  ListRule rule = ListRule::kAtomic;
  std::vector<std::string_view> keys;  // of ListRule::kMap, as they are called in expressions

  // By the name in expressions; nullptr where there is none.
  const ObjectField* Find(std::string_view name) const;
  const ObjectField* FindKey(std::string_view key) const;
};

class ObjectTypes {
 public:
  // kBool, kInt, kDouble, kString, kBytes, kDuration, kTimestamp; kDyn: an integer or a text.
  const Type* Scalar(Type::Kind kind, Declared declared);
  const Type* List(const Type* element, Declared declared);
  const Type* Map(const Type* element, Declared declared);
  const Type* Object(Declared declared);

  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  const Type* Make(const Type& like, Declared declared);

  TypePool pool_;
  std::deque<Type> types_;
  std::deque<Declared> declared_;
  std::deque<std::string> texts_;
};

// How a field is called in expressions: "a.b" is a__dot__b, "in" is __in__. False for what has no such name.
bool EscapeField(std::string_view key, std::string* name);

}  // namespace allot::cel
