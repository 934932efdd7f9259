#include "node/monitor.h"

#include <charconv>
#include <mutex>

#include "node/rpc/messages.h"

namespace allot::node {

namespace {

struct Sources : MonitorSources {
  std::mutex measuring;
};

http::Response Text(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = std::move(body);
  return response;
}

http::Response Answer(const http::Request& request, Sources& sources) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (request.method != "GET" && request.method != "HEAD") return Text(405, "only GET\n");
  if (path == "/metrics") {
    // A device or a disk can delay the metrics. Only one caller waits for them at a time, so that /healthz and /readyz still answer.
    const std::unique_lock alone(sources.measuring, std::try_to_lock);
    return alone ? Text(200, sources.metrics()) : Text(503, "another request is collecting the metrics; try again\n");
  }
  if (path == "/healthz") return Text(200, "ok\n");
  if (path != "/readyz") return Text(404, "there are /metrics, /healthz and /readyz\n");
  const Status ready = sources.ready();
  return ready.ok() ? Text(200, "ok\n") : Text(503, StrCat(ready.message(), "\n"));
}

}  // namespace

Result<http::Listener> ListenTcp(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = colon == std::string::npos ? "" : address.substr(0, colon);
  const std::string_view digits = colon == std::string::npos ? std::string_view(address) : std::string_view(address).substr(colon + 1);
  int port = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port < 0 || port > 65535) {
    return Invalid("expected ADDRESS:PORT or :PORT, not ", Quoted(address));
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return http::Listener::Tcp(host.empty() ? "0.0.0.0" : host, port);
}

Result<std::unique_ptr<http::Server>> StartMonitor(const std::string& address, MonitorSources sources) {
  ASSIGN_OR_RETURN(http::Listener listener, ListenTcp(address));
  http::ServerOptions options;
  options.workers = 2;
  options.max_connections = 16;
  options.max_waiting = 16;
  options.max_head = 8 << 10;
  options.max_body = 0;
  auto shared = std::make_shared<Sources>();
  static_cast<MonitorSources&>(*shared) = std::move(sources);
  return http::Server::Start(std::move(listener), std::move(options),
                             [shared](const http::RequestContext& context, std::shared_ptr<http::ResponseWriter> to) {
                               to->Send(Answer(context.request, *shared));
                             });
}

void AddHealthCheck(rpc::Services& services, std::function<Status()> ready) {
  services.AddQuick("/grpc.health.v1.Health/Check",
                    [ready = std::move(ready)](const rpc::Call&, std::string_view request) -> Result<std::string> {
                      ASSIGN_OR_RETURN(const std::string service, rpc::DecodeHealthCheck(request));
                      if (service.empty() || service == "liveness") return rpc::EncodeHealthCheck(rpc::Serving::kServing);
                      if (service != "readiness")
                        return NotFound("unknown service ", Quoted(service), "; there are liveness and readiness");
                      return rpc::EncodeHealthCheck(ready().ok() ? rpc::Serving::kServing : rpc::Serving::kNotServing);
                    });
}

}  // namespace allot::node
