#pragma once
// The defaults of a schema.

#include "apiserver/kinds/custom_schema.h"
#include "json/editor.h"

namespace allot::apiserver {

// `value` with defaults where something is missing, at every depth. A null that the schema does not allow counts as missing: it is
// replaced by the default, or taken out of its object where there is none. The defaults themselves are shared, not copied: the schema must
// outlive the arena. Sorted members stay sorted.
json::Value ApplyDefaults(json::Editor& edit, const CustomSchema& schema, const json::Value& value);

}  // namespace allot::apiserver
