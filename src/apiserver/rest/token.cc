#include "apiserver/rest/token.h"

#include <charconv>

#include "apiserver/refusal.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

// Hexadecimal, because names may contain a URL's special characters.
std::string WriteToken(const ContinueToken& token) {
  std::string text;
  for (const char c : StrCat(token.version, ":", token.after)) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

Result<ContinueToken> ReadToken(std::string_view text) {
  const Status bad = BadRequest(StrCat("continue key is not valid: ", Quoted(text)));
  std::string plain;
  if (text.size() % 2 != 0) return bad;
  for (size_t i = 0; i < text.size(); i += 2) {
    const size_t high = kDigits.find(text[i]), low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return bad;
    plain += static_cast<char>(high * 16 + low);
  }
  ContinueToken token;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), token.version);
  if (error != std::errc() || end == plain.data() + plain.size() || *end != ':') return bad;
  token.after = plain.substr(static_cast<size_t>(end + 1 - plain.data()));
  if (token.after.find('/') == std::string::npos) return bad;
  return token;
}

}  // namespace allot::apiserver
