#pragma once
// Objects as tables for people, and reduced to their metadata: what `Accept: ...;as=Table` and `;as=PartialObjectMetadata` ask for.
//
// Objects are given as their JSON text; each is parsed once. Errors are kInvalid, for text that is no JSON object.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/kinds/kind.h"
#include "base/clock.h"
#include "base/status.h"

namespace allot::apiserver {

// What a row holds of its object, from the query parameter `includeObject`.
enum class IncludeObject { kMetadata, kObject, kNone };

// Of "Metadata", "Object", "None" and "" (Metadata); nothing for any other text.
std::optional<IncludeObject> ParseIncludeObject(std::string_view text);

// The metadata of a list.
struct ListInfo {
  std::string resource_version;
  std::string continue_token;          // empty: this is all
  std::optional<int64_t> remaining{};  // how many objects come after these
};

struct TableOptions {
  IncludeObject include = IncludeObject::kMetadata;
  bool columns = true;              // false: of a watch's second event and those after it
  std::string_view version = "v1";  // of meta.k8s.io: "v1" or "v1beta1"
};

// A Table of a list.
Result<std::string> WriteTable(const Kind& kind, std::span<const std::string_view> objects, const ListInfo& info, WallTime now,
                               const TableOptions& options);
// A Table of one object: the answer to a get, or the object of a watch event. Its resourceVersion is that of the object.
Result<std::string> WriteTableOfOne(const Kind& kind, std::string_view object, WallTime now, const TableOptions& options);

// A PartialObjectMetadata, and a list of them.
Result<std::string> WritePartial(std::string_view object, std::string_view version = "v1");
Result<std::string> WritePartialList(std::span<const std::string_view> objects, const ListInfo& info, std::string_view version = "v1");

}  // namespace allot::apiserver
