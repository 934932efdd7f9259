#pragma once
// Edits immutable trees: each call returns a new value that shares every unchanged part with the old one.
//
//   Editor edit(arena);
//   pod = edit.SetAt(pod, {"spec", "nodeName"}, edit.String("n1"));
//
// Values passed in must live as long as the arena. A call costs as much as there are members along its path.

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
  Value Number(std::string_view text);   // REQUIRES: a JSON number
  Value String(std::string_view text);   // copied
  Value Literal(std::string_view text);  // a string that is not copied: the text must outlive the arena
  Value Array(std::span<const Value> items);
  Value Array(std::initializer_list<Value> items) { return Array(std::span(items.begin(), items.size())); }
  // Keys are not copied; they must be unique.
  Value Object(std::span<const Member> members);
  Value Object(std::initializer_list<Member> members) { return Object(std::span(members.begin(), members.size())); }
  // Returns a copy that lives in this arena alone.
  Value Copy(const Value& value);
  std::string_view CopyText(std::string_view text);

  // Returns the object with `key` set to `value`, in place if the key exists, else at the end. A value that is not an object counts as an
  // empty one. The key is not copied.
  Value Set(const Value& object, std::string_view key, const Value& value);
  // Returns the object without `key`. Returns the value itself if it lacks the key or is not an object.
  Value Without(const Value& object, std::string_view key);
  // The same along a path of keys. SetAt creates missing objects. WithoutAt keeps the object that held the key even if it becomes empty.
  Value SetAt(const Value& object, std::initializer_list<std::string_view> path, const Value& value);
  Value WithoutAt(const Value& object, std::initializer_list<std::string_view> path);
  // Sets `key` if it is missing or null.
  Value SetDefault(const Value& object, std::string_view key, const Value& value);

  // A value that is not a list counts as an empty one.
  Value Append(const Value& array, const Value& item);

  // Returns the list with each item replaced by change(item), or the same value if no item changed. Returns a value that is not a list
  // unchanged.
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

}  // namespace allot::json
