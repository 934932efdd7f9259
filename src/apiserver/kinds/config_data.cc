#include "apiserver/kinds/config_data.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t DecodedBytes(std::string_view base64) {
  const size_t padding = base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0;
  return base64.size() / 4 * 3 - (base64.size() < 4 ? 0 : padding);
}

}  // namespace

size_t CheckConfigData(const FieldPath& field, const json::Value& data, Encoding encoding, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& [key, value] : json::MembersOf(data)) {
    AddInvalid(field.Key(key), key, ConfigKeyProblems(key), errors);
    const std::string_view text = json::TextOf(value);
    bytes += encoding == Encoding::kText ? text.size() : DecodedBytes(text);
  }
  return bytes;
}

void CheckStaysImmutable(const json::Value& object, const json::Value& old, std::initializer_list<std::string_view> names,
                         FieldErrors& errors) {
  if (!json::IsTrue(old["immutable"])) return;
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!json::IsTrue(object["immutable"])) errors.Forbidden(FieldPath("immutable"), kWhy);
  for (const std::string_view name : names) {
    if (!json::Equal(object[name], old[name])) errors.Forbidden(FieldPath(name), kWhy);
  }
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) break;
    group = (group << 6 | static_cast<uint32_t>(digit)) & 0xFFFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFF);
  }
  return bytes;
}

}  // namespace allot::apiserver
