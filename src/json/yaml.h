#pragma once
// Reads YAML as kubectl does, into the same tree as JSON.
//
// json/yaml_scalar.h defines the meaning of scalars. A merge (<<) sets members in the order of the text, as in go-yaml 2. Text that begins
// with a brace and is JSON is parsed as JSON, so its numbers keep their text.
// Rejected: duplicate keys (unless listed), keys that are not scalars, tags outside YAML's core, aliases beyond the limits, merges of
// anything except mappings. Lists and mappings more than about 500 deep are rejected whatever the limits say.

#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/builder.h"
#include "json/value.h"

namespace allot::json {

// Parses every document of a stream ("---" separates them) and skips empty ones. JSON is YAML too.
// Returns kInvalid, with line, column and what was expected, or kExhausted if a limit is exceeded. `duplicates` works as in json.h and
// covers all documents.
Result<std::vector<Document>> ParseYaml(std::string_view text, Limits limits = {}, std::vector<Duplicate>* duplicates = nullptr);

}  // namespace allot::json
