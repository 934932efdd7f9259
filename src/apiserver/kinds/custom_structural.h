#pragma once
// Whether a schema is structural: every part that is described has a type, and what is said inside of not, allOf, anyOf and oneOf only
// narrows what is described outside of them. Only then is it clear what pruning and defaults do.

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

// Adds what is not structural in `schema` (openAPIV3Schema of a definition, as JSON), sorted.
void ValidateStructural(const json::Value& schema, const FieldPath& field, FieldErrors& errors);

// What makes a schema one that nothing can be said about, such as "$ref"; empty: nothing does.
std::string FindUnsupported(const json::Value& schema);

}  // namespace allot::apiserver
