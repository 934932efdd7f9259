#include "apiserver/schema/scalar.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "apiserver/json_names.h"
#include "apiserver/schema/go_time.h"
#include "cel/library/time.h"
#include "kube/config/credentials.h"
#include "model/quantity.h"

namespace allot::apiserver {

namespace {

Mismatch WrongKind(const Value& from, std::string_view wanted, bool stops) { return {std::string(GoKindName(from)), wanted, "", stops}; }

std::optional<Mismatch> ReadInt(json::Editor& edit, Shape shape, const Value& from, Value& to, bool stops) {
  const std::string_view wanted = shape == Shape::kInt64 ? "int64" : "int32";
  if (!from.IsNumber()) return WrongKind(from, wanted, stops);
  const std::string_view text = from.NumberText();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool fits =
      shape == Shape::kInt64 || (number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max());
  if (error != std::errc() || end != text.data() + text.size() || !fits)
    return Mismatch{StrCat("number ", text.substr(0, 80)), wanted, "", stops};
  to = number == 0 ? edit.Int(0) : from;  // -0
  return std::nullopt;
}

// Go's encoding of a double: the shortest text, with an exponent for very small and large numbers.
std::string WriteDouble(double number) {
  const double size = std::abs(number);
  const bool exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  char buffer[64];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, number, exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer, written.ptr);
  const size_t n = text.size();
  if (exponent && n >= 4 && text[n - 4] == 'e' && text[n - 3] == '-' && text[n - 2] == '0') text.erase(n - 2, 1);  // e-09 is e-9
  return text;
}

std::optional<Mismatch> ReadDouble(json::Editor& edit, const Value& from, Value& to) {
  if (!from.IsNumber()) return WrongKind(from, "float64", false);
  const std::string text(from.NumberText());
  const double number = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(number)) return Mismatch{StrCat("number ", text.substr(0, 80)), "float64", "", false};
  const std::string written = WriteDouble(number);
  to = written == text ? from : edit.Number(written);
  return std::nullopt;
}

// Go also decodes bytes from a list of numbers.
std::optional<Mismatch> ReadByteList(json::Editor& edit, const Value& from, Value& to) {
  std::string bytes;
  for (const Value& item : from.Items()) {
    const std::optional<int64_t> byte = item.IsNumber() ? item.AsInt64() : std::nullopt;
    if (item.IsNumber() && (!byte || *byte < 0 || *byte > 255))
      return Mismatch{StrCat("number ", item.NumberText().substr(0, 80)), "uint8", "", false};
    if (!item.IsNumber() && !item.IsNull()) return WrongKind(item, "uint8", false);
    bytes += static_cast<char>(byte.value_or(0));
  }
  to = edit.String(kube::EncodeBase64(bytes));
  return std::nullopt;
}

std::optional<Mismatch> ReadBytes(json::Editor& edit, const Value& from, Value& to) {
  if (from.IsArray()) return ReadByteList(edit, from, to);
  if (!from.IsString()) return WrongKind(from, "[]uint8", false);
  const auto bytes = kube::DecodeBase64(from.AsString());
  if (!bytes.ok()) return Mismatch{"", "", StrCat("illegal base64 data: ", bytes.status().message()), false};
  const std::string written = kube::EncodeBase64(*bytes);
  to = written == from.AsString() ? from : edit.String(written);
  return std::nullopt;
}

std::optional<Mismatch> ReadTime(json::Editor& edit, TimePrecision precision, const Value& from, Value& to) {
  if (!from.IsString()) return WrongKind(from, "string", true);
  const auto written = CanonicalTime(from.AsString(), precision);
  if (!written.ok()) return Mismatch{"", "", written.status().message(), true};
  to = written->empty() ? Value() : *written == from.AsString() ? from : edit.String(*written);
  return std::nullopt;
}

std::optional<Mismatch> ReadQuantity(json::Editor& edit, const Value& from, Value& to) {
  const std::string_view text = from.IsString() ? Trim(from.AsString()) : from.IsNumber() ? from.NumberText() : "";
  const auto quantity = model::Quantity::Parse(text);
  if (!quantity.ok()) {
    return Mismatch{"", "",
                    StrCat("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$': ",
                           quantity.status().message()),
                    true};
  }
  const std::string written = quantity->ToString();
  to = from.IsString() && written == from.AsString() ? from : edit.String(written);
  return std::nullopt;
}

}  // namespace

std::string_view GoKindName(const Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull: return "null";
    case json::Kind::kBool: return "bool";
    case json::Kind::kNumber: return "number";
    case json::Kind::kString: return "string";
    case json::Kind::kArray: return "array";
    case json::Kind::kObject: return "object";
  }
  return "";
}

std::string_view GoScalarName(Shape shape) {
  switch (shape) {
    case Shape::kString: return "string";
    case Shape::kBool: return "bool";
    case Shape::kInt32: return "int32";
    case Shape::kInt64: return "int64";
    case Shape::kDouble: return "float64";
    case Shape::kBytes: return "[]uint8";
    default: return "";
  }
}

std::optional<Mismatch> ReadScalar(json::Editor& edit, Shape shape, const Value& from, Value& to) {
  to = from;
  switch (shape) {
    case Shape::kString:
      if (!from.IsString()) return WrongKind(from, "string", false);
      return std::nullopt;
    case Shape::kBool:
      if (!from.IsBool()) return WrongKind(from, "bool", false);
      return std::nullopt;
    case Shape::kInt32:
    case Shape::kInt64: return ReadInt(edit, shape, from, to, false);
    case Shape::kDouble: return ReadDouble(edit, from, to);
    case Shape::kBytes: return ReadBytes(edit, from, to);
    case Shape::kTime: return ReadTime(edit, TimePrecision::kSeconds, from, to);
    case Shape::kMicroTime: return ReadTime(edit, TimePrecision::kMicroseconds, from, to);
    case Shape::kDuration:
      if (!from.IsString()) return WrongKind(from, "string", true);
      if (!cel::ParseDuration(from.AsString())) return Mismatch{"", "", StrCat("time: invalid duration ", Quoted(from.AsString())), true};
      return std::nullopt;
    case Shape::kQuantity: return ReadQuantity(edit, from, to);
    case Shape::kIntOrString: return from.IsString() ? std::nullopt : ReadInt(edit, Shape::kInt32, from, to, true);
    default: break;
  }
  CHECK(false);
  return std::nullopt;
}

Value ZeroScalar(json::Editor& edit, Shape shape) {
  switch (shape) {
    case Shape::kString:
    case Shape::kBytes: return edit.Literal("");
    case Shape::kBool: return edit.Bool(false);
    case Shape::kInt32:
    case Shape::kInt64:
    case Shape::kDouble:
    case Shape::kIntOrString: return edit.Int(0);
    case Shape::kDuration: return edit.Literal("0s");
    case Shape::kQuantity: return edit.Literal("0");
    default: return Value();
  }
}

bool IsEmptyScalar(Shape shape, const Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull: return true;
    case json::Kind::kBool: return !value.AsBool();
    case json::Kind::kNumber: return shape != Shape::kIntOrString && value.AsDouble() == 0;
    case json::Kind::kString: return value.AsString().empty() && shape != Shape::kIntOrString;
    default: return false;
  }
}

}  // namespace allot::apiserver
