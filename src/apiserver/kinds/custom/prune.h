#pragma once
// Removes the fields that a custom kind does not have from an object.

#include <string>
#include <vector>

#include "apiserver/schema/type.h"
#include "json/editor.h"

namespace allot::apiserver {

// Returns `value` without the fields that `type` does not list, at every depth, except where unknown fields are preserved. Values of a
// wrong type stay: validation reports them (custom_validate.h). Members are sorted (custom_order.h). Copies nothing that does not change.
//
// Adds the paths of the removed fields, sorted, to `unknown` unless it is nullptr: "spec.nonsense", "spec.list[0].x". `unknown` never has
// more than kMaxUnknownFields entries.
json::Value PruneCustom(json::Editor& edit, const Type& type, const json::Value& value, std::vector<std::string>* unknown = nullptr);

}  // namespace allot::apiserver
