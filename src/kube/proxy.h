#pragma once
// The proxy that the environment asks for, as Go's ProxyFromEnvironment (and so kubectl) reads it.
//
// HTTPS_PROXY is for https servers and HTTP_PROXY for http ones, each also in lower case; the upper case wins. NO_PROXY takes servers out,
// entries with commas between them:
//   *                    all
//   10.0.0.0/8, 10.1.2.3 addresses (not names that lead to them)
//   lab.example          the host and all below it; .lab.example and *.lab.example only what is below it
//   lab.example:6443     any of these but a range, at that port only
// localhost and loopback addresses are never asked for through a proxy.

#include <string>

#include "base/process.h"
#include "base/status.h"
#include "kube/url.h"

namespace allot::kube {

struct Proxy {
  std::string url;            // http://host:port, without a user; empty: none
  std::string authorization;  // the value of Proxy-Authorization, a secret; empty: none
};

// Whether the NO_PROXY list `no_proxy` lets this server be asked through a proxy.
bool UsesProxy(const ServerUrl& server, std::string_view no_proxy);

// kInvalid and kUnsupported name the variable and nothing secret of it: a proxy is spoken to over http alone.
Result<Proxy> ProxyFromEnvironment(const ServerUrl& server, const Environment& environment);

}  // namespace allot::kube
