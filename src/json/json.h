#pragma once
// JSON text in and out.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/builder.h"
#include "json/value.h"

namespace allot::json {

// One JSON value and nothing behind it. kInvalid with line and column, and what was expected; kExhausted when a limit is passed.
// A key that comes twice in an object is an error; with `duplicates` it is listed there, in the order of the text, and its last value
// counts.
Result<Document> Parse(std::string_view text, Limits limits = {}, std::vector<Duplicate>* duplicates = nullptr);

struct WriteOptions {
  int indent = 0;  // spaces a level; 0: one line
};
std::string Write(const Value& value, WriteOptions options = {});

}  // namespace allot::json
