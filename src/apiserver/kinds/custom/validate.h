#pragma once
// Validates a value against its schema: types, limits, formats, alternatives. Fields, reasons and words are kube-apiserver's.

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom/schema.h"
#include "json/value.h"

namespace allot::apiserver {

// Adds the errors of `value` at `field`. `old` is the replaced value or nullptr: unchanged parts may be invalid. Adds at most 10,000
// errors.
void ValidateBySchema(const CustomSchema& schema, const json::Value& value, const json::Value* old, const FieldPath& field,
                      FieldErrors& errors);

}  // namespace allot::apiserver
