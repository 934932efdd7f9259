#pragma once
// Reads and writes JSON text.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/builder.h"
#include "json/value.h"

namespace allot::json {

// Parses one JSON value with nothing after it. Returns kInvalid, with line, column and what was expected, or kExhausted if a limit is
// exceeded.
// A repeated key is an error. With `duplicates` it is listed there, in the order of the text, and its last value counts.
Result<Document> Parse(std::string_view text, Limits limits = {}, std::vector<Duplicate>* duplicates = nullptr);

struct WriteOptions {
  int indent = 0;  // spaces per level; 0: one line
};
std::string Write(const Value& value, WriteOptions options = {});

}  // namespace allot::json
