#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/schema/wire_format.h"
#include "apiserver/schema/wire_message.h"
#include "apiserver/schema/wire_text.h"
#include "kube/config/credentials.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxDepth = 128;  // of the JSON: deeper JSON could not be parsed again

// One occurrence of a field of a struct.
struct Occurrence {
  size_t field;  // index into the type's fields
  WireField wire;
};

WireType EncodingOf(Shape shape) {
  switch (shape) {
    case Shape::kBool:
    case Shape::kInt32:
    case Shape::kInt64: return WireType::kVarint;
    case Shape::kDouble: return WireType::kFixed64;
    default: return WireType::kBytes;
  }
}

// Several messages of one field are pieces of one message.
std::string JoinPieces(std::span<const Occurrence> pieces) {
  std::string whole;
  for (const Occurrence& piece : pieces) whole += piece.wire.bytes;
  return whole;
}

Status CheckDepth(size_t depth) {
  return depth > kMaxDepth ? Invalid("protobuf: values are nested more than ", kMaxDepth, " deep") : Status();
}

// `depth` is the level of the value that is read, if it is an object or list; the whole object has 1.
class Decoder {
 public:
  explicit Decoder(json::Editor& edit) : edit_(edit) {}

  Result<Value> Struct(const Type& type, std::string_view message, size_t depth);

 private:
  Status Collect(const Type& type, int embedded, std::string_view message, std::vector<Occurrence>& found);
  Result<Value> FieldValue(const Type& type, std::span<const Occurrence> found, size_t depth);
  Result<Value> List(const Type& element, std::span<const Occurrence> found, size_t depth);
  Result<Value> Map(const Type& element, std::span<const Occurrence> found, size_t depth);
  Result<Value> One(const Type& type, const WireField& wire, size_t depth);
  Result<Value> Time(std::string_view message, bool micro);
  Result<Value> Duration(std::string_view message);
  Result<Value> Quantity(std::string_view message);
  Result<Value> IntOrString(std::string_view message);
  Result<Value> Items(const Type& element, std::string_view message, size_t depth);
  Result<Value> Any(const Type& type, std::string_view message, size_t depth);
  Result<Value> SchemaOr(const Type& type, std::string_view message, size_t depth);
  Result<Value> Number(double value);
  Value Text(std::string_view text) { return edit_.String(MendUtf8(text, buffer_)); }

  json::Editor& edit_;
  std::string buffer_;
};

// Assigns each part of the message to its field. `embedded` is the number of the embedded message that contains it; 0: the struct itself.
Status Decoder::Collect(const Type& type, int embedded, std::string_view message, std::vector<Occurrence>& found) {
  const size_t count = type.fields.size();
  size_t next = 0;  // fields usually come in order
  return ForEachField(message, [&](const WireField& wire) -> Status {
    for (size_t i = 0; i < count; ++i) {
      const size_t index = next + i < count ? next + i : next + i - count;
      const Field& field = type.fields[index];
      if (field.number == wire.number && field.embedded == embedded) {
        found.push_back({index, wire});
        next = index;
        return {};
      }
      if (embedded == 0 && field.embedded == wire.number) {
        TRY(Expect(wire, WireType::kBytes));
        next = index;
        return Collect(type, wire.number, wire.bytes, found);
      }
    }
    return {};
  });
}

Result<Value> Decoder::Struct(const Type& type, std::string_view message, size_t depth) {
  TRY(CheckDepth(depth));
  std::vector<Occurrence> found;
  TRY(Collect(type, 0, message, found));
  std::stable_sort(found.begin(), found.end(), [](const Occurrence& a, const Occurrence& b) { return a.field < b.field; });
  std::vector<json::Member> members;
  for (size_t begin = 0, end = 0; begin < found.size(); begin = end) {
    const Field& field = type.fields[found[begin].field];
    while (end < found.size() && found[end].field == found[begin].field) ++end;
    auto value = FieldValue(*field.type, std::span(found).subspan(begin, end - begin), depth + 1);
    if (!value.ok()) return std::move(value).Context(field.name);
    members.push_back({field.name, *value});
  }
  return edit_.Object(members);
}

