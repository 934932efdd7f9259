#include "apiserver/patch/path_element.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "apiserver/json_names.h"
#include "base/strings.h"

namespace allot::apiserver {

namespace {

using json::Member;

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int RankOf(const Value& value) {
  switch (value.kind()) {
    case json::Kind::kNumber: return 0;
    case json::Kind::kString: return 1;
    case json::Kind::kBool: return 2;
    case json::Kind::kArray: return 3;
    case json::Kind::kObject: return 4;
    case json::Kind::kNull: return 5;
  }
  return 5;
}

int CompareNumbers(const Value& a, const Value& b) {
  if (a.NumberText() == b.NumberText()) return 0;
  const auto x = a.AsInt64(), y = b.AsInt64();
  if (x && y) return Order(*x, *y);
  return Order(a.AsDouble(), b.AsDouble());
}

int CompareLists(std::span<const Value> a, std::span<const Value> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int order = CompareValues(a[i], b[i]); order != 0) return order;
  }
  return Order(a.size(), b.size());
}

// REQUIRES: members are sorted by key.
int CompareSorted(std::span<const Member> a, std::span<const Member> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int order = a[i].key.compare(b[i].key); order != 0) return order;
    if (const int order = CompareValues(a[i].value, b[i].value); order != 0) return order;
  }
  return Order(a.size(), b.size());
}

std::vector<Member> Sorted(std::span<const Member> members) {
  std::vector<Member> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end(), [](const Member& a, const Member& b) { return a.key < b.key; });
  return sorted;
}

// Parses `{"name":"a"}`, nearly all keys, without the JSON parser. Returns nullopt for anything else.
std::optional<Member> ParseSimpleKey(json::Editor& edit, std::string_view text) {
  const auto quoted = [&]() -> std::optional<std::string_view> {
    if (!text.starts_with('"')) return std::nullopt;
    const size_t end = text.find_first_of("\"\\", 1);
    if (end == std::string_view::npos || text[end] == '\\') return std::nullopt;
    const std::string_view inside = text.substr(1, end - 1);
    for (const char c : inside) {
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
    }
    text.remove_prefix(end + 1);
    return inside;
  };
  if (!text.starts_with('{')) return std::nullopt;
  text.remove_prefix(1);
  const auto name = quoted();
  if (!name || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  const auto value = quoted();
  if (!value || text != "}") return std::nullopt;
  return Member{*name, edit.Literal(*value)};
}

// Escapes like Go's HTML-safe JSON.
void WriteEscaped(std::string& out, std::string_view json) {
  for (const char c : json) {
    switch (c) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += c;
    }
  }
}

}  // namespace

int CompareValues(const Value& a, const Value& b) {
  if (const int order = Order(RankOf(a), RankOf(b)); order != 0) return order;
  switch (a.kind()) {
    case json::Kind::kNumber: return CompareNumbers(a, b);
    case json::Kind::kString: return a.AsString().compare(b.AsString());
    case json::Kind::kBool: return Order(a.AsBool(), b.AsBool());
    case json::Kind::kArray: return CompareLists(a.Items(), b.Items());
    case json::Kind::kObject: return CompareSorted(Sorted(a.Members()), Sorted(b.Members()));
    case json::Kind::kNull: return 0;
  }
  return 0;
}

int Compare(const PathElement& a, const PathElement& b) {
  if (a.kind != b.kind) return Order(a.kind, b.kind);
  if (a.kind == PathElement::Kind::kField) return a.value.AsString().compare(b.value.AsString());
  if (a.kind == PathElement::Kind::kKey) return CompareSorted(a.value.Members(), b.value.Members());
  return CompareValues(a.value, b.value);
}

Result<std::optional<PathElement>> ParsePathElement(json::Editor& edit, std::string_view text) {
  if (text.size() < 2 || text[1] != ':') return Invalid("expected f:, k:, v: or i: and not ", Quoted(text));
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f': return std::optional(PathElement::Field(edit, rest));
    case 'i': {
      int64_t index = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
      if (error != std::errc() || end != rest.data() + rest.size()) return Invalid("expected an index and not ", Quoted(rest));
      return std::optional(PathElement{PathElement::Kind::kIndex, edit.Int(index)});
    }
    case 'k':
      if (const auto simple = ParseSimpleKey(edit, rest)) {
        return std::optional(PathElement{PathElement::Kind::kKey, edit.Object({*simple})});
      }
      [[fallthrough]];
    case 'v': {
      ASSIGN_OR_RETURN(const json::Document parsed, json::Parse(rest));
      const Value value = edit.Copy(parsed.root());
      if (text[0] == 'v') return std::optional(PathElement{PathElement::Kind::kValue, value});
      if (!value.IsObject()) return Invalid("expected an object of keys and not ", Quoted(rest));
      return std::optional(PathElement{PathElement::Kind::kKey, edit.Object(Sorted(value.Members()))});
    }
    default: return std::optional<PathElement>();
  }
}

std::string Write(const PathElement& element) {
  switch (element.kind) {
    case PathElement::Kind::kField: return StrCat("f:", element.value.AsString());
    case PathElement::Kind::kIndex: return StrCat("i:", element.value.NumberText());
    case PathElement::Kind::kKey:
    case PathElement::Kind::kValue: break;
  }
  std::string text = element.kind == PathElement::Kind::kKey ? "k:" : "v:";
  WriteEscaped(text, json::Write(element.value));
  return text;
}

std::string ToText(std::span<const PathElement> path) {
  std::string text;
  for (const PathElement& element : path) {
    switch (element.kind) {
      case PathElement::Kind::kField: text += StrCat(".", element.value.AsString()); break;
      case PathElement::Kind::kIndex: text += StrCat("[", element.value.NumberText(), "]"); break;
      case PathElement::Kind::kValue: text += StrCat("[=", json::Write(element.value), "]"); break;
      case PathElement::Kind::kKey:
        text += '[';
        for (const Member& key : element.value.Members()) {
          text += StrCat(&key == element.value.Members().data() ? "" : ",", key.key, "=", json::Write(key.value));
        }
        text += ']';
    }
  }
  return text;
}

}  // namespace allot::apiserver
