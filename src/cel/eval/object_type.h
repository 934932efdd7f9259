#pragma once
// The types of JSON values declared by a schema, for expressions over them.
//
// ObjectTypes makes them bottom up and owns them. Every object has its own type, even if another has the same fields.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/compile/types.h"

namespace allot::cel {

struct ObjectField {
  std::string_view name;  // in expressions
  std::string_view key;   // in JSON
  const Type* type = nullptr;
};

// How lists are compared and added.
enum class ListRule : uint8_t {
  kAtomic,  // item by item; addition concatenates
  kSet,     // in any order; addition skips existing items
  kMap,     // items are identified by key fields, in any order; addition replaces the item with the same keys
};

// What a schema says about a value beyond its type.
struct Declared {
  uint64_t max_size = 0;  // maximal number of characters, bytes, items or entries
  bool nullable = false;
  std::vector<ObjectField> fields;  // of an object, sorted by key
  std::vector<uint32_t> by_name;    // set by ObjectTypes: indices into fields
  ListRule rule = ListRule::kAtomic;
  std::vector<std::string_view> keys;  // the key fields of ListRule::kMap, as named in expressions

  // Finds by the name in expressions; returns nullptr if there is none.
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

// Sets `name` to the field's name in expressions: "a.b" is a__dot__b, "in" is __in__. Returns false if the field cannot be named.
bool EscapeField(std::string_view key, std::string* name);

}  // namespace allot::cel
