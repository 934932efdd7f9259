#pragma once
// Objects as `application/vnd.kubernetes.protobuf`: four magic bytes, then an envelope that names the kind and holds the object's message.
//
// The fields' numbers are in their types (schema/type.h), so kinds from custom definitions, which have none, are JSON only.

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kProtobufWatchType = "application/vnd.kubernetes.protobuf;stream=watch";

// The type of a kind; nullptr: there is none. Both are empty where the body does not say: then the kind that the path implies.
using FindType = std::function<const Type*(std::string_view api_version, std::string_view kind)>;

// Whether objects of the type can be written so; not those of custom kinds, and Tables.
bool HasProtobuf(const Type& type);

// A request's body as JSON would have had it: apiVersion and kind as far as the body says, then the fields that are there, in the order of
// the type, also those that are empty: Normalize decides about these. Unknown fields are passed over; text that is not UTF-8 is mended as
// Go's JSON writer does. The value needs the arena and the types, not the body.
//
// kInvalid: not protobuf, cut off, a wrong encoding, or JSON that would be more than 128 deep. kNotFound: no such kind.
Result<json::Value> DecodeProtobuf(json::Editor& edit, std::string_view body, const FindType& find);

// An answer: the object, which is normalized, with its envelope. A list is an object of its list type ("...PodList"). kInvalid where a
// value is not what its type says.
Result<std::string> EncodeProtobuf(const Type& type, std::string_view api_version, std::string_view kind, const json::Value& object);

// One event of a watch, with its length in front. `type` is ADDED and so on; `object` is what EncodeProtobuf returned.
std::string EncodeProtobufEvent(std::string_view type, std::string_view object);

}  // namespace allot::apiserver
