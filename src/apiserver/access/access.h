#pragma once
// Authentication and authorization: who sends a request, and whether they may.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/server.h"

namespace allot::apiserver {

struct Identity {
  std::string user;
  std::string uid;  // of the operating system, for a client of the unix socket
  std::vector<std::string> groups;
  std::string space = {};    // the user's own namespace; empty: none
  std::string refused = {};  // why the user may do nothing at all; empty: not refused
};

// What a request asks for.
struct Ask {
  std::string verb;  // get, list, watch, create, update, patch, delete, deletecollection; for a path, the HTTP method in lower case
  std::string group, resource, subresource, space, name;
  std::string path;  // if it is not a resource: "/version"
};

// Thread-safe.
class Access {
 public:
  virtual ~Access() = default;

  // Returns nullopt if the request carries no credentials, or wrong ones.
  virtual std::optional<Identity> Identify(const http::RequestContext& context) const = 0;
  // Ok if the request is allowed, else the reason for the message of the 403.
  virtual Status Allow(const Identity& who, const Ask& what) const = 0;
};

}  // namespace allot::apiserver
