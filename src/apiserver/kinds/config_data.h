#pragma once
// What ConfigMaps and Secrets share: keys with values, a total size limit, and the `immutable` flag.

#include <initializer_list>
#include <string>
#include <string_view>

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

inline constexpr size_t kMaxConfigBytes = 1024 * 1024;

enum class Encoding { kText, kBase64 };

// Checks the keys and returns the total size of the decoded values in bytes.
size_t CheckConfigData(const FieldPath& field, const json::Value& data, Encoding encoding, FieldErrors& errors);

// If `immutable` was set, it must stay set, and the named members must not change.
void CheckStaysImmutable(const json::Value& object, const json::Value& old, std::initializer_list<std::string_view> names,
                         FieldErrors& errors);

// Standard base64 with padding, the JSON form of bytes. DecodeBase64 REQUIRES valid text; otherwise it returns what precedes the error.
std::string EncodeBase64(std::string_view bytes);
std::string DecodeBase64(std::string_view text);

}  // namespace allot::apiserver
