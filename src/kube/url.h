#pragma once
// Server addresses, and the escaping of paths and queries.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace allot::kube {

// "https://host:6443/prefix", or "unix:///run/api.sock". A unix socket uses plain HTTP, because the kernel identifies the peer.
struct ServerUrl {
  bool tls = true;
  std::string host;  // IPv6 without brackets
  int port = 443;
  std::string prefix;     // "" or "/prefix", without a final slash
  std::string unix_path;  // path of the socket; empty: use host and port

  // Returns kInvalid, with the text, unless it is unix:///PATH or has scheme http or https, a host, a port from 1 to 65535, no query and no
  // user.
  static Result<ServerUrl> Parse(std::string_view text);
  // The value of the Host header, without the port if it is the scheme's default.
  std::string HostHeader() const;
};

// Returns kInvalid for a missing name, and for a name or namespace that would escape its place in a path: ".", "..", and any with a slash
// or percent sign.
Status CheckNames(std::string_view namespace_name, std::string_view name);

// Returns kInvalid if this cannot be the name of a namespace.
Status CheckNamespace(std::string_view name);

// Escapes one segment of a path, including slashes.
std::string EscapePath(std::string_view text);

// Escapes part of a header's name the way Kubernetes decodes it: characters outside a token are escaped.
std::string EscapeHeaderName(std::string_view text);

using Query = std::vector<std::pair<std::string, std::string>>;
// Returns "?limit=500&continue=x", or "" if there are no entries. Skips entries with an empty value.
std::string WriteQuery(const Query& query);

}  // namespace allot::kube
