#pragma once
// One request on its way through the RestHandler. Internal to it.

#include <memory>
#include <string>
#include <vector>

#include "apiserver/rest/handler.h"

namespace allot::apiserver {

struct RestHandler::Call {
  Call(const http::RequestContext& from, std::shared_ptr<http::ResponseWriter> to)
      : context(from), request(from.request), writer(std::move(to)), path(ParsePath(request.target)), query(Query::Parse(request.target)) {}

  const http::RequestContext& context;
  const http::Request& request;
  const std::shared_ptr<http::ResponseWriter> writer;
  const Path path;
  const Query query;
  std::shared_ptr<const Kinds> kinds;
  Identity who;
  Caller caller;
  Format format;
  Target target;
  std::vector<std::string> warnings;
};

// The text of a stored object in the version of the kind, where that is another than the one it is stored in.
std::string InVersion(const Kind& kind, std::string text);

}  // namespace allot::apiserver
