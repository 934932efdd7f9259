#pragma once
// Certificates of our own making: an authority, and servers that it vouches for. Keys are ECDSA P-256.

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace allot::http {

// In PEM. The key is a secret.
struct KeyPair {
  std::string certificate_pem, key_pem;
};

// An authority that signs servers and nothing else. `name` is its common name, 1 to 64 bytes.
Result<KeyPair> MakeAuthority(const std::string& name, WallTime from, std::chrono::seconds valid);

// A server of these names (DNS names and IP addresses, at least one), signed by the authority. kInvalid names what is wrong: a name, or an
// authority whose key does not belong to its certificate.
Result<KeyPair> MakeServerCertificate(const KeyPair& authority, const std::vector<std::string>& names, WallTime from,
                                      std::chrono::seconds valid);

struct CertificateFacts {
  WallTime begins, ends;
  std::vector<std::string> names;  // DNS names, and IP addresses as inet_ntop writes them
};

// Of the first certificate in the text. kInvalid where there is none.
Result<CertificateFacts> ReadCertificate(const std::string& pem);

// Whether the first certificate of `pem` was signed with the key of the one in `authority_pem`.
bool IsSignedBy(const std::string& pem, const std::string& authority_pem);

}  // namespace allot::http
