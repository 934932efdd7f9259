#include "http/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.h"
#include "http/openssl_handles.h"

namespace allot::http {
namespace {

using Ctx = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Ssl = std::unique_ptr<SSL, Freed<SSL_free>>;

std::string ErrorWords() {
  const char* const reason = TakeError();
  return reason == nullptr ? "unknown error" : reason;
}

Bio Memory(const std::string& pem) {
  CHECK(pem.size() <= INT_MAX);
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Result<std::vector<Certificate>> ReadCertificates(const std::string& pem, std::string_view what) {
  const Bio bio = Memory(pem);
  std::vector<Certificate> all;
  while (X509* const one = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) all.emplace_back(one);
  ERR_clear_error();
  if (all.empty()) return Invalid(what, ": no certificate in PEM");
  return all;
}

Status UseCertificate(SSL_CTX* ctx, const std::string& certificate_pem, const std::string& key_pem) {
  ASSIGN_OR_RETURN(const std::vector<Certificate> chain, ReadCertificates(certificate_pem, "certificate"));
  // Reject keys with a pass phrase instead of asking for one.
  const auto no_phrase = [](char*, int, int, void*) { return 0; };
  const Key key(PEM_read_bio_PrivateKey(Memory(key_pem).get(), nullptr, no_phrase, nullptr));
  if (key == nullptr) return Invalid("key: no private key in PEM without a pass phrase: ", ErrorWords());
  if (SSL_CTX_use_certificate(ctx, chain[0].get()) != 1) return Invalid("certificate: ", ErrorWords());
  for (size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(ctx, chain[i].get()) != 1) return Invalid("certificate chain: ", ErrorWords());
  }
  if (SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1) {
    return Invalid("key: does not match the certificate: ", ErrorWords());
  }
  return Status();
}

Status Trust(SSL_CTX* ctx, const std::string& ca_pem, std::string_view what) {
  ASSIGN_OR_RETURN(const std::vector<Certificate> all, ReadCertificates(ca_pem, what));
  X509_STORE* const store = SSL_CTX_get_cert_store(ctx);
  for (const Certificate& one : all) X509_STORE_add_cert(store, one.get());  // adding one twice is harmless
  ERR_clear_error();
  return Status();
}

Ctx NewContext(const SSL_METHOD* method) {
  Ctx ctx(SSL_CTX_new(method));
  CHECK(ctx != nullptr);
  SSL_CTX_set_min_proto_version(ctx.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(ctx.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  return ctx;
}

class Tls final : public Transport {
 public:
  Tls(Ssl ssl, Socket socket, std::string peer) : socket_(std::move(socket)), ssl_(std::move(ssl)), peer_(std::move(peer)) {
    CHECK(SSL_set_fd(ssl_.get(), socket_.fd()) == 1);
  }

  Result<Progress> Read(std::span<char> into) override {
    ERR_clear_error();
    size_t n = 0;
    if (SSL_read_ex(ssl_.get(), into.data(), into.size(), &n) == 1) return Progress{.bytes = n};
    return Failed(SSL_get_error(ssl_.get(), 0));
  }

  Result<Progress> Write(std::string_view bytes) override {
    ERR_clear_error();
    size_t n = 0;
    if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &n) == 1) return Progress{.bytes = n};
    return Failed(SSL_get_error(ssl_.get(), 0));
  }

  bool HasPending() const override { return SSL_has_pending(ssl_.get()) == 1; }

  void Goodbye() override {
    if (!broken_ && SSL_is_init_finished(ssl_.get())) SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }

  int fd() const override { return socket_.fd(); }

  std::string PeerName() const override {
    const Certificate certificate(SSL_get1_peer_certificate(ssl_.get()));
    if (certificate == nullptr || SSL_get_verify_result(ssl_.get()) != X509_V_OK) return "";
    char name[256] = {};
    const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name, sizeof name);
    return length > 0 ? std::string(name, static_cast<size_t>(length)) : "";
  }

