#pragma once
// Encodes one struct as a protobuf message, by the numbers of its type's fields. protobuf.h adds the envelope.

#include <string_view>

#include "apiserver/schema/type.h"
#include "apiserver/schema/wire_format.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Returns the present fields, including empty ones, in the order of the type. Returns kInvalid with the bad field.
Result<json::Value> DecodeMessage(json::Editor& edit, const Type& type, std::string_view message);

// Writes the message before the content of `out`. Omits fields that are null, unknown or not in protobuf. Returns kInvalid with the field
// whose value does not match its type.
Status EncodeMessage(const Type& type, const json::Value& object, WireWriter& out);

}  // namespace allot::apiserver
