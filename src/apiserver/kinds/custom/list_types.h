#pragma once
// What a schema demands of lists beyond their items, and of embedded objects.

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom/schema.h"

namespace allot::apiserver {

// Sets must have no item twice, and lists of type map no key twice (x-kubernetes-list-type).
void ValidateListTypes(const CustomSchema& schema, const json::Value& value, const FieldPath& field, FieldErrors& errors);

// Embedded objects must have apiVersion and kind, and names that the API accepts (x-kubernetes-embedded-resource). `resource`: the value
// itself is such an object, whatever the schema says.
void ValidateEmbedded(const CustomSchema& schema, const json::Value& value, const FieldPath& field, FieldErrors& errors,
                      bool resource = false);

}  // namespace allot::apiserver