Result<Value> Decoder::FieldValue(const Type& type, std::span<const Occurrence> found, size_t depth) {
  if (type.shape == Shape::kList) return List(*type.element, found, depth);
  if (type.shape == Shape::kMap) return Map(*type.element, found, depth);
  if (type.shape != Shape::kStruct || found.size() == 1) return One(type, found.back().wire, depth);
  for (const Occurrence& piece : found) TRY(Expect(piece.wire, WireType::kBytes));
  return Struct(type, JoinPieces(found), depth);
}

Result<Value> Decoder::List(const Type& element, std::span<const Occurrence> found, size_t depth) {
  TRY(CheckDepth(depth));
  const WireType encoding = EncodingOf(element.shape);
  std::vector<Value> items;
  for (const Occurrence& one : found) {
    if (encoding == WireType::kBytes || one.wire.type == encoding) {
      ASSIGN_OR_RETURN(const Value item, One(element, one.wire, depth + 1));
      items.push_back(item);
      continue;
    }
    TRY(Expect(one.wire, WireType::kBytes));
    WireReader packed(one.wire.bytes);
    WireField number{.number = one.wire.number, .type = encoding, .integer = 0, .bytes = {}};
    while (packed.NextPacked(encoding, number.integer)) {
      ASSIGN_OR_RETURN(const Value item, One(element, number, depth + 1));
      items.push_back(item);
    }
    TRY(packed.status());
  }
  return edit_.Array(items);
}

Result<Value> Decoder::Map(const Type& element, std::span<const Occurrence> found, size_t depth) {
  TRY(CheckDepth(depth));
  std::vector<json::Member> members;
  for (const Occurrence& one : found) {
    TRY(Expect(one.wire, WireType::kBytes));
    std::string_view key;
    WireField value{.number = 2, .type = EncodingOf(element.shape), .integer = 0, .bytes = {}};  // the value of an entry that lacks one
    TRY(ForEachField(one.wire.bytes, [&](const WireField& wire) -> Status {
      if (wire.number == 2) value = wire;
      if (wire.number != 1) return {};
      key = wire.bytes;
      return Expect(wire, WireType::kBytes);
    }));
    key = edit_.CopyText(MendUtf8(key, buffer_));
    ASSIGN_OR_RETURN(const Value json, One(element, value, depth + 1));
    members.push_back({key, json});
  }
  // The last entry of a key counts.
  std::reverse(members.begin(), members.end());
  std::stable_sort(members.begin(), members.end(), [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  const auto end = std::unique(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.key == b.key; });
  members.erase(end, members.end());
  return edit_.Object(members);
}

Result<Value> Decoder::One(const Type& type, const WireField& wire, size_t depth) {
  TRY(Expect(wire, EncodingOf(type.shape)));
  switch (type.shape) {
    case Shape::kString: return Text(wire.bytes);
    case Shape::kBool: return edit_.Bool(wire.integer != 0);
    case Shape::kInt32: return edit_.Int(static_cast<int32_t>(static_cast<uint32_t>(wire.integer)));
    case Shape::kInt64: return edit_.Int(static_cast<int64_t>(wire.integer));
    case Shape::kDouble: return Number(std::bit_cast<double>(wire.integer));
    case Shape::kBytes: return edit_.String(kube::EncodeBase64(wire.bytes));
    case Shape::kTime: return Time(wire.bytes, false);
    case Shape::kMicroTime: return Time(wire.bytes, true);
    case Shape::kDuration: return Duration(wire.bytes);
    case Shape::kQuantity: return Quantity(wire.bytes);
    case Shape::kIntOrString: return IntOrString(wire.bytes);
    case Shape::kAny: return Any(type, wire.bytes, depth);
    case Shape::kStruct: return Struct(type, wire.bytes, depth);
    case Shape::kList: return Items(*type.element, wire.bytes, depth);
    case Shape::kMap: break;
  }
  return Invalid("protobuf has no lists or maps of maps");
}

// A list inside a list or map (the extra values of a user) is a message with the list as its first field.
Result<Value> Decoder::Items(const Type& element, std::string_view message, size_t depth) {
  std::vector<Occurrence> items;
  TRY(ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number == 1) items.push_back({0, wire});
    return {};
  }));
  return List(element, items, depth);
}

