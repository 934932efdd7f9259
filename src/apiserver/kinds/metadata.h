#pragma once
// The rules for metadata, the same for all kinds but for the name.

#include "apiserver/field_errors.h"
#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// Of a new object, after Api has set what the server sets.
void ValidateMetadata(const Kind& kind, const json::Value& object, FieldErrors& errors);

// Of `object` that replaces `old`. That an update must have a resourceVersion is for Api to say.
void ValidateMetadataUpdate(const Kind& kind, const json::Value& object, const json::Value& old, FieldErrors& errors);

// The metadata of a template: labels and annotations, whose errors have paths without "metadata", as kube-apiserver has it.
void ValidateTemplateMetadata(const FieldPath& field, const json::Value& metadata, FieldErrors& errors);

}  // namespace allot::apiserver
