#pragma once
// Validates metadata. The rules are the same for all kinds, except for the name.

#include "apiserver/field_errors.h"
#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// Validates a new object, after Api has set the server's fields.
void ValidateMetadata(const Kind& kind, const json::Value& object, FieldErrors& errors);

// Validates `object`, which replaces `old`. Api checks that an update has a resourceVersion.
void ValidateMetadataUpdate(const Kind& kind, const json::Value& object, const json::Value& old, FieldErrors& errors);

// Validates the labels and annotations of a template. Like kube-apiserver's, the paths of errors do not contain "metadata".
void ValidateTemplateMetadata(const FieldPath& field, const json::Value& metadata, FieldErrors& errors);

}  // namespace allot::apiserver