Result<Value> Decoder::Number(double value) {
  const auto text = DoubleText(value);
  if (!text) return Invalid("protobuf: a number that JSON cannot write");
  return edit_.Number(*text);
}

Result<Value> Decoder::Time(std::string_view message, bool micro) {
  if (message.empty()) return Value();  // no time at all
  Timestamp time;
  TRY(ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number > 2) return {};
    if (wire.number == 1) time.seconds = static_cast<int64_t>(wire.integer);
    if (wire.number == 2) time.nanoseconds = static_cast<int32_t>(static_cast<uint32_t>(wire.integer));
    return Expect(wire, WireType::kVarint);
  }));
  const auto text = TimeText(time, micro);
  if (!text) return Invalid("protobuf: a time outside of the years 1 to 9999");
  return edit_.String(*text);
}

Result<Value> Decoder::Duration(std::string_view message) {
  int64_t nanoseconds = 0;
  TRY(ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number != 1) return {};
    nanoseconds = static_cast<int64_t>(wire.integer);
    return Expect(wire, WireType::kVarint);
  }));
  return edit_.String(DurationText(nanoseconds));
}

Result<Value> Decoder::Quantity(std::string_view message) {
  std::string_view text = "0";
  TRY(ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number != 1) return {};
    text = wire.bytes;
    return Expect(wire, WireType::kBytes);
  }));
  return Text(text);
}

Result<Value> Decoder::IntOrString(std::string_view message) {
  uint64_t type = 0, number = 0;
  std::string_view text;
  TRY(ForEachField(message, [&](const WireField& wire) -> Status {
    switch (wire.number) {
      case 1: type = wire.integer; return Expect(wire, WireType::kVarint);
      case 2: number = wire.integer; return Expect(wire, WireType::kVarint);
      case 3: text = wire.bytes; return Expect(wire, WireType::kBytes);
      default: return {};
    }
  }));
  if (type > 1) return Invalid("protobuf: neither a number nor text");
  return type == 1 ? Text(text) : edit_.Int(static_cast<int32_t>(static_cast<uint32_t>(number)));
}

// Reads a message that holds JSON text.
Result<Value> Decoder::Any(const Type& type, std::string_view message, size_t depth) {
  if (type.element != nullptr) return SchemaOr(type, message, depth);
  std::string_view raw;
  TRY(ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number != 1) return {};
    raw = wire.bytes;
    return Expect(wire, WireType::kBytes);
  }));
  if (raw.empty()) return Value();
  const auto document = json::Parse(raw, {.depth = kMaxDepth + 1 - std::min(depth, kMaxDepth + 1)});
  if (!document.ok()) return Invalid(document.status().message());
  return edit_.Copy(document->root());
}

// Reads parts of a custom definition's schema that hold either a schema or something else: a bool, several schemas, names.
Result<Value> Decoder::SchemaOr(const Type& type, std::string_view message, size_t depth) {
  const bool or_bool = type.name.ends_with("OrBool"), or_texts = type.name.ends_with("OrStringArray");
  std::vector<Occurrence> schema;
  std::vector<Value> list;
  bool allows = false;
  const Status read = ForEachField(message, [&](const WireField& wire) -> Status {
    if (wire.number > 2) return {};
    if (or_bool && wire.number == 1) {
      allows = wire.integer != 0;
      return Expect(wire, WireType::kVarint);
    }
    TRY(Expect(wire, WireType::kBytes));
    if ((wire.number == 1) != or_bool) {
      schema.push_back({0, wire});
      return {};
    }
    if (or_bool) return {};
    if (or_texts) {
      list.push_back(Text(wire.bytes));
      return {};
    }
    ASSIGN_OR_RETURN(const Value item, Struct(*type.element, wire.bytes, depth + 1));
    list.push_back(item);
    return {};
  });
  TRY(read);
  if (!list.empty()) return edit_.Array(list);
  if (!schema.empty()) return Struct(*type.element, JoinPieces(schema), depth);
  return or_bool ? edit_.Bool(allows) : Value();
}

}  // namespace

Result<Value> DecodeMessage(json::Editor& edit, const Type& type, std::string_view message) {
  return Decoder(edit).Struct(type, message, 1);
}

}  // namespace allot::apiserver
