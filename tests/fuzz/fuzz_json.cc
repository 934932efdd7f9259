// JSON: a parsed value, written compact or indented, parses to the same value, and writing that again gives the same text.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "json/json.h"

namespace json = allot::json;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto document = json::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!document.ok()) {
    CHECK(!document.status().message().empty());
    return 0;
  }
  const std::string compact = json::Write(document->root());
  for (const std::string& text : {compact, json::Write(document->root(), {.indent = 2})}) {
    const auto again = json::Parse(text);
    CHECK(again.ok());
    CHECK(json::Equal(again->root(), document->root()));
    CHECK(json::Write(again->root()) == compact);
  }
  return 0;
}
