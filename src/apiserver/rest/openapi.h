#pragma once
// The OpenAPI documents of a set of kinds: what kubectl explain prints, and what kubectl apply knows of fields and parameters.
//
// /openapi/v3 is an index, with a document for each group and version; /openapi/v2 is one document for all. They are made from the kinds'
// types, the fields' descriptions are our own (openapi_words.h). Pure functions; the same kinds give the same bytes.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

struct OpenApiDocument {
  std::string path;  // "api/v1", "apis/resource.k8s.io/v1": below /openapi/v3/; of version 2: empty
  std::string json;
  std::string hash;  // changes with the json: for an ETag
};

using KindSpan = std::span<const std::shared_ptr<const Kind>>;

// Sorted by path.
std::vector<OpenApiDocument> OpenApiV3(KindSpan kinds);
// The one at a path, made alone; nothing where no kind is of that group and version.
std::optional<OpenApiDocument> OpenApiV3At(KindSpan kinds, std::string_view path);
// The answer of /openapi/v3: where each document is, with its hash in the query.
std::string OpenApiV3Index(std::span<const OpenApiDocument> documents);

OpenApiDocument OpenApiV2(KindSpan kinds);

}  // namespace allot::apiserver
