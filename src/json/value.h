#pragma once
// JSON as an immutable tree in an arena.
//
// Promises:
//   1. a Value is two words, cheap to copy, and valid as long as its Document (or the Arena that it was built in);
//   2. numbers keep their text: 64-bit integers are exact, and "1.0" is written back as "1.0";
//   3. members keep their order; keys of one object are unique (readers reject a duplicate or let the last one count);
//   4. nothing allocates after building, so any number of threads may read a Document.

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

// "null", "a bool", "a number", "a string", "a list", "an object": the names used in error messages.
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

  // REQUIRES: the kind in the method's name.
  bool AsBool() const { return CHECK(IsBool()), size_ != 0; }
  std::string_view AsString() const { return CHECK(IsString()), std::string_view(chars_, size_); }
  std::string_view NumberText() const { return CHECK(IsNumber()), std::string_view(chars_, size_); }
  std::span<const Value> Items() const { return CHECK(IsArray()), std::span(items_, size_); }
  std::span<const Member> Members() const;

  // The number if it has no fraction or exponent and fits, else nullopt. REQUIRES: IsNumber().
  std::optional<int64_t> AsInt64() const;
  double AsDouble() const;

  // Returns the member `key`, or the null value if it is missing or this is not an object.
  const Value& operator[](std::string_view key) const;
  // Returns the member or nullptr. REQUIRES: IsObject().
  const Value* Find(std::string_view key) const;

 private:
  friend class Builder;
  friend class Editor;

  Kind kind_ = Kind::kNull;
  uint32_t size_ = 0;  // number of bytes, items or members; for a bool, its value
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

// The items of a list; none if the value is not a list.
inline std::span<const Value> ItemsOf(const Value& value) { return value.IsArray() ? value.Items() : std::span<const Value>(); }
// The members of an object; none if the value is not an object.
inline std::span<const Member> MembersOf(const Value& value) { return value.IsObject() ? value.Members() : std::span<const Member>(); }
// The text of a string; empty if the value is not a string.
inline std::string_view TextOf(const Value& value) { return value.IsString() ? value.AsString() : std::string_view(); }
// False if the value is not a boolean.
inline bool IsTrue(const Value& value) { return value.IsBool() && value.AsBool(); }

// Compares as JSON: members in any order, numbers by value if both are 64-bit integers, else by text and as doubles.
bool Equal(const Value& a, const Value& b);

// The nesting depth: 0 for a scalar, 1 for a list of scalars.
size_t DepthOf(const Value& value);

// A tree and the arena that it lives in.
class Document {
 public:
  Document() : arena_(std::make_unique<Arena>()) {}
  Document(std::unique_ptr<Arena> arena, Value root) : arena_(std::move(arena)), root_(root) {}
  // The same arena with another root, which lives in it.
  Document(Document document, Value root) : arena_(std::move(document.arena_)), root_(root) {}

  const Value& root() const { return root_; }
  // Allocate here what is derived from the tree and must live as long.
  Arena& arena() { return *arena_; }

 private:
  std::unique_ptr<Arena> arena_;
  Value root_;
};
// Keeps the tree alive for views of its text.
using DocumentPtr = std::shared_ptr<const Document>;

}  // namespace allot::json
