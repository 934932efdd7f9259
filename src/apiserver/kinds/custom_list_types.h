#pragma once
// What a schema promises of lists beyond their items, and of objects inside of objects.

#include "apiserver/field_errors.h"
#include "apiserver/kinds/custom_schema.h"

namespace allot::apiserver {

// Lists that are sets have no item twice, lists that are maps no keys twice (x-kubernetes-list-type).
void ValidateListTypes(const CustomSchema& schema, const json::Value& value, const FieldPath& field, FieldErrors& errors);

// Embedded objects say what they are and have names that the API would take (x-kubernetes-embedded-resource). `resource`: the value itself
// is such an object, whatever the schema says.
void ValidateEmbedded(const CustomSchema& schema, const json::Value& value, const FieldPath& field, FieldErrors& errors,
                      bool resource = false);

}  // namespace allot::apiserver
