#pragma once
// The proxy set in the environment, as Go's ProxyFromEnvironment (and so kubectl) reads it.
//
// HTTPS_PROXY applies to https servers and HTTP_PROXY to http servers. Lower case works too; upper case wins. NO_PROXY exempts servers. Its
// entries are separated by commas:
//   *                    all servers
//   10.0.0.0/8, 10.1.2.3 addresses (not names that resolve to them)
//   lab.example          the host and its subdomains; .lab.example and *.lab.example match only subdomains
//   lab.example:6443     any of these except a range, at that port only
// localhost and loopback addresses never use a proxy.

#include <string>

#include "base/process.h"
#include "base/status.h"
#include "kube/url.h"

namespace allot::kube {

struct Proxy {
  std::string url;            // http://host:port, without a user; empty: none
  std::string authorization;  // the value of Proxy-Authorization, a secret; empty: none
};

// Returns whether requests to the server use a proxy, given the NO_PROXY list.
bool UsesProxy(const ServerUrl& server, std::string_view no_proxy);

// Returns kInvalid or kUnsupported with the variable's name and no secret. Only proxies reached over http are supported.
Result<Proxy> ProxyFromEnvironment(const ServerUrl& server, const Environment& environment);

}  // namespace allot::kube
