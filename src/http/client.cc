#include "http/client.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace allot::http {
namespace {

constexpr size_t kReadSize = 32 << 10;
constexpr int kMaxInterim = 5;

Patience Sooner(const Patience& patience, std::chrono::milliseconds from_now) {
  const MonotonicTime limit = std::chrono::steady_clock::now() + from_now;
  return {patience.deadline ? std::min(*patience.deadline, limit) : limit, patience.cancel};
}

// The server sends nothing on an idle connection, so a readable one was closed or is broken.
bool IsQuiet(const Transport& transport) {
  pollfd polled = {transport.fd(), POLLIN, 0};
  return !transport.HasPending() && poll(&polled, 1, 0) == 0;
}

}  // namespace

// One exchange on a connection. The connection returns to the client when the response is complete and the server keeps it open.
class Client::Stream final : public BodyStream {
 public:
  Stream(Client& client, std::unique_ptr<Connection> connection, bool head_request)
      : client_(client), connection_(std::move(connection)), parser_(Parser::Kind::kResponse, {.head = client.options_.max_head}) {
    if (head_request) parser_.NoBody();
    head_request_ = head_request;
  }

  const Head& head() const override { return parser_.head(); }

  // Whether the whole request was sent. If not, the connection cannot be reused.
  bool request_complete = false;

  Status ReadHead(const Patience& patience) {
    for (int interim = 0;;) {
      while (!parser_.head_done()) TRY(Advance(patience));
      if (parser_.head().status >= 200) return Status();
      // An interim response (100 Continue) precedes the real one.
      if (++interim > kMaxInterim) return Invalid("more than ", kMaxInterim, " interim answers");
      if (parser_.head().status == 101) return Unavailable("the server switched protocols unasked");
      parser_ = Parser(Parser::Kind::kResponse, {.head = client_.options_.max_head});
      if (head_request_) parser_.NoBody();
    }
  }

  Result<std::string> Read(const Patience& patience) override {
    while (body_.empty() && !parser_.done()) TRY(Advance(patience));
    if (parser_.done() && connection_ != nullptr && parser_.head().keep_alive && request_complete) client_.GiveBack(std::move(connection_));
    return std::exchange(body_, {});
  }

 private:
  // Parses buffered bytes, or reads more.
  Status Advance(const Patience& patience) {
    std::string& buffered = connection_->buffered;
    if (buffered.empty()) {
      buffered.resize(kReadSize);
      const Result<size_t> n = ReadSome(*connection_->transport, buffered, patience);
      buffered.resize(n.ok() ? *n : 0);
      if (!n.ok()) return n.status();
      if (*n == 0) return parser_.FeedEnd();
    }
    ASSIGN_OR_RETURN(const size_t used, parser_.Feed(buffered, body_));
    buffered.erase(0, used);
    return Status();
  }

  Client& client_;
  std::unique_ptr<Connection> connection_;
  Parser parser_;
  bool head_request_ = false;
  std::string body_;
};

Result<Response> Client::Send(const Request& request, const Patience& patience) {
  ASSIGN_OR_RETURN(const std::unique_ptr<BodyStream> stream, Open(request, patience));
  Response response;
  response.status = stream->head().status;
  response.headers = stream->head().headers;
  const auto too_long = [&] { return Exhausted(options_.address.ToString(), ": the body is longer than ", options_.max_body, " bytes"); };
  if (stream->head().content_length.value_or(0) > options_.max_body) return too_long();
  if (stream->head().content_length)
    response.body.reserve(static_cast<size_t>(std::min<uint64_t>(*stream->head().content_length, 1 << 20)));
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, stream->Read(patience).Context(options_.address.ToString()));
    if (piece.empty()) return response;
    if (piece.size() > options_.max_body - response.body.size()) return too_long();
    response.body += piece;
  }
}

Result<std::unique_ptr<BodyStream>> Client::Open(const Request& request, const Patience& patience) {
  TRY(CheckHead(request.method, request.target, request.headers));
  for (bool again = true;; again = false) {
    ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                     again ? TakeOrConnect(patience) : Connect(Sooner(patience, options_.connect_timeout)));
    const bool used = connection->used;
    Result<std::unique_ptr<Stream>> stream = Try(request, std::move(connection), patience);
    if (stream.ok()) return std::unique_ptr<BodyStream>(*std::move(stream));
    const bool out_of_patience = (patience.cancel != nullptr && patience.cancel->requested()) ||
                                 (patience.deadline && std::chrono::steady_clock::now() >= *patience.deadline);
    // The server may just have closed a kept connection.
    if (again && used && !out_of_patience && stream.status().code() == Code::kUnavailable &&
        (request.method == "GET" || request.method == "HEAD"))
      continue;
    return std::move(stream).status().Context(options_.address.ToString());
  }
}

