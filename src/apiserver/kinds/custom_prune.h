#pragma once
// Takes the fields that a custom kind does not have out of an object.

#include <string>
#include <vector>

#include "apiserver/schema/type.h"
#include "json/editor.h"

namespace allot::apiserver {

// `value` without fields that `type` does not list, at every depth, except below what keeps unknown fields. Values of a wrong type stay
// as they are: the schema's validation names them (custom_validate.h). Members are sorted (custom_order.h). Nothing is copied where nothing
// changes.
//
// `unknown`, where it is given, gets the paths of the fields that were taken out, sorted: "spec.nonsense", "spec.list[0].x"; no
// more than kMaxUnknownFields, with those that it has.
json::Value PruneCustom(json::Editor& edit, const Type& type, const json::Value& value, std::vector<std::string>* unknown = nullptr);

}  // namespace allot::apiserver
