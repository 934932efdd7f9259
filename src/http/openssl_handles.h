#pragma once
// OpenSSL's objects, freed by their owner. Included only by sources of this area (src/README.md).

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace allot::http {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

// Returns OpenSSL's first error and clears the rest. nullptr: OpenSSL has no error, or no words for it.
inline const char* TakeError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  return code == 0 ? nullptr : ERR_reason_error_string(code);
}

}  // namespace allot::http
