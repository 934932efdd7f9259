#include "apiserver/kinds/custom/rules.h"

namespace allot::apiserver {
namespace {

// Reads ['name'] after its bracket. Returns false if it is invalid.
bool ReadQuoted(std::string_view& text, std::string* name) {
  if (!text.starts_with('\'')) return false;
  text.remove_prefix(1);
  while (!text.empty() && text[0] != '\'') {
    if (text[0] == '\\') {
      text.remove_prefix(1);
      static constexpr std::string_view kLetters = "abfnrtv'\\", kMeant = "\a\b\f\n\r\t\v'\\";
      const size_t letter = text.empty() ? std::string_view::npos : kLetters.find(text[0]);
      if (letter == std::string_view::npos) return false;
      *name += kMeant[letter];
    } else {
      *name += text[0];
    }
    text.remove_prefix(1);
  }
  if (!text.starts_with("']")) return false;
  text.remove_prefix(2);
  return true;
}

}  // namespace

bool FollowFieldPath(const CustomSchema& schema, std::string_view path, bool brackets, FieldPath* words, const CustomSchema** found) {
  const CustomSchema* at = &schema;
  while (!path.empty()) {
    std::string name;
    const char delimiter = path[0];
    path.remove_prefix(1);
    if (delimiter == '[') {
      if (!brackets || !ReadQuoted(path, &name)) return false;
    } else if (delimiter == '.') {
      name = path.substr(0, path.find_first_of(".[]"));
      path.remove_prefix(name.size());
      if (name.empty()) return false;
    } else {
      return false;
    }
    const bool map = at->properties.empty() && at->additional_schema != nullptr;
    at = map ? at->additional_schema.get() : at->Find(name);
    if (at == nullptr) return false;
    *words = map ? words->Key(name) : words->Child(name);
  }
  *found = at;
  return true;
}

}  // namespace allot::apiserver
