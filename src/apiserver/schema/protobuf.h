#pragma once
// Objects as `application/vnd.kubernetes.protobuf`: four magic bytes, then an envelope that names the kind and contains the object's
// message.
//
// The types have the numbers of the fields (schema/type.h). Custom kinds have no numbers and support only JSON.

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kProtobufWatchType = "application/vnd.kubernetes.protobuf;stream=watch";

// Returns the type of a kind, or nullptr. Both arguments are empty if the body does not name its kind: the path then implies it.
using FindType = std::function<const Type*(std::string_view api_version, std::string_view kind)>;

// Whether objects of the type can be written as protobuf. Custom kinds and Tables cannot.
bool HasProtobuf(const Type& type);

// Decodes a request's body into the equivalent JSON: apiVersion and kind as far as the body has them, then the present fields in the order
// of the type, including empty ones, which Normalize handles. Unknown fields are skipped; text that is not UTF-8 is repaired as by Go's
// JSON encoder. The value depends on the arena and the types, not on the body.
//
// Returns kInvalid if the body is not protobuf, cut off, or wrongly encoded, or if the JSON would be more than 128 deep. Returns kNotFound
// for an unknown kind.
Result<json::Value> DecodeProtobuf(json::Editor& edit, std::string_view body, const FindType& find);

// Encodes a response: a normalized object with its envelope. A list is an object of its list type ("...PodList"). Returns kInvalid if a
// value does not match its type.
Result<std::string> EncodeProtobuf(const Type& type, std::string_view api_version, std::string_view kind, const json::Value& object);

// Encodes one event of a watch, prefixed with its length. `type` is ADDED and so on; `object` comes from EncodeProtobuf.
std::string EncodeProtobufEvent(std::string_view type, std::string_view object);

}  // namespace allot::apiserver
