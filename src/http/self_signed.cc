#include "http/self_signed.h"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <climits>
#include <ctime>
#include <memory>

#include "http/openssl_handles.h"

namespace allot::http {
namespace {

using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
using Name = std::unique_ptr<GENERAL_NAME, Freed<GENERAL_NAME_free>>;

Status OpensslError(std::string_view doing) {
  const char* const reason = TakeError();
  return Unavailable(doing, ": ", reason == nullptr ? "OpenSSL failed" : reason);
}

Bio Memory(const std::string& pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(std::min<size_t>(pem.size(), INT_MAX)))); }

Certificate ReadPem(const std::string& pem) {
  Certificate certificate(PEM_read_bio_X509(Memory(pem).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

Result<KeyPair> WritePem(X509* certificate, EVP_PKEY* key) {
  const Bio for_certificate(BIO_new(BIO_s_mem())), for_key(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(for_certificate.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(for_key.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return OpensslError("write a certificate");
  }
  return KeyPair{TextOf(for_certificate.get()), TextOf(for_key.get())};
}

// A certificate without issuer, extensions and signature.
Result<Certificate> Blank(EVP_PKEY* key, const std::string& common_name, WallTime from, std::chrono::seconds valid) {
  Certificate certificate(X509_new());
  unsigned char serial[16];
  if (certificate == nullptr || RAND_bytes(serial, sizeof serial) != 1) return OpensslError("make a certificate");
  serial[0] = static_cast<unsigned char>((serial[0] & 0x3f) | 0x40);  // positive, and always the same length
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(BN_bin2bn(serial, sizeof serial, nullptr));
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  const auto* const name = reinterpret_cast<const unsigned char*>(common_name.data());
  const time_t begin = std::chrono::system_clock::to_time_t(from), end = begin + valid.count();
  const bool made =
      X509_set_version(certificate.get(), X509_VERSION_3) == 1 && number != nullptr &&
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get())) != nullptr &&
      X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, name, static_cast<int>(common_name.size()), -1, 0) == 1 &&
      ASN1_TIME_set(X509_getm_notBefore(certificate.get()), begin) != nullptr &&
      ASN1_TIME_set(X509_getm_notAfter(certificate.get()), end) != nullptr && X509_set_pubkey(certificate.get(), key) == 1;
  if (!made) return OpensslError("make a certificate");
  return certificate;
}

bool Extend(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool IsDnsName(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  return !text.empty() && text.size() <= 253 && text.find_first_not_of(kLetters) == std::string::npos && text.front() != '.' &&
         text.front() != '-';
}

Result<Name> MakeName(const std::string& text) {
  Name name(GENERAL_NAME_new());
  unsigned char bytes[sizeof(in6_addr)];
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1 || inet_pton(AF_INET6, text.c_str(), bytes) == 1) {
    GENERAL_NAME_set0_value(name.get(), GEN_IPADD, a2i_IPADDRESS(text.c_str()));
    return name;
  }
  if (!IsDnsName(text)) return Invalid(Quoted(text), " is neither a DNS name nor an IP address");
  ASN1_IA5STRING* const value = ASN1_IA5STRING_new();
  if (value == nullptr || ASN1_STRING_set(value, text.data(), static_cast<int>(text.size())) != 1)
    return OpensslError("make a certificate");
  GENERAL_NAME_set0_value(name.get(), GEN_DNS, value);
  return name;
}

Result<Names> MakeNames(const std::vector<std::string>& all) {
  Names names(GENERAL_NAMES_new());
  for (const std::string& text : all) {
    ASSIGN_OR_RETURN(Name name, MakeName(text));
    if (sk_GENERAL_NAME_push(names.get(), name.get()) <= 0) return OpensslError("make a certificate");
    name.release();
  }
  return names;
}

std::string TextOf(const GENERAL_NAME* name) {
  int type = 0;
  const auto* const value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(name, &type));
  if (type != GEN_DNS && type != GEN_IPADD) return "";
  const unsigned char* const data = ASN1_STRING_get0_data(value);
  const int size = ASN1_STRING_length(value);
  if (type == GEN_DNS) return std::string(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
  char text[INET6_ADDRSTRLEN] = {};
  if (size == 4) inet_ntop(AF_INET, data, text, sizeof text);
  if (size == 16) inet_ntop(AF_INET6, data, text, sizeof text);
  return text;
}

Result<WallTime> TimeOf(const ASN1_TIME* time) {
  tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return Invalid("a certificate with an invalid time");
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

}  // namespace

Result<KeyPair> MakeAuthority(const std::string& name, WallTime from, std::chrono::seconds valid) {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return OpensslError("make a key");
  ASSIGN_OR_RETURN(const Certificate certificate, Blank(key.get(), name, from, valid));
  X509* const x509 = certificate.get();
  const bool made = X509_set_issuer_name(x509, X509_get_subject_name(x509)) == 1 &&
                    Extend(x509, x509, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    Extend(x509, x509, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    Extend(x509, x509, NID_subject_key_identifier, "hash") && X509_sign(x509, key.get(), EVP_sha256()) > 0;
  if (!made) return OpensslError("make a certificate authority");
  return WritePem(x509, key.get());
}

Result<KeyPair> MakeServerCertificate(const KeyPair& authority, const std::vector<std::string>& names, WallTime from,
                                      std::chrono::seconds valid) {
  if (names.empty()) return Invalid("a server's certificate needs a name");
  const Certificate issuer = ReadPem(authority.certificate_pem);
  const auto no_phrase = [](char*, int, int, void*) { return 0; };
  const Key signer(PEM_read_bio_PrivateKey(Memory(authority.key_pem).get(), nullptr, no_phrase, nullptr));
  if (issuer == nullptr || signer == nullptr) return Invalid("the authority is not a PEM certificate with its key");
  if (X509_check_private_key(issuer.get(), signer.get()) != 1) {
    ERR_clear_error();
    return Invalid("the authority's key does not match its certificate");
  }
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return OpensslError("make a key");
  ASSIGN_OR_RETURN(const Names alternatives, MakeNames(names));
  ASSIGN_OR_RETURN(const Certificate certificate, Blank(key.get(), "allot", from, valid));
  X509* const x509 = certificate.get();
  const bool made = X509_set_issuer_name(x509, X509_get_subject_name(issuer.get())) == 1 &&
                    Extend(x509, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    Extend(x509, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                    Extend(x509, issuer.get(), NID_ext_key_usage, "serverAuth") &&
                    Extend(x509, issuer.get(), NID_subject_key_identifier, "hash") &&
                    Extend(x509, issuer.get(), NID_authority_key_identifier, "keyid:always") &&
                    X509_add1_ext_i2d(x509, NID_subject_alt_name, alternatives.get(), 0, X509V3_ADD_DEFAULT) == 1 &&
                    X509_sign(x509, signer.get(), EVP_sha256()) > 0;
  if (!made) return OpensslError("make a server's certificate");
  return WritePem(x509, key.get());
}

Result<CertificateFacts> ReadCertificate(const std::string& pem) {
  const Certificate certificate = ReadPem(pem);
  if (certificate == nullptr) return Invalid("no certificate in PEM");
  CertificateFacts facts;
  ASSIGN_OR_RETURN(facts.begins, TimeOf(X509_get0_notBefore(certificate.get())));
  ASSIGN_OR_RETURN(facts.ends, TimeOf(X509_get0_notAfter(certificate.get())));
  const Names names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    std::string text = TextOf(sk_GENERAL_NAME_value(names.get(), i));
    if (!text.empty()) facts.names.push_back(std::move(text));
  }
  return facts;
}

bool IsSignedBy(const std::string& pem, const std::string& authority_pem) {
  const Certificate certificate = ReadPem(pem), authority = ReadPem(authority_pem);
  if (certificate == nullptr || authority == nullptr) return false;
  const bool is = X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  ERR_clear_error();
  return is;
}

}  // namespace allot::http
