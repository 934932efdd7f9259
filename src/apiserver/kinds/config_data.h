#pragma once
// What ConfigMaps and Secrets share: keys with values, a limit for all of them together, and a flag that freezes them.

#include <initializer_list>
#include <string>
#include <string_view>

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

inline constexpr size_t kMaxConfigBytes = 1024 * 1024;

enum class Encoding { kText, kBase64 };

// Checks the keys; returns how many bytes the values are, decoded.
size_t CheckConfigData(const FieldPath& field, const json::Value& data, Encoding encoding, FieldErrors& errors);

// Where `immutable` was set it stays, and so do the members that are named.
void CheckStaysImmutable(const json::Value& object, const json::Value& old, std::initializer_list<std::string_view> names,
                         FieldErrors& errors);

// Standard base64 with padding, as bytes in JSON are written. Decode REQUIRES that; what is none gives what came before it.
std::string EncodeBase64(std::string_view bytes);
std::string DecodeBase64(std::string_view text);

}  // namespace allot::apiserver
