#pragma once
// The methods that a gRPC server serves, by path. Requests and answers are serialized messages; handlers decode them (messages.h).

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
  // Has the caller's deadline, if there is one. `cancel` is requested when the caller gives up or is gone. Valid until the handler returns.
  Patience patience;
  std::optional<http::PeerCredentials> peer;  // of a unix socket
};

// The messages that a server sends in answer to one call. Each message has the whole state, so a reader that is slower than the sender gets
// only the newest message.
//
// Thread-safe. It may outlive the server. If all references are dropped before End, the stream ends with UNAVAILABLE.
class Stream {
 public:
  virtual ~Stream() = default;
  // False: the stream has ended.
  virtual bool Send(std::string message) = 0;
  // Ends the stream after the last message. Further calls do nothing.
  virtual void End(Status status) = 0;
  // Whether the caller, the server (it drains) or End has ended the stream.
  virtual bool closed() const = 0;
};

// Returns the answer, or a status that wire.h turns into gRPC's.
using UnaryHandler = std::function<Result<std::string>(const Call&, std::string_view request)>;
// Keeps the stream and returns. An error ends the stream.
using StreamHandler = std::function<Status(const Call&, std::string_view request, std::shared_ptr<Stream>)>;

struct Method {
  enum class Kind {
    kUnary,   // runs on a worker and may wait
    kQuick,   // runs on the server's own thread, so it answers even if all workers are busy; must not wait
    kStream,  // the handler runs on the server's own thread too
  };
  Kind kind = Kind::kUnary;
  UnaryHandler unary;
  StreamHandler stream;
};

// Not thread-safe; servers share it as const.
class Services {
 public:
  // REQUIRES that the path has no method yet.
  void Add(std::string path, UnaryHandler handler);
  void AddQuick(std::string path, UnaryHandler handler);
  void AddStream(std::string path, StreamHandler handler);

  // Returns null if there is no such method. Valid as long as the services.
  const Method* Find(std::string_view path) const;

 private:
  void Put(std::string path, Method method);

  std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace allot::node::rpc
