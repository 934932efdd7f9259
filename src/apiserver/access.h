#pragma once
// Who asks, and whether they may.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/server.h"

namespace allot::apiserver {

struct Identity {
  std::string user;
  std::string uid;  // of the system, where it came by the unix socket
  std::vector<std::string> groups;
  std::string space = {};    // the namespace of their own; empty: none
  std::string refused = {};  // they may do nothing at all, and this is why; empty: nothing is wrong
};

// What is asked for.
struct Ask {
  std::string verb;  // get, list, watch, create, update, patch, delete, deletecollection; of a path: the HTTP method in lower case
  std::string group, resource, subresource, space, name;
  std::string path;  // where it is no resource: "/version"
};

// Thread-safe.
class Access {
 public:
  virtual ~Access() = default;

  // Nothing: the request proves nothing, or something wrong.
  virtual std::optional<Identity> Identify(const http::RequestContext& context) const = 0;
  // Whether they may; else why not, for the message of the 403.
  virtual Status Allow(const Identity& who, const Ask& what) const = 0;
};

}  // namespace allot::apiserver
