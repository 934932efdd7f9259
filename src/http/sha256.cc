#include "http/sha256.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace allot::http {

std::string Sha256Hex(std::string_view bytes) {
  unsigned char digest[32];
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, nullptr, EVP_sha256(), nullptr) == 1);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace allot::http