 private:
  Result<Progress> Failed(int error) {
    if (error == SSL_ERROR_WANT_READ) return Progress{.wait = Wait::kRead};
    if (error == SSL_ERROR_WANT_WRITE) return Progress{.wait = Wait::kWrite};
    if (error == SSL_ERROR_ZERO_RETURN) return Progress{.end = true};
    broken_ = true;
    const int system = errno;
    if (error == SSL_ERROR_SYSCALL && ERR_peek_error() == 0) {
      if (system == 0) return Unavailable("TLS: the connection ended without close_notify");
      return Unavailable(std::strerror(system));
    }
    const unsigned long code = ERR_peek_error();
    if (ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
      const long verdict = SSL_get_verify_result(ssl_.get());
      ERR_clear_error();
      return Unavailable("TLS: the certificate of ", peer_, " is not trusted: ", X509_verify_cert_error_string(verdict));
    }
    if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
      ERR_clear_error();
      return Unavailable("TLS: the connection ended without close_notify");
    }
    return Unavailable("TLS: ", ErrorWords());
  }

  const Socket socket_;
  const Ssl ssl_;
  const std::string peer_;
  bool broken_ = false;
};

bool IsAddress(const std::string& name) {
  unsigned char buffer[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), buffer) == 1 || inet_pton(AF_INET6, name.c_str(), buffer) == 1;
}

class OpensslClient final : public TlsClient {
 public:
  OpensslClient(Ctx ctx, std::string server_name) : ctx_(std::move(ctx)), server_name_(std::move(server_name)) {}

  std::unique_ptr<Transport> Wrap(Socket socket) const override {
    Ssl ssl(SSL_new(ctx_.get()));
    CHECK(ssl != nullptr);
    if (IsAddress(server_name_)) {
      CHECK(X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), server_name_.c_str()) == 1);
    } else if (!server_name_.empty()) {
      SSL_set_tlsext_host_name(ssl.get(), server_name_.c_str());
      // Like Go: the subject's common name is not a server name.
      SSL_set_hostflags(ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
      CHECK(SSL_set1_host(ssl.get(), server_name_.c_str()) == 1);
    }
    SSL_set_connect_state(ssl.get());
    return std::make_unique<Tls>(std::move(ssl), std::move(socket), server_name_);
  }

 private:
  const Ctx ctx_;
  const std::string server_name_;
};

class OpensslServer final : public TlsServer {
 public:
  explicit OpensslServer(Ctx ctx) : ctx_(std::move(ctx)) {}

  std::unique_ptr<Transport> Wrap(Socket socket) const override {
    Ssl ssl(SSL_new(ctx_.get()));
    CHECK(ssl != nullptr);
    SSL_set_accept_state(ssl.get());
    return std::make_unique<Tls>(std::move(ssl), std::move(socket), "the client");
  }

 private:
  const Ctx ctx_;
};

}  // namespace

Result<std::shared_ptr<const TlsClient>> TlsClient::Make(const TlsClientOptions& options) {
  Ctx ctx = NewContext(TLS_client_method());
  if (options.insecure) {
    SSL_CTX_set_verify(ctx.get(), SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_CTX_set_verify(ctx.get(), SSL_VERIFY_PEER, nullptr);
    if (options.ca_pem.empty()) {
      SSL_CTX_set_default_verify_paths(ctx.get());
    } else {
      TRY(Trust(ctx.get(), options.ca_pem, "certificate authority"));
    }
  }
  if (!options.certificate_pem.empty() || !options.key_pem.empty()) {
    TRY(UseCertificate(ctx.get(), options.certificate_pem, options.key_pem).Context("client certificate"));
  }
  return std::shared_ptr<const TlsClient>(std::make_shared<OpensslClient>(std::move(ctx), options.server_name));
}

Result<std::shared_ptr<const TlsServer>> TlsServer::Make(const TlsServerOptions& options) {
  Ctx ctx = NewContext(TLS_server_method());
  TRY(UseCertificate(ctx.get(), options.certificate_pem, options.key_pem).Context("server certificate"));
  if (!options.client_ca_pem.empty()) {
    TRY(Trust(ctx.get(), options.client_ca_pem, "client certificate authority"));
    SSL_CTX_set_verify(ctx.get(), SSL_VERIFY_PEER | (options.require_client ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  } else if (options.require_client) {
    return Invalid("client certificates are required, but no certificate authority for them is given");
  }
  static const unsigned char kSession[] = "allot";
  SSL_CTX_set_session_id_context(ctx.get(), kSession, sizeof kSession - 1);
  return std::shared_ptr<const TlsServer>(std::make_shared<OpensslServer>(std::move(ctx)));
}

}  // namespace allot::http
