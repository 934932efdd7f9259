#pragma once
// TLS 1.2 and 1.3 with OpenSSL over a connected socket.
//
// A context is immutable and may be shared by threads. New certificates need a new context.

#include <memory>
#include <string>

#include "base/status.h"
#include "http/transport.h"

namespace allot::http {

struct TlsClientOptions {
  std::string ca_pem;     // trusted authorities; empty: the system's
  bool insecure = false;  // trust any server
  // The name or IP address that the server must prove, sent as SNI.
  std::string server_name;
  std::string certificate_pem, key_pem;  // the client's identity; both or none
};

class TlsClient {
 public:
  // Returns kInvalid with the option that OpenSSL cannot read.
  static Result<std::shared_ptr<const TlsClient>> Make(const TlsClientOptions& options);
  virtual ~TlsClient() = default;
  virtual std::unique_ptr<Transport> Wrap(Socket socket) const = 0;
};

struct TlsServerOptions {
  std::string certificate_pem, key_pem;  // the chain, the server's own certificate first
  std::string client_ca_pem;             // ask clients for a certificate signed by these; clients without one are accepted, unnamed
  bool require_client = false;           // reject clients without a certificate
};

class TlsServer {
 public:
  static Result<std::shared_ptr<const TlsServer>> Make(const TlsServerOptions& options);
  virtual ~TlsServer() = default;
  virtual std::unique_ptr<Transport> Wrap(Socket socket) const = 0;
};

}  // namespace allot::http
