#include "cel/eval/object_type.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.h"
#include "base/strings.h"

namespace allot::cel {
namespace {

bool IsReserved(std::string_view word) {
  static constexpr std::array<std::string_view, 21> kWords = {"true",     "false",   "null",      "in",       "as",  "break",  "const",
                                                              "continue", "else",    "for",       "function", "if",  "import", "let",
                                                              "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

const Type& ScalarLike(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::kBool: return types::kBool;
    case Type::Kind::kInt: return types::kInt;
    case Type::Kind::kDouble: return types::kDouble;
    case Type::Kind::kString: return types::kString;
    case Type::Kind::kBytes: return types::kBytes;
    case Type::Kind::kDuration: return types::kDuration;
    case Type::Kind::kTimestamp: return types::kTimestamp;
    default: CHECK(kind == Type::Kind::kDyn); return types::kDyn;
  }
}

}  // namespace

const ObjectField* Declared::Find(std::string_view name) const {
  const auto found =
      std::lower_bound(by_name.begin(), by_name.end(), name, [this](uint32_t i, std::string_view n) { return fields[i].name < n; });
  return found == by_name.end() || fields[*found].name != name ? nullptr : &fields[*found];
}

const ObjectField* Declared::FindKey(std::string_view key) const {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), key, [](const ObjectField& field, std::string_view k) { return field.key < k; });
  return found == fields.end() || found->key != key ? nullptr : &*found;
}

const Type* ObjectTypes::Make(const Type& like, Declared declared) {
  Type& type = types_.emplace_back(like);
  type.declared = &declared_.emplace_back(std::move(declared));
  return &type;
}

const Type* ObjectTypes::Scalar(Type::Kind kind, Declared declared) { return Make(ScalarLike(kind), std::move(declared)); }
const Type* ObjectTypes::List(const Type* element, Declared declared) { return Make(*pool_.List(element), std::move(declared)); }
const Type* ObjectTypes::Map(const Type* element, Declared declared) {
  return Make(*pool_.Map(&types::kString, element), std::move(declared));
}

const Type* ObjectTypes::Object(Declared declared) {
  auto& fields = declared.fields;
  std::sort(fields.begin(), fields.end(), [](const ObjectField& a, const ObjectField& b) { return a.key < b.key; });
  declared.by_name.resize(fields.size());
  std::iota(declared.by_name.begin(), declared.by_name.end(), 0U);
  std::sort(declared.by_name.begin(), declared.by_name.end(), [&](uint32_t a, uint32_t b) { return fields[a].name < fields[b].name; });
  return Make(*pool_.Make(Type::Kind::kStruct, Keep(StrCat("object", types_.size())), {}), std::move(declared));
}

bool EscapeField(std::string_view key, std::string* name) {
  if (key.empty() || (key[0] >= '0' && key[0] <= '9')) return false;
  name->clear();
  if (IsReserved(key)) {
    *name = StrCat("__", key, "__");
    return true;
  }
  for (size_t i = 0; i < key.size(); ++i) {
    const char c = key[i];
    if (c == '_' && i + 1 < key.size() && key[i + 1] == '_') {
      *name += "__underscores__";
      ++i;
    } else if (c == '.') {
      *name += "__dot__";
    } else if (c == '-') {
      *name += "__dash__";
    } else if (c == '/') {
      *name += "__slash__";
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') {
      *name += c;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace allot::cel
