#pragma once
// The rules of CustomResourceDefinitions, in parts. DefinitionKindRules (kind_rules.h) combines them.

#include <cstdint>

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom/schema.h"
#include "json/value.h"

namespace allot::apiserver {

// `schema` is the openAPIV3Schema, at `field`, of one version or of all. `status` says whether there is a status subresource, which limits
// the root of the schema. Checks what OpenAPI and its extensions allow, structure (custom_structural.h), defaults and rules.
void ValidateDefinitionSchema(const json::Value& schema, bool status, const FieldPath& field, FieldErrors& errors);

// Defaults must be valid values of the schema.
void ValidateSchemaDefaults(const CustomSchema& schema, const FieldPath& field, FieldErrors& errors);

// Checks spec.names or status.acceptedNames.
void ValidateDefinitionNames(const json::Value& names, const FieldPath& field, FieldErrors& errors);

// Check the other parts of a version: subresources, printer columns and selectable fields.
void ValidateSubresources(const json::Value& subresources, const FieldPath& field, FieldErrors& errors);
void ValidateColumns(const json::Value& columns, const FieldPath& field, FieldErrors& errors);
void ValidateSelectable(const json::Value& fields, const json::Value& schema, const FieldPath& field, FieldErrors& errors);

// Checks spec.conversion. `served` is the number of served versions. Conversion webhooks are not supported, so they are rejected if there
// are several versions.
void ValidateConversion(const json::Value& conversion, size_t served, const FieldPath& field, FieldErrors& errors);

}  // namespace allot::apiserver
