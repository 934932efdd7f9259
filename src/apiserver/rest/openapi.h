#pragma once
// The OpenAPI documents of a set of kinds. `kubectl explain` prints them, and `kubectl apply` reads fields and parameters from them.
//
// /openapi/v3 is an index with a document for each group and version; /openapi/v2 is one document for all. They are generated from the
// kinds' types; the descriptions of fields are allot's own (openapi_words.h). Pure: the same kinds give the same bytes.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

struct OpenApiDocument {
  std::string path;  // below /openapi/v3/: "api/v1", "apis/resource.k8s.io/v1"; empty for version 2
  std::string json;
  std::string hash;  // changes with the json: for an ETag
};

using KindSpan = std::span<const std::shared_ptr<const Kind>>;

// Sorted by path.
std::vector<OpenApiDocument> OpenApiV3(KindSpan kinds);
// Makes the document at one path; nullopt if no kind has that group and version.
std::optional<OpenApiDocument> OpenApiV3At(KindSpan kinds, std::string_view path);
// The response of /openapi/v3: the path of each document, with its hash in the query.
std::string OpenApiV3Index(std::span<const OpenApiDocument> documents);

OpenApiDocument OpenApiV2(KindSpan kinds);

}  // namespace allot::apiserver
