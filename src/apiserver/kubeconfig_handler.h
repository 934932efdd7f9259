#pragma once
// Gives users of the machine a kubeconfig. kubectl cannot use unix sockets, so a user who is identified by the socket gets a token for TCP:
//
//   curl --unix-socket DIR/api.sock -X POST http://localhost/allot/v1/kubeconfig
//
// A token gives access to the API but not to this path: a stolen token cannot create another.

#include <memory>
#include <string>

#include "apiserver/access/access.h"
#include "apiserver/access/tokens.h"
#include "http/server.h"

namespace allot::apiserver {

struct KubeconfigText {
  std::string url;
  std::string authority_pem;  // empty: the system's certificates
  std::string user, token;
  std::string space;  // kubectl's default namespace; empty: default
};

// Writes a kubeconfig with one context, "allot".
std::string WriteKubeconfig(const KubeconfigText& parts);

// Thread-safe.
class KubeconfigHandler {
 public:
  // Both must outlive it. Without tokens every request gets 404.
  KubeconfigHandler(const Access& access, Tokens* tokens) : access_(access), tokens_(tokens) {}

  // Answers POST /allot/v1/kubeconfig with a kubeconfig that contains a new token of the caller. Returns false if the request is for
  // another path.
  bool Serve(const http::RequestContext& context, http::ResponseWriter& writer, const std::string& url,
             const std::string& authority_pem) const;

 private:
  Result<std::string> Make(const http::RequestContext& context, const std::string& url, const std::string& authority_pem) const;

  const Access& access_;
  Tokens* const tokens_;
};

}  // namespace allot::apiserver
