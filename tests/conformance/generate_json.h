#pragma once
// Builds JSON text directly, without checks: enough for the generators.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"

namespace allot::conformance {

struct Json {
  std::string text;
};

inline Json Text(std::string_view value) { return {Quoted(value, std::string_view::npos)}; }
inline Json Number(int64_t value) { return {std::to_string(value)}; }
inline Json Flag(bool value) { return {value ? "true" : "false"}; }

inline Json List(const std::vector<Json>& items) {
  std::string text = "[";
  for (const Json& item : items) {
    if (text.size() > 1) text += ',';
    text += item.text;
  }
  return {text + ']'};
}

inline Json Texts(const std::vector<std::string>& items) {
  std::vector<Json> list;
  for (const std::string& item : items) list.push_back(Text(item));
  return List(list);
}

// An object with its members in the order of Set. REQUIRES that each key is set once.
class Object {
 public:
  Object& Set(std::string_view key, const Json& value) {
    if (!text_.empty()) text_ += ',';
    text_ += Text(key).text + ':' + value.text;
    return *this;
  }
  Object& SetIf(bool wanted, std::string_view key, const Json& value) { return wanted ? Set(key, value) : *this; }
  Object& SetUnlessEmpty(std::string_view key, const std::vector<Json>& items) { return SetIf(!items.empty(), key, List(items)); }

  bool empty() const { return text_.empty(); }
  operator Json() const { return {'{' + text_ + '}'}; }  // NOLINT(google-explicit-constructor)

 private:
  std::string text_;
};

}  // namespace allot::conformance
