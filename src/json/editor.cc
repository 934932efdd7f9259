#include "json/editor.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/strings.h"

namespace allot::json {

std::string_view Editor::CopyText(std::string_view text) {
  if (text.empty()) return {};
  char* copy = static_cast<char*>(arena_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

Value Editor::Text(Kind kind, std::string_view text, bool copy) {
  CHECK(text.size() <= std::numeric_limits<uint32_t>::max());
  Value value;
  value.kind_ = kind;
  value.size_ = static_cast<uint32_t>(text.size());
  value.chars_ = copy ? CopyText(text).data() : text.data();
  return value;
}

Value Editor::Bool(bool boolean) {
  Value value;
  value.kind_ = Kind::kBool;
  value.size_ = boolean ? 1 : 0;
  return value;
}

Value Editor::Int(int64_t value) { return Text(Kind::kNumber, StrCat(value), true); }
Value Editor::Number(std::string_view text) { return Text(Kind::kNumber, text, true); }
Value Editor::String(std::string_view text) { return Text(Kind::kString, text, true); }
Value Editor::Literal(std::string_view text) { return Text(Kind::kString, text, false); }

Value Editor::Array(std::span<const Value> items) {
  Value* copy = nullptr;
  if (!items.empty()) {
    copy = static_cast<Value*>(arena_.allocate(items.size_bytes(), alignof(Value)));
    std::uninitialized_copy(items.begin(), items.end(), copy);
  }
  Value value;
  value.kind_ = Kind::kArray;
  value.size_ = static_cast<uint32_t>(items.size());
  value.items_ = copy;
  return value;
}

Value Editor::Object(std::span<const Member> members) {
  Member* copy = nullptr;
  if (!members.empty()) {
    copy = static_cast<Member*>(arena_.allocate(members.size_bytes(), alignof(Member)));
    std::uninitialized_copy(members.begin(), members.end(), copy);
  }
  Value value;
  value.kind_ = Kind::kObject;
  value.size_ = static_cast<uint32_t>(members.size());
  value.members_ = copy;
  return value;
}

Value Editor::Copy(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return Value();
    case Kind::kBool: return value;
    case Kind::kNumber: return Number(value.NumberText());
    case Kind::kString: return String(value.AsString());
    case Kind::kArray: {
      std::vector<Value> items;
      items.reserve(value.Items().size());
      for (const Value& item : value.Items()) items.push_back(Copy(item));
      return Array(items);
    }
    case Kind::kObject: {
      std::vector<Member> members;
      members.reserve(value.Members().size());
      for (const Member& member : value.Members()) members.push_back({CopyText(member.key), Copy(member.value)});
      return Object(members);
    }
  }
  return Value();
}

Value Editor::Set(const Value& object, std::string_view key, const Value& value) {
  const std::string_view path[] = {key};
  return SetPath(object, path, &value);
}

Value Editor::Without(const Value& object, std::string_view key) {
  const std::string_view path[] = {key};
  return SetPath(object, path, nullptr);
}

Value Editor::SetAt(const Value& object, std::initializer_list<std::string_view> path, const Value& value) {
  return SetPath(object, std::span(path.begin(), path.size()), &value);
}

Value Editor::WithoutAt(const Value& object, std::initializer_list<std::string_view> path) {
  return SetPath(object, std::span(path.begin(), path.size()), nullptr);
}

Value Editor::SetDefault(const Value& object, std::string_view key, const Value& value) {
  return object[key].IsNull() ? Set(object, key, value) : object;
}

// Removes what is at the path if `value` is nullptr.
Value Editor::SetPath(const Value& object, std::span<const std::string_view> path, const Value* value) {
  const std::span<const Member> members = MembersOf(object);
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& member) { return member.key == path.front(); });
  if (value == nullptr && found == members.end()) return object;
  std::vector<Member> changed;
  changed.reserve(members.size() + 1);
  changed.assign(members.begin(), members.end());
  const auto place = changed.begin() + (found - members.begin());
  if (value == nullptr && path.size() == 1) {
    changed.erase(place);
    return Object(changed);
  }
  const Value inner = found == members.end() ? Value() : found->value;
  const Value replaced = path.size() == 1 ? *value : SetPath(inner, path.subspan(1), value);
  if (found == members.end()) {
    changed.push_back({path.front(), replaced});
  } else {
    place->value = replaced;
  }
  return Object(changed);
}

Value Editor::Append(const Value& array, const Value& item) {
  std::vector<Value> items(ItemsOf(array).begin(), ItemsOf(array).end());
  items.push_back(item);
  return Array(items);
}

}  // namespace allot::json
