#pragma once
// The OpenAPI version 2 document as protobuf: the message openapi.v2.Document of gnostic. Helm 3, and kubectl for its own checks of
// fields, take /openapi/v2 in no other form.
//
// All that OpenApiV2 writes is in it, under the numbers of gnostic-models' OpenAPIv2.proto; other keys are left out. Extensions (x-...) are
// JSON, which is the YAML that the message wants. The same document gives the same bytes.

#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

// What clients accept; the second since "@" may not be in a media type. The answer's Content-Type is always the second: client-go (1.36)
// refuses an answer whose type it cannot parse.
inline constexpr std::string_view kOpenApiProtobufOldType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
inline constexpr std::string_view kOpenApiProtobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// `json`: of OpenApiV2. kInvalid and kExhausted where it cannot be read.
Result<std::string> OpenApiV2Protobuf(std::string_view json);

}  // namespace allot::apiserver
