#pragma once
// What a gRPC server serves: methods by path, on serialized messages. What the bytes mean is the handlers' business (messages.h).

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "http/dial.h"
#include "http/listener.h"

namespace allot::node::rpc {

struct Call {
  std::string_view path;  // "/package.Service/Method"
  // The caller's deadline, where it has one; `cancel` is requested when the caller gave up or is gone. Valid until the handler returns.
  http::Patience patience;
  std::optional<http::PeerCredentials> peer;  // of a unix socket
};

// The messages that a server sends in answer to one call, each of which tells the whole state: a reader that is slower than the sender
// gets the newest one and misses those between.
//
// Thread-safe, and it may outlive the server. Dropped by all its holders before End, it ends with UNAVAILABLE.
class Stream {
 public:
  virtual ~Stream() = default;
  // False: nobody reads this any more.
  virtual bool Send(std::string message) = 0;
  // After what was sent last. Again: does nothing.
  virtual void End(Status status) = 0;
  // Ended, by whomever: the caller, the server (it drains), End.
  virtual bool closed() const = 0;
};

// The answer, or the status that the caller gets (wire.h says as what).
using UnaryHandler = std::function<Result<std::string>(const Call&, std::string_view request)>;
// Keeps the stream and returns; an error ends it.
using StreamHandler = std::function<Status(const Call&, std::string_view request, std::shared_ptr<Stream>)>;

struct Method {
  enum class Kind {
    kUnary,   // runs on a worker, and may wait
    kQuick,   // runs on the server's own thread: answers at once, however busy the workers are. Must not wait
    kStream,  // its handler too
  };
  Kind kind = Kind::kUnary;
  UnaryHandler unary;
  StreamHandler stream;
};

// Not thread-safe; a server shares it as const.
class Services {
 public:
  // REQUIRES that the path has no method yet.
  void Add(std::string path, UnaryHandler handler);
  void AddQuick(std::string path, UnaryHandler handler);
  void AddStream(std::string path, StreamHandler handler);

  // Null: there is none. Valid as long as the services.
  const Method* Find(std::string_view path) const;

 private:
  void Put(std::string path, Method method);

  std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace allot::node::rpc
