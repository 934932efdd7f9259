#pragma once
// The OpenAPI version 2 document as protobuf: the message openapi.v2.Document of gnostic. Helm 3, and kubectl's field validation, accept
// /openapi/v2 only in this form.
//
// It has everything that OpenApiV2 writes, under the numbers of gnostic-models' OpenAPIv2.proto; other keys are omitted. Extensions (x-...)
// are JSON, which is valid YAML as the message requires. The same document gives the same bytes.

#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

// The types that clients accept; the second exists because "@" is not allowed in a media type. The response's Content-Type is always the
// second: client-go (1.36) rejects a response whose type it cannot parse.
inline constexpr std::string_view kOpenApiProtobufOldType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
inline constexpr std::string_view kOpenApiProtobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

// `json` comes from OpenApiV2. Returns kInvalid or kExhausted if it cannot be parsed.
Result<std::string> OpenApiV2Protobuf(std::string_view json);

}  // namespace allot::apiserver
