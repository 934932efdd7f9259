#pragma once
// The paths of a kind and their operations in OpenAPI.

#include <map>
#include <string>

#include "apiserver/kinds/kind.h"
#include "apiserver/rest/openapi_schema.h"
#include "json/value.h"

namespace allot::apiserver {

using OpenApiPaths = std::map<std::string, json::Value, std::less<>>;

// Adds "/api/v1/namespaces/{namespace}/pods/{name}" and related paths: the collection, one object, its subresources, and the collection of
// all namespaces.
void AddPaths(SchemaSet& schemas, const Kind& kind, OpenApiPaths& paths);

}  // namespace allot::apiserver
