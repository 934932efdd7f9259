#pragma once
// One request in the RestHandler. Internal to it.

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

// Returns the text of a stored object in the version of the kind, if it is stored in another one.
std::string InVersion(const Kind& kind, std::string text);

}  // namespace allot::apiserver
