#include "json/value.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

namespace allot::json {

namespace {

bool IsInteger(std::string_view number) { return number.find_first_of(".eE") == std::string_view::npos; }

bool EqualNumbers(const Value& a, const Value& b) {
  if (a.NumberText() == b.NumberText()) return true;
  if (!IsInteger(a.NumberText()) || !IsInteger(b.NumberText())) return a.AsDouble() == b.AsDouble();
  // Integers beyond 64 bits differ if their texts differ: JSON has no leading zeros.
  const auto x = a.AsInt64(), y = b.AsInt64();
  return x && y && *x == *y;
}

std::vector<const Member*> Sorted(std::span<const Member> members) {
  std::vector<const Member*> sorted;
  sorted.reserve(members.size());
  for (const Member& member : members) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(), [](const Member* a, const Member* b) { return a->key < b->key; });
  return sorted;
}

bool EqualObjects(std::span<const Member> a, std::span<const Member> b) {
  if (a.size() != b.size()) return false;
  const auto same = [](const Member& x, const Member& y) { return x.key == y.key && Equal(x.value, y.value); };
  if (std::equal(a.begin(), a.end(), b.begin(), [](const Member& x, const Member& y) { return x.key == y.key; })) {
    return std::equal(a.begin(), a.end(), b.begin(), same);
  }
  const auto x = Sorted(a), y = Sorted(b);
  return std::equal(x.begin(), x.end(), y.begin(), [&](const Member* p, const Member* q) { return same(*p, *q); });
}

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "a bool";
    case Kind::kNumber: return "a number";
    case Kind::kString: return "a string";
    case Kind::kArray: return "a list";
    case Kind::kObject: return "an object";
  }
  CHECK(false);
  return {};
}

std::span<const Member> Value::Members() const {
  CHECK(IsObject());
  return {members_, size_};
}

std::optional<int64_t> Value::AsInt64() const {
  const std::string_view text = NumberText();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

double Value::AsDouble() const {
  const std::string_view text = NumberText();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // from_chars does not distinguish overflow from underflow; strtod returns infinity or zero.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return number;
}

const Value* Value::Find(std::string_view key) const {
  // Keys of equal length usually differ in their last letter, which saves comparing the rest.
  for (const Member& member : Members()) {
    if (member.key.size() == key.size() && (key.empty() || member.key.back() == key.back()) && member.key == key) return &member.value;
  }
  return nullptr;
}

const Value& Value::operator[](std::string_view key) const {
  static constexpr Value kNull{};
  const Value* found = IsObject() ? Find(key) : nullptr;
  return found != nullptr ? *found : kNull;
}

bool Equal(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return a.AsBool() == b.AsBool();
    case Kind::kNumber: return EqualNumbers(a, b);
    case Kind::kString: return a.AsString() == b.AsString();
    case Kind::kArray: return std::equal(a.Items().begin(), a.Items().end(), b.Items().begin(), b.Items().end(), Equal);
    case Kind::kObject: return EqualObjects(a.Members(), b.Members());
  }
  return false;
}

size_t DepthOf(const Value& value) {
  if (!value.IsArray() && !value.IsObject()) return 0;
  size_t deepest = 0;
  if (value.IsArray()) {
    for (const Value& item : value.Items()) deepest = std::max(deepest, DepthOf(item));
  } else {
    for (const Member& member : value.Members()) deepest = std::max(deepest, DepthOf(member.value));
  }
  return deepest + 1;
}

}  // namespace allot::json
