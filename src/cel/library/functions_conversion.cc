// int(x), string(x), timestamp(x)...

#include "base/utf8.h"
#include "cel/compile/declarations.h"
#include "cel/eval/frame.h"
#include "cel/library/net.h"
#include "cel/library/numbers.h"
#include "cel/library/time.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;

Value Refused(Frame& frame, const Value& value, std::string_view to) {
  std::string message = "type conversion error from '";
  message += TypeNameOf(value);
  message += "' to '";
  message += to;
  message += "'";
  return frame.NewError(message);
}

Value Identity(Frame&, Args args) { return args[0]; }
Value TypeOf(Frame&, Args args) { return Value::TypeName(TypeNameOf(args[0])); }

Value ToBool(Frame& frame, Args args) {
  const auto value = ParseBool(args[0].Text());
  return value ? Value::Bool(*value) : Refused(frame, args[0], "bool");
}

Value ToBytes(Frame&, Args args) { return Value::Bytes(args[0].Text()); }

Value ToDouble(Frame& frame, Args args) {
  switch (args[0].kind) {
    case Kind::kInt: return Value::Double(static_cast<double>(args[0].integer));
    case Kind::kUint: return Value::Double(static_cast<double>(args[0].natural));
    default: break;
  }
  const auto value = ParseDouble(args[0].Text());
  return value ? Value::Double(*value) : Refused(frame, args[0], "double");
}

Value ToDuration(Frame& frame, Args args) {
  // The declaration accepts numbers, but Kubernetes never converts one.
  const auto value = args[0].Is(Kind::kString) ? ParseDuration(args[0].Text()) : std::nullopt;
  return value ? Value::Duration(*value) : Refused(frame, args[0], "google.protobuf.Duration");
}

Value ToInt(Frame& frame, Args args) {
  switch (args[0].kind) {
    case Kind::kDouble: {
      int64_t value = 0;
      return DoubleToInt(args[0].real, &value) ? Value::Int(value) : Value::Error("integer overflow");
    }
    case Kind::kUint:
      if (args[0].natural > static_cast<uint64_t>(INT64_MAX)) return Value::Error("integer overflow");
      return Value::Int(static_cast<int64_t>(args[0].natural));
    case Kind::kDuration:
    case Kind::kTimestamp: return Value::Int(args[0].integer);
    default: break;
  }
  const auto value = ParseInt(args[0].Text());
  return value ? Value::Int(*value) : Refused(frame, args[0], "int");
}

Value ToUint(Frame& frame, Args args) {
  switch (args[0].kind) {
    case Kind::kDouble: {
      uint64_t value = 0;
      return DoubleToUint(args[0].real, &value) ? Value::Uint(value) : Value::Error("unsigned integer overflow");
    }
    case Kind::kInt:
      if (args[0].integer < 0) return Value::Error("unsigned integer overflow");
      return Value::Uint(static_cast<uint64_t>(args[0].integer));
    default: break;
  }
  const auto value = ParseUint(args[0].Text());
  return value ? Value::Uint(*value) : Refused(frame, args[0], "uint");
}

Value ToTimestamp(Frame& frame, Args args) {
  if (args[0].Is(Kind::kInt)) {
    if (args[0].integer < kMinUnixSeconds || args[0].integer > kMaxUnixSeconds) return Value::Error("timestamp overflow");
    return Value::Timestamp(args[0].integer, 0, 0);
  }
  bool out_of_range = false;
  const auto value = ParseTimestamp(args[0].Text(), &out_of_range);
  if (value) return *value;
  return out_of_range ? Value::Error("timestamp overflow") : Refused(frame, args[0], "google.protobuf.Timestamp");
}

Value BytesToString(Frame&, Args args) {
  if (!IsValidUtf8(args[0].Text())) return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  return Value::String(args[0].Text());
}

Value ToString(Frame& frame, Args args) {
  switch (args[0].kind) {
    case Kind::kBool: return Value::String(args[0].boolean ? "true" : "false");
    case Kind::kInt: return frame.NewString(StrCat(args[0].integer));
    case Kind::kUint: return frame.NewString(StrCat(args[0].natural));
    case Kind::kDouble: return frame.NewString(FormatDouble(args[0].real));
    case Kind::kDuration: return frame.NewString(FormatDuration(args[0].integer));
    case Kind::kTimestamp: return frame.NewString(FormatTimestamp(args[0]));
    default: return Refused(frame, args[0], "string");
  }
}

constexpr Declaration kTable[] = {
    {"type", "type", "A->type(A)", TypeOf, Declaration::kSingleton},
    {"bool", "bool_to_bool", "bool->bool", Identity},
    {"bool", "string_to_bool", "string->bool", ToBool},
    {"bytes", "bytes_to_bytes", "bytes->bytes", Identity},
    {"bytes", "string_to_bytes", "string->bytes", ToBytes},
    {"double", "double_to_double", "double->double", Identity},
    {"double", "int64_to_double", "int->double", ToDouble},
    {"double", "string_to_double", "string->double", ToDouble},
    {"double", "uint64_to_double", "uint->double", ToDouble},
    {"duration", "duration_to_duration", "duration->duration", Identity},
    {"duration", "int64_to_duration", "int->duration", ToDuration},
    {"duration", "string_to_duration", "string->duration", ToDuration},
    {"dyn", "to_dyn", "A->dyn", Identity, Declaration::kSingleton},
    {"int", "int64_to_int64", "int->int", Identity},
    {"int", "double_to_int64", "double->int", ToInt},
    {"int", "duration_to_int64", "duration->int", ToInt},
    {"int", "string_to_int64", "string->int", ToInt},
    {"int", "timestamp_to_int64", "timestamp->int", ToInt},
    {"int", "uint64_to_int64", "uint->int", ToInt},
    {"string", "string_to_string", "string->string", Identity},
    {"string", "bool_to_string", "bool->string", ToString},
    {"string", "bytes_to_string", "bytes->string", BytesToString},
    {"string", "double_to_string", "double->string", ToString},
    {"string", "duration_to_string", "duration->string", ToString},
    {"string", "int64_to_string", "int->string", ToString},
    {"string", "timestamp_to_string", "timestamp->string", ToString},
    {"string", "uint64_to_string", "uint->string", ToString},
    {"timestamp", "timestamp_to_timestamp", "timestamp->timestamp", Identity},
    {"timestamp", "int64_to_timestamp", "int->timestamp", ToTimestamp},
    {"timestamp", "string_to_timestamp", "string->timestamp", ToTimestamp},
    {"uint", "uint64_to_uint64", "uint->uint", Identity},
    {"uint", "double_to_uint64", "double->uint", ToUint},
    {"uint", "int64_to_uint64", "int->uint", ToUint},
    {"uint", "string_to_uint64", "string->uint", ToUint},
};

}  // namespace

std::span<const Declaration> ConversionFunctions() { return kTable; }

}  // namespace allot::cel
