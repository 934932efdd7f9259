#pragma once
// The start of the next page of a list. Opaque to clients, but not secret.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::apiserver {

struct ContinueToken {
  uint64_t version = 0;
  std::string after;  // "namespace/name" of the previous page's last object
};

std::string WriteToken(const ContinueToken& token);
// Refuses with 400 a token that WriteToken did not write.
Result<ContinueToken> ReadToken(std::string_view text);

}  // namespace allot::apiserver
