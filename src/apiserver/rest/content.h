#pragma once
// What bodies look like on the wire: which form a client accepts, how its own is read, and compression.

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

// The best of an Accept header that this server has; views only where `views` says that they are possible. 406 where there is none.
// JSON is taken wherever it is as good as protobuf to the client: it is there already.
Result<Format> Negotiate(std::string_view accept, bool views);
// The same for /openapi/v2, which has two forms: JSON, and a protobuf of its own (rest/openapi_protobuf.h).
Result<Format> NegotiateOpenApi(std::string_view accept);

// "application/json", without parameters, in lower case.
std::string MediaTypeOf(std::string_view content_type);

struct Body {
  json::Document document;
  std::vector<std::string> duplicates;  // fields that were there twice
};
// A request body by its Content-Type (JSON where there is none). 400 for what cannot be read, 415 for a type that nobody reads.
Result<Body> ReadBody(const http::Request& request);

// The text as YAML.
Result<std::string> JsonToYaml(std::string_view json);

// Compressed where the client accepts it and it is worth it; else nothing.
std::optional<std::string> Gzipped(const http::Request& request, std::string_view body);

}  // namespace allot::apiserver
