#pragma once
// Where the next page of a list begins: opaque to clients, and nothing secret.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

struct ContinueToken {
  uint64_t version = 0;
  std::string after;  // "namespace/name" of the last object of the former page
};

std::string WriteToken(const ContinueToken& token);
// 400 for what was not written by WriteToken.
Result<ContinueToken> ReadToken(std::string_view text);

}  // namespace allot::apiserver
