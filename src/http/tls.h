#pragma once
// TLS 1.2 and 1.3 by OpenSSL over a connected socket.
//
// A context is immutable and shared by threads; new certificates need a new one.

#include <memory>
#include <string>

#include "base/status.h"
#include "http/transport.h"

namespace allot::http {

struct TlsClientOptions {
  std::string ca_pem;     // who is trusted; empty: the system's certificates
  bool insecure = false;  // trusts anybody
  // Who the server must be, and is asked for by SNI; a name or an IP address.
  std::string server_name;
  std::string certificate_pem, key_pem;  // who we are; both or none
};

class TlsClient {
 public:
  // kInvalid with the option that OpenSSL cannot read.
  static Result<std::shared_ptr<const TlsClient>> Make(const TlsClientOptions& options);
  virtual ~TlsClient() = default;
  virtual std::unique_ptr<Transport> Wrap(Socket socket) const = 0;
};

struct TlsServerOptions {
  std::string certificate_pem, key_pem;  // the chain, ours first
  std::string client_ca_pem;             // asks clients for a certificate of these; those without one are let in, unnamed
  bool require_client = false;           // refuses clients without one
};

class TlsServer {
 public:
  static Result<std::shared_ptr<const TlsServer>> Make(const TlsServerOptions& options);
  virtual ~TlsServer() = default;
  virtual std::unique_ptr<Transport> Wrap(Socket socket) const = 0;
};

}  // namespace allot::http
