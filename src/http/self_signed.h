#pragma once
// Makes certificates: an authority, and the servers that it signs. Keys are ECDSA P-256.

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace allot::http {

// PEM texts. The key is a secret.
struct KeyPair {
  std::string certificate_pem, key_pem;
};

// Makes an authority that signs only server certificates. `name` is its common name, 1 to 64 bytes.
Result<KeyPair> MakeAuthority(const std::string& name, WallTime from, std::chrono::seconds valid);

// Makes a certificate for a server with these names (DNS names and IP addresses, at least one), signed by the authority. Returns kInvalid
// with the bad name, or if the authority's key does not match its certificate.
Result<KeyPair> MakeServerCertificate(const KeyPair& authority, const std::vector<std::string>& names, WallTime from,
                                      std::chrono::seconds valid);

struct CertificateFacts {
  WallTime begins, ends;
  std::vector<std::string> names;  // DNS names, and IP addresses as inet_ntop writes them
};

// Reads the first certificate in the text. Returns kInvalid if there is none.
Result<CertificateFacts> ReadCertificate(const std::string& pem);

// Returns whether the key of `authority_pem` signed the first certificate of `pem`.
bool IsSignedBy(const std::string& pem, const std::string& authority_pem);

}  // namespace allot::http
