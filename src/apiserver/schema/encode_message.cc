#include <algorithm>
#include <bit>
#include <ranges>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/schema/wire_format.h"
#include "apiserver/schema/wire_message.h"
#include "apiserver/schema/wire_text.h"
#include "kube/config/credentials.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxDepth = 128;

// Writes from the end to the beginning, like WireWriter: fields, items and members in reverse.
class Encoder {
 public:
  explicit Encoder(WireWriter& out) : out_(out) {}

  Status Struct(const Type& type, const Value& object, size_t depth);

 private:
  Status Fields(const Type& type, int embedded, const Value& object, size_t depth);
  Status FieldValue(const Type& type, int number, const Value& value, size_t depth);
  Status One(const Type& type, int number, const Value& value, size_t depth);
  Status Text(const Type& type, int number, const Value& value);
  Status Time(int number, const Value& value, bool micro);
  Status Any(const Type& type, int number, const Value& value, size_t depth);
  Status SchemaOr(const Type& type, const Value& value, size_t depth);

  WireWriter& out_;
};

Status Wrong(const Value& value, std::string_view expected) { return Invalid(json::KindName(value.kind()), " instead of ", expected); }

Status Encoder::Struct(const Type& type, const Value& object, size_t depth) {
  if (depth > kMaxDepth) return Invalid("values are nested more than ", kMaxDepth, " deep");
  if (object.IsNull()) return {};
  if (!object.IsObject()) return Wrong(object, "an object");
  return Fields(type, 0, object, depth);
}

// Writes the fields inside the embedded message of that number; 0: the struct's own fields and all embedded messages.
Status Encoder::Fields(const Type& type, int embedded, const Value& object, size_t depth) {
  std::vector<int> done;  // embedded messages
  for (const json::Member& member : std::views::reverse(object.Members())) {
    const Field* field = type.Find(member.key);
    if (field == nullptr || field->number == 0 || member.value.IsNull()) continue;
    if (field->embedded == embedded) {
      TRY(FieldValue(*field->type, field->number, member.value, depth).Context(field->name));
    } else if (embedded == 0 && std::ranges::find(done, field->embedded) == done.end()) {
      done.push_back(field->embedded);
      const size_t end = out_.size();
      TRY(Fields(type, field->embedded, object, depth));
      out_.Message(field->embedded, end);
    }
  }
  return {};
}

Status Encoder::FieldValue(const Type& type, int number, const Value& value, size_t depth) {
  if (type.shape == Shape::kList) {
    if (!value.IsArray()) return Wrong(value, "a list");
    for (const Value& item : std::views::reverse(value.Items())) TRY(One(*type.element, number, item, depth));
    return {};
  }
  if (type.shape != Shape::kMap) return One(type, number, value, depth);
  if (!value.IsObject()) return Wrong(value, "an object");
  for (const json::Member& member : std::views::reverse(value.Members())) {
    const size_t end = out_.size();
    TRY(One(*type.element, 2, member.value, depth).Context(member.key));
    out_.Bytes(1, member.key);
    out_.Message(number, end);
  }
  return {};
}

Status Encoder::One(const Type& type, int number, const Value& value, size_t depth) {
  const size_t end = out_.size();
  switch (type.shape) {
    case Shape::kBool:
      if (!value.IsBool()) return Wrong(value, "a bool");
      out_.Varint(number, value.AsBool() ? 1 : 0);
      return {};
    case Shape::kInt32:
    case Shape::kInt64: {
      const auto integer = value.IsNumber() ? value.AsInt64() : std::nullopt;
      if (!integer) return Wrong(value, "a whole number");
      out_.Varint(number, static_cast<uint64_t>(*integer));
      return {};
    }
    case Shape::kDouble:
      if (!value.IsNumber()) return Wrong(value, "a number");
      out_.Fixed64(number, std::bit_cast<uint64_t>(value.AsDouble()));
      return {};
    case Shape::kTime: return Time(number, value, false);
    case Shape::kMicroTime: return Time(number, value, true);
    case Shape::kAny: return Any(type, number, value, depth);
    case Shape::kStruct: TRY(Struct(type, value, depth + 1)); break;
    case Shape::kList: TRY(FieldValue(type, 1, value, depth + 1)); break;
    case Shape::kMap: return Invalid("protobuf has no lists or maps of maps");
    default: return Text(type, number, value);
  }
  out_.Message(number, end);
  return {};
}

