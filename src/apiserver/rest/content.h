#pragma once
// Content types of bodies: negotiation, decoding and compression.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/message.h"
#include "json/value.h"

namespace allot::apiserver {

enum class Media { kJson, kYaml, kProtobuf };
enum class View { kObject, kTable, kPartial, kDiscovery };

struct Format {
  Media media = Media::kJson;
  View view = View::kObject;
  std::string version;  // of the view's group: "v1", "v2"
};

// Returns the best format in an Accept header that the server supports; views only if `views`. 406 if there is none. Prefers JSON if the
// client accepts JSON and protobuf equally, because objects are stored as JSON.
Result<Format> Negotiate(std::string_view accept, bool views);
// The same for /openapi/v2, which has two forms: JSON, and its own protobuf message (rest/openapi_protobuf.h).
Result<Format> NegotiateOpenApi(std::string_view accept);

// "application/json", without parameters, in lower case.
std::string MediaTypeOf(std::string_view content_type);

struct Body {
  json::Document document;
  std::vector<std::string> duplicates;  // fields that occurred twice
};
// Parses a request body by its Content-Type (default JSON). 400 if it is malformed, 415 for an unsupported type.
Result<Body> ReadBody(const http::Request& request);

// Converts JSON to YAML.
Result<std::string> JsonToYaml(std::string_view json);

// Compresses the body if the client accepts that and it pays off; else nullopt.
std::optional<std::string> Gzipped(const http::Request& request, std::string_view body);

}  // namespace allot::apiserver
