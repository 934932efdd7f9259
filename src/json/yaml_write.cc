#include "json/yaml_write.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "json/builder.h"
#include "json/json.h"
#include "json/yaml_quote.h"
#include "json/yaml_scalar.h"

namespace allot::json {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }

template <typename Less>
std::vector<const Member*> Sorted(const Value& object, const Less& less) {
  std::vector<const Member*> members;
  for (const Member& member : object.Members()) members.push_back(&member);
  std::stable_sort(members.begin(), members.end(), [&](const auto* a, const auto* b) { return less(a->key, b->key); });
  return members;
}

bool IsEmpty(const Value& value) { return (value.IsObject() && value.Members().empty()) || (value.IsArray() && value.Items().empty()); }

class Writer {
 public:
  // Writes after "- " or at the beginning of a line, at column `indent`.
  void Node(const Value& value, size_t indent) {
    if (value.IsObject() && !IsEmpty(value)) {
      bool first = true;
      for (const Member* const member : Sorted(value, KeyLess)) {
        if (!std::exchange(first, false)) out_.append(indent, ' ');
        out_ += WriteKey(member->key);
        out_ += ':';
        Behind(member->value, indent);
      }
    } else if (value.IsArray() && !IsEmpty(value)) {
      List(value, indent, true);
    } else {
      Scalar(value, indent);
    }
  }

  std::string out_;

 private:
  void List(const Value& list, size_t indent, bool at_place) {
    for (const Value& item : list.Items()) {
      if (!std::exchange(at_place, false)) out_.append(indent, ' ');
      out_ += "- ";
      Node(item, indent + 2);
    }
  }

  // Writes after "key:" of an object at `indent`.
  void Behind(const Value& value, size_t indent) {
    if (value.IsObject() && !IsEmpty(value)) {
      out_ += '\n';
      out_.append(indent + 2, ' ');
      Node(value, indent + 2);
    } else if (value.IsArray() && !IsEmpty(value)) {
      out_ += '\n';
      List(value, indent, false);
    } else {
      out_ += ' ';
      Scalar(value, indent + 2);
    }
  }

  // `indent` applies to further lines.
  void Scalar(const Value& value, size_t indent) {
    switch (value.kind()) {
      case Kind::kObject: out_ += "{}"; break;
      case Kind::kArray: out_ += "[]"; break;
      case Kind::kNull: out_ += "null"; break;
      case Kind::kBool: out_ += value.AsBool() ? "true" : "false"; break;
      case Kind::kNumber: out_ += value.AsInt64() ? std::string(value.NumberText()) : ResolveScalar(value.NumberText()).text; break;
      case Kind::kString: {
        const size_t line = out_.rfind('\n');
        AppendScalar(out_, value.AsString(), indent, out_.size() - (line == std::string::npos ? 0 : line + 1));
        break;
      }
    }
    out_ += '\n';
  }
};

void SortInto(Builder& builder, const Value& value) {
  if (value.IsObject()) {
    builder.StartObject();
    for (const Member* const member : Sorted(value, std::less<std::string_view>())) {
      builder.Key(member->key);
      SortInto(builder, member->value);
    }
    builder.EndObject();
  } else if (value.IsArray()) {
    builder.StartArray();
    for (const Value& item : value.Items()) SortInto(builder, item);
    builder.EndArray();
  } else {
    builder.Add(value);
  }
}

}  // namespace

bool KeyLess(std::string_view a, std::string_view b) {
  bool digits = false;  // the common prefix ends in a digit
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i]) {
      digits = IsDigit(a[i]);
      continue;
    }
    const bool a_letter = IsLetter(a[i]);
    const bool b_letter = IsLetter(b[i]);
    if (a_letter && b_letter) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]);
    if (a_letter || b_letter) return digits ? a_letter : b_letter;
    uint64_t a_number = 0;
    uint64_t b_number = 0;
    if (a[i] == '0' || b[i] == '0') {
      // Zeros after other digits count, leading ones do not.
      for (size_t j = i; j > 0 && IsDigit(a[j - 1]); --j) {
        if (a[j - 1] != '0') a_number = b_number = 1;
      }
    }
    size_t a_end = i;
    size_t b_end = i;
    for (; a_end < a.size() && IsDigit(a[a_end]); ++a_end) a_number = a_number * 10 + static_cast<uint64_t>(a[a_end] - '0');
    for (; b_end < b.size() && IsDigit(b[b_end]); ++b_end) b_number = b_number * 10 + static_cast<uint64_t>(b[b_end] - '0');
    if (a_number != b_number) return a_number < b_number;
    if (a_end != b_end) return a_end < b_end;
    return a[i] < b[i];
  }
  return a.size() < b.size();
}

std::string WriteYaml(const Value& value) {
  Writer writer;
  writer.Node(value, 0);
  return std::move(writer.out_);
}

std::string WriteSortedJson(const Value& value) {
  Arena arena;
  Builder builder(arena);
  SortInto(builder, value);
  const std::string text = Write(builder.Finish(), {.indent = 4});
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest[0] == '<') {
      escaped += "\\u003c";
    } else if (rest[0] == '>') {
      escaped += "\\u003e";
    } else if (rest[0] == '&') {
      escaped += "\\u0026";
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      escaped += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      escaped += rest[0];
    }
  }
  return escaped + "\n";
}

}  // namespace allot::json
