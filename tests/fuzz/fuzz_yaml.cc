// YAML: every document is a tree that JSON can represent, and no input costs more than the limits allow.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/json.h"
#include "json/yaml.h"

namespace json = allot::json;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Small limits, so that an input of a few KiB can reach them with aliases.
  constexpr json::Limits kLimits{.depth = 64, .nodes = 20'000, .bytes = 1 << 20};
  const auto documents = json::ParseYaml(std::string_view(reinterpret_cast<const char*>(data), size), kLimits);
  if (!documents.ok()) {
    CHECK(!documents.status().message().empty());
    return 0;
  }
  for (const json::Document& document : *documents) {
    const auto again = json::Parse(json::Write(document.root()));
    CHECK(again.ok());
    CHECK(json::Equal(again->root(), document.root()));
  }
  return 0;
}