// Writes a value that is text in JSON, or a number that may be text.
Status Encoder::Text(const Type& type, int number, const Value& value) {
  const size_t end = out_.size();
  if (type.shape == Shape::kIntOrString && value.IsNumber()) {
    const auto integer = value.AsInt64();
    if (!integer) return Wrong(value, "a whole number");
    out_.Varint(2, static_cast<uint64_t>(*integer));
    out_.Message(number, end);
    return {};
  }
  if (!value.IsString()) return Wrong(value, "a string");
  const std::string_view text = value.AsString();
  if (type.shape == Shape::kString) {
    out_.Bytes(number, text);
    return {};
  }
  if (type.shape == Shape::kBytes) {
    ASSIGN_OR_RETURN(const std::string bytes, kube::DecodeBase64(text));
    out_.Bytes(number, bytes);
    return {};
  }
  if (type.shape == Shape::kIntOrString) {
    out_.Bytes(3, text);
    out_.Varint(1, 1);
  } else if (type.shape == Shape::kDuration) {
    const auto nanoseconds = DurationOf(text);
    if (!nanoseconds) return Invalid(Quoted(text), " is not a duration");
    out_.Varint(1, static_cast<uint64_t>(*nanoseconds));
  } else {
    CHECK(type.shape == Shape::kQuantity);
    out_.Bytes(1, text);
  }
  out_.Message(number, end);
  return {};
}

Status Encoder::Time(int number, const Value& value, bool micro) {
  const size_t end = out_.size();
  if (!value.IsNull()) {
    if (!value.IsString()) return Wrong(value, "a time");
    const auto time = TimeOf(value.AsString());
    if (!time) return Invalid(Quoted(value.AsString()), " is not a time");
    if (micro) out_.Varint(2, static_cast<uint64_t>(time->nanoseconds / 1000 * 1000));
    out_.Varint(1, static_cast<uint64_t>(time->seconds));
  }
  out_.Message(number, end);
  return {};
}

Status Encoder::Any(const Type& type, int number, const Value& value, size_t depth) {
  const size_t end = out_.size();
  if (value.IsNull()) {
    // Write an empty message.
  } else if (type.element != nullptr) {
    TRY(SchemaOr(type, value, depth + 1));
  } else {
    out_.Bytes(1, json::Write(value));
  }
  out_.Message(number, end);
  return {};
}

// Writes parts of a custom definition's schema that hold either a schema or something else: a bool, several schemas, names.
Status Encoder::SchemaOr(const Type& type, const Value& value, size_t depth) {
  const bool or_bool = type.name.ends_with("OrBool"), or_texts = type.name.ends_with("OrStringArray");
  if (or_bool && value.IsBool()) {
    out_.Varint(1, value.AsBool() ? 1 : 0);
    return {};
  }
  if (!or_bool && value.IsArray()) {
    for (const Value& item : std::views::reverse(value.Items())) {
      if (or_texts) {
        if (!item.IsString()) return Wrong(item, "a string");
        out_.Bytes(2, item.AsString());
        continue;
      }
      const size_t end = out_.size();
      TRY(Struct(*type.element, item, depth));
      out_.Message(2, end);
    }
    return {};
  }
  const size_t end = out_.size();
  TRY(Struct(*type.element, value, depth));
  out_.Message(or_bool ? 2 : 1, end);
  if (or_bool) out_.Varint(1, 1);
  return {};
}

}  // namespace

Status EncodeMessage(const Type& type, const Value& object, WireWriter& out) { return Encoder(out).Struct(type, object, 1); }

}  // namespace allot::apiserver
