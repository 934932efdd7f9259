#pragma once
// Changes to trees that cannot be changed: each call returns a new value that shares whatever stayed the same with the old one.
//
//   Editor edit(arena);
//   pod = edit.SetAt(pod, {"spec", "nodeName"}, edit.String("n1"));
//
// What is passed in must live as long as the arena. The cost of a call is the number of members along its path.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace allot::json {

class Editor {
 public:
  explicit Editor(Arena& arena) : arena_(arena) {}

  Arena& arena() { return arena_; }

  Value Bool(bool value);
  Value Int(int64_t value);
  Value Number(std::string_view text);   // REQUIRES a JSON number
  Value String(std::string_view text);   // copied
  Value Literal(std::string_view text);  // a string that is not copied: the text must outlive the arena
  Value Array(std::span<const Value> items);
  Value Array(std::initializer_list<Value> items) { return Array(std::span(items.begin(), items.size())); }
  // Keys are not copied; they must be unique.
  Value Object(std::span<const Member> members);
  Value Object(std::initializer_list<Member> members) { return Object(std::span(members.begin(), members.size())); }
  // A copy of `value` that needs no other arena.
  Value Copy(const Value& value);
  std::string_view CopyText(std::string_view text);

  // The object with `key` set to `value`: in its place where it has one, else at the end. What is no object counts as an empty one.
  // The key is not copied.
  Value Set(const Value& object, std::string_view key, const Value& value);
  // The object without `key`; the same where it has none, or is no object.
  Value Without(const Value& object, std::string_view key);
  // The same along a path of keys. SetAt makes objects where there are none; WithoutAt leaves the object that it took the key from, even
  // when that is empty then.
  Value SetAt(const Value& object, std::initializer_list<std::string_view> path, const Value& value);
  Value WithoutAt(const Value& object, std::initializer_list<std::string_view> path);
  // Sets `key` unless it is there and not null.
  Value SetDefault(const Value& object, std::string_view key, const Value& value);

  // What is no list counts as an empty one.
  Value Append(const Value& array, const Value& item);

  // The list with each item replaced by change(item); the same value where none changed. What is no list is returned as it is.
  template <typename Change>
  Value Map(const Value& array, Change change) {
    if (!array.IsArray()) return array;
    std::vector<Value> items(array.Items().begin(), array.Items().end());
    for (Value& item : items) item = change(item);
    return Array(items);
  }

 private:
  Value Text(Kind kind, std::string_view text, bool copy);
  Value SetPath(const Value& object, std::span<const std::string_view> path, const Value* value);

  Arena& arena_;
};

// The items of a list; none where the value is no list.
inline std::span<const Value> ItemsOf(const Value& value) { return value.IsArray() ? value.Items() : std::span<const Value>(); }
// The members of an object; none where the value is none.
inline std::span<const Member> MembersOf(const Value& value) { return value.IsObject() ? value.Members() : std::span<const Member>(); }
// The text; empty where the value is none.
inline std::string_view TextOf(const Value& value) { return value.IsString() ? value.AsString() : std::string_view(); }

}  // namespace allot::json
