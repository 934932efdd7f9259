#pragma once
// Kubeconfigs for the users of the machine. kubectl speaks no unix sockets, so who is known by theirs gets a token for TCP here:
//
//   curl --unix-socket DIR/api.sock -X POST http://localhost/allot/v1/kubeconfig
//
// A token opens only the API, never this door: who has stolen one cannot make another.

#include <memory>
#include <string>

#include "apiserver/access.h"
#include "apiserver/tokens.h"
#include "http/server.h"

namespace allot::apiserver {

struct KubeconfigText {
  std::string url;
  std::string authority_pem;  // empty: the system's certificates
  std::string user, token;
  std::string space;  // that kubectl takes unless told; empty: default
};

// With one context, "allot".
std::string WriteKubeconfig(const KubeconfigText& parts);

// Thread-safe.
class KubeconfigDoor {
 public:
  // Both must outlive it. Without tokens the door is closed: 404.
  KubeconfigDoor(const Access& access, Tokens* tokens) : access_(access), tokens_(tokens) {}

  // Answers POST /allot/v1/kubeconfig with a kubeconfig that holds a new token of the caller's. False: the request is for another path.
  bool Serve(const http::RequestContext& context, http::ResponseWriter& writer, const std::string& url,
             const std::string& authority_pem) const;

 private:
  Result<std::string> Make(const http::RequestContext& context, const std::string& url, const std::string& authority_pem) const;

  const Access& access_;
  Tokens* const tokens_;
};

}  // namespace allot::apiserver
