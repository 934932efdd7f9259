#pragma once
// Whether a schema is structural: every described part has a type, and not, allOf, anyOf and oneOf only narrow what is described outside
// them. Pruning and defaults are well defined only then.

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

// Adds what is not structural in `schema` (openAPIV3Schema of a definition, as JSON), sorted.
void ValidateStructural(const json::Value& schema, const FieldPath& field, FieldErrors& errors);

// Returns a keyword that is not supported at all, such as "$ref", or empty.
std::string FindUnsupported(const json::Value& schema);

}  // namespace allot::apiserver
