#pragma once
// Writes objects as tables for people, or reduced to their metadata, for `Accept: ...;as=Table` and `;as=PartialObjectMetadata`.
//
// Objects are given as JSON text; each is parsed once. Returns kInvalid for text that is not a JSON object.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/kinds/kind.h"
#include "base/clock.h"
#include "base/status.h"

namespace allot::apiserver {

// How much of its object a row contains, from the query parameter `includeObject`.
enum class IncludeObject { kMetadata, kObject, kNone };

// Parses "Metadata", "Object", "None" and "" (Metadata); nullopt for any other text.
std::optional<IncludeObject> ParseIncludeObject(std::string_view text);

// The metadata of a list.
struct ListInfo {
  std::string resource_version;
  std::string continue_token;          // empty: this is the last page
  std::optional<int64_t> remaining{};  // how many objects follow these
};

struct TableOptions {
  IncludeObject include = IncludeObject::kMetadata;
  bool columns = true;              // false for all events of a watch after the first
  std::string_view version = "v1";  // of meta.k8s.io: "v1" or "v1beta1"
};

// Writes a Table of a list.
Result<std::string> WriteTable(const Kind& kind, std::span<const std::string_view> objects, const ListInfo& info, WallTime now,
                               const TableOptions& options);
// Writes a Table of one object: the response to a get, or the object of a watch event. Its resourceVersion is the object's.
Result<std::string> WriteTableOfOne(const Kind& kind, std::string_view object, WallTime now, const TableOptions& options);

// Write a PartialObjectMetadata, or a list of them.
Result<std::string> WritePartial(std::string_view object, std::string_view version = "v1");
Result<std::string> WritePartialList(std::span<const std::string_view> objects, const ListInfo& info, std::string_view version = "v1");

}  // namespace allot::apiserver
