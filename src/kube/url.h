#pragma once
// Addresses of a server, and the escaping of what is put into them.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace allot::kube {

// "https://host:6443/prefix", or "unix:///run/api.sock": plain HTTP, since the kernel says who is at the other end.
struct ServerUrl {
  bool tls = true;
  std::string host;  // IPv6 without brackets
  int port = 443;
  std::string prefix;     // "" or "/prefix", without a slash at the end
  std::string unix_path;  // of the socket; empty: host and port

  // kInvalid, naming the text: scheme http or https, a host, a port from 1 to 65535, no query and no user.
  static Result<ServerUrl> Parse(std::string_view text);
  // For the Host header: without the port where it is the scheme's own.
  std::string HostHeader() const;
};

// kInvalid for a missing name, and for a name or namespace that would leave its place in a path: ".", ".." and what has a slash or percent
// sign, which proxies and servers read as steps.
Status CheckNames(std::string_view namespace_name, std::string_view name);

// kInvalid for what no namespace can be called.
Status CheckNamespace(std::string_view name);

// One segment of a path; a slash is escaped too.
std::string EscapePath(std::string_view text);

// A part of a header's name, as Kubernetes reads it back: what is no token is escaped.
std::string EscapeHeaderName(std::string_view text);

using Query = std::vector<std::pair<std::string, std::string>>;
// "?limit=500&continue=x", or "" for none. Entries with an empty value are left out.
std::string WriteQuery(const Query& query);

}  // namespace allot::kube
