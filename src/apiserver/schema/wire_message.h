#pragma once
// One struct as a protobuf message, by the numbers of its type's fields. What is around it is in protobuf.h.

#include <string_view>

#include "apiserver/schema/type.h"
#include "apiserver/schema/wire_format.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// The fields that are there, also empty ones, in the order of the type. kInvalid names the field that is wrong.
Result<json::Value> DecodeMessage(json::Editor& edit, const Type& type, std::string_view message);

// Writes the message in front of what `out` has. Fields that are null, unknown or not in protobuf are left out. kInvalid names the field
// whose value is not what its type says.
Status EncodeMessage(const Type& type, const json::Value& object, WireWriter& out);

}  // namespace allot::apiserver
