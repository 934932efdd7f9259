#pragma once
// YAML as kubectl reads it, into the same tree as JSON.
//
// What a scalar means is in json/yaml_scalar.h; a merge (<<) sets members in the order of the text, as go-yaml 2 does. A text that begins
// with a brace and is JSON is read as JSON, so that its numbers keep their text.
// Refused: duplicate keys (unless they are listed), keys that are not scalars, tags but those of YAML's core, aliases beyond the limits,
// merge keys of anything but mappings. Lists and mappings more than about 500 deep are refused whatever the limits say.

#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/builder.h"
#include "json/value.h"

namespace allot::json {

// Every document of a stream ("---" between them); empty ones are left out. JSON is YAML too.
// kInvalid with line and column, and what was expected; kExhausted when a limit is passed. `duplicates` as in json.h, of all documents.
Result<std::vector<Document>> ParseYaml(std::string_view text, Limits limits = {}, std::vector<Duplicate>* duplicates = nullptr);

}  // namespace allot::json
