#pragma once
// JSON as an immutable tree in an arena.
//
// Promises:
//   1. a Value is two words, copied freely, valid as long as its Document (or the Arena that it was built in);
//   2. numbers keep the text they were written with: 64-bit integers are exact, and writing gives back "1.0" for "1.0";
//   3. members keep their order; keys of one object are unique (a duplicate is refused when reading, or the last one counts);
//   4. nothing here allocates after building, so a Document may be read by any number of threads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"

namespace allot::json {

using Arena = std::pmr::monotonic_buffer_resource;

enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// "null", "a bool", "a number", "a string", "a list", "an object": the words that error messages use.
std::string_view KindName(Kind kind);

struct Member;

class Value {
 public:
  constexpr Value() = default;  // null

  Kind kind() const { return kind_; }
  bool IsNull() const { return kind_ == Kind::kNull; }
  bool IsBool() const { return kind_ == Kind::kBool; }
  bool IsNumber() const { return kind_ == Kind::kNumber; }
  bool IsString() const { return kind_ == Kind::kString; }
  bool IsArray() const { return kind_ == Kind::kArray; }
  bool IsObject() const { return kind_ == Kind::kObject; }

  // REQUIRES the kind that the name says.
  bool AsBool() const { return CHECK(IsBool()), size_ != 0; }
  std::string_view AsString() const { return CHECK(IsString()), std::string_view(chars_, size_); }
  std::string_view NumberText() const { return CHECK(IsNumber()), std::string_view(chars_, size_); }
  std::span<const Value> Items() const { return CHECK(IsArray()), std::span(items_, size_); }
  std::span<const Member> Members() const;

  // A number without fraction or exponent that fits; nothing otherwise. REQUIRES IsNumber().
  std::optional<int64_t> AsInt64() const;
  double AsDouble() const;

  // The member `key`, or null (the value) where there is none or this is not an object.
  const Value& operator[](std::string_view key) const;
  // The member, or nullptr. REQUIRES IsObject().
  const Value* Find(std::string_view key) const;

 private:
  friend class Builder;
  friend class Editor;

  Kind kind_ = Kind::kNull;
  uint32_t size_ = 0;  // bytes, items or members; of a bool: its value
  union {
    const char* chars_ = nullptr;
    const Value* items_;
    const Member* members_;
  };
};

struct Member {
  std::string_view key;
  Value value;
};

// Same JSON: members in any order, numbers by their value where both are 64-bit integers, else by text and double.
bool Equal(const Value& a, const Value& b);

// How many lists and objects are within one another: 0 for a text, 1 for a list of texts.
size_t DepthOf(const Value& value);

// A tree together with the arena that it lives in.
class Document {
 public:
  Document() : arena_(std::make_unique<Arena>()) {}
  Document(std::unique_ptr<Arena> arena, Value root) : arena_(std::move(arena)), root_(root) {}

  const Value& root() const { return root_; }
  // For what is derived from the tree and should live as long.
  Arena& arena() { return *arena_; }

 private:
  std::unique_ptr<Arena> arena_;
  Value root_;
};

}  // namespace allot::json
