#pragma once
// Applies the defaults of a schema.

#include "apiserver/kinds/custom/schema.h"
#include "json/editor.h"

namespace allot::apiserver {

// Returns `value` with defaults for missing parts, at every depth. A null that the schema does not allow counts as missing: it is replaced
// by the default, or removed if there is none. Defaults are shared, not copied, so the schema must outlive the arena. Sorted members stay
// sorted.
json::Value ApplyDefaults(json::Editor& edit, const CustomSchema& schema, const json::Value& value);

}  // namespace allot::apiserver