Result<std::unique_ptr<Client::Stream>> Client::Try(const Request& request, std::unique_ptr<Connection> connection,
                                                    const Patience& patience) {
  Headers headers = request.headers;
  if (!headers.Has("Host")) headers.Set("Host", options_.host.empty() ? options_.address.host : options_.host);
  const bool has_body = !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (has_body) headers.Set("Content-Length", std::to_string(request.body.size()));
  Transport& transport = *connection->transport;
  auto stream = std::make_unique<Stream>(*this, std::move(connection), request.method == "HEAD");
  std::string bytes = WriteRequestHead(request.method, request.target, headers);
  const bool small = request.body.size() <= 64 << 10;
  if (small) bytes += request.body;
  Status written = WriteAll(transport, bytes, patience);
  if (written.ok() && !small) written = WriteAll(transport, request.body, patience);
  stream->request_complete = written.ok();
  // A server that rejects a request may answer and close before it has read all of it.
  Status read = stream->ReadHead(written.ok() ? patience : Sooner(patience, std::chrono::milliseconds(1000)));
  if (!read.ok()) return written.ok() ? read : written;
  return stream;
}

Result<std::unique_ptr<Client::Connection>> Client::TakeOrConnect(const Patience& patience) {
  if (auto idle = TakeIdle()) return idle;
  return Connect(Sooner(patience, options_.connect_timeout));
}

std::unique_ptr<Client::Connection> Client::TakeIdle() {
  const std::lock_guard lock(mutex_);
  const MonotonicTime now = std::chrono::steady_clock::now();
  while (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (now - connection->idle_since < options_.idle_time && IsQuiet(*connection->transport)) return connection;
  }
  return nullptr;
}

void Client::GiveBack(std::unique_ptr<Connection> connection) {
  if (!connection->buffered.empty()) return;  // the server sent more than one response
  connection->used = true;
  connection->idle_since = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (connection->generation == generation_ && idle_.size() < options_.max_idle) idle_.push_back(std::move(connection));
}

void Client::DropIdle() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  idle_.clear();
}

Result<std::unique_ptr<Client::Connection>> Client::Connect(const Patience& patience) {
  const bool through_proxy = !options_.proxy.host.empty();
  ASSIGN_OR_RETURN(Socket socket, Dial(through_proxy ? options_.proxy : options_.address, patience));
  if (through_proxy) TRY(Tunnel(socket, patience).Context("proxy ", options_.proxy.ToString()));
  auto connection = std::make_unique<Connection>();
  {
    const std::lock_guard lock(mutex_);
    connection->generation = generation_;
  }
  if (options_.tls) {
    ASSIGN_OR_RETURN(const auto tls, options_.tls());
    connection->transport = tls->Wrap(std::move(socket));
  } else {
    connection->transport = PlainTransport(std::move(socket));
  }
  return connection;
}

Status Client::Tunnel(const Socket& socket, const Patience& patience) const {
  const std::unique_ptr<Transport> transport = PlainTransport(Socket(fcntl(socket.fd(), F_DUPFD_CLOEXEC, 0)));
  const std::string target = options_.address.ToString();
  Headers headers{{"Host", target}};
  if (!options_.proxy_authorization.empty()) headers.Set("Proxy-Authorization", options_.proxy_authorization);
  TRY(WriteAll(*transport, WriteRequestHead("CONNECT", target, headers), patience));
  Parser parser(Parser::Kind::kResponse, {.head = options_.max_head});
  parser.NoBody();
  std::string body;
  // Read byte by byte: what follows the response belongs to TLS.
  for (char byte = 0; !parser.head_done();) {
    ASSIGN_OR_RETURN(const size_t n, ReadSome(*transport, std::span(&byte, 1), patience));
    if (n == 0) return Unavailable("closed the connection");
    TRY(parser.Feed(std::string_view(&byte, 1), body).status());
  }
  if (parser.head().status != 200) return Unavailable("answered ", parser.head().status, " to CONNECT ", target);
  return Status();
}

}  // namespace allot::http
