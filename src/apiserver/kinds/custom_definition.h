#pragma once
// The rules of CustomResourceDefinitions, in their parts. DefinitionStrategy (strategies.h) puts them together.

#include <cstdint>

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom_schema.h"
#include "json/value.h"

namespace allot::apiserver {

// `schema`: openAPIV3Schema of one or all versions, at `field`. `status`: whether there is a status subresource, which limits what may be
// said at the root. Covers what OpenAPI and its extensions allow, structure (custom_structural.h), defaults and rules.
void ValidateDefinitionSchema(const json::Value& schema, bool status, const FieldPath& field, FieldErrors& errors);

// Defaults are values that the schema would take.
void ValidateSchemaDefaults(const CustomSchema& schema, const FieldPath& field, FieldErrors& errors);

// spec.names or status.acceptedNames.
void ValidateDefinitionNames(const json::Value& names, const FieldPath& field, FieldErrors& errors);

// What a version may say besides its schema: subresources, printer columns and selectable fields.
void ValidateSubresources(const json::Value& subresources, const FieldPath& field, FieldErrors& errors);
void ValidateColumns(const json::Value& columns, const FieldPath& field, FieldErrors& errors);
void ValidateSelectable(const json::Value& fields, const json::Value& schema, const FieldPath& field, FieldErrors& errors);

// spec.conversion. `served`: how many versions are. Webhooks are not called here, so with more than one they are refused.
void ValidateConversion(const json::Value& conversion, size_t served, const FieldPath& field, FieldErrors& errors);

}  // namespace allot::apiserver
