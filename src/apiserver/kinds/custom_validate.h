#pragma once
// Whether a value is what its schema allows: types, limits, formats, alternatives. Names, reasons and words are kube-apiserver's.

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom_schema.h"
#include "json/value.h"

namespace allot::apiserver {

// Adds what is wrong with `value`, which stands at `field`; the default is the object itself.
// `old` is what it replaces, or nullptr: parts that stay as they were may be wrong. At most 10,000 errors are added.
void ValidateBySchema(const CustomSchema& schema, const json::Value& value, const json::Value* old, const FieldPath& field,
                      FieldErrors& errors);

}  // namespace allot::apiserver
