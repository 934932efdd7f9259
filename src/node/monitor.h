#pragma once
// The agent's metrics and readiness by HTTP, and its health by gRPC.
//
//   GET /metrics   Prometheus' text
//   GET /healthz   200 while the program works
//   GET /readyz    200 if kubelet has registered all drivers and all devices are published; otherwise 503 with what is in the way
//   grpc.health.v1.Health/Check   "" and "liveness" answer like /healthz, "readiness" like /readyz

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "http/server.h"
#include "node/rpc/service.h"

namespace allot::node {

struct MonitorSources {
  std::function<std::string()> metrics;
  std::function<Status()> ready;
};

// `address`: "0.0.0.0:8080", "[::]:8080", ":8080" (all addresses). kInvalid: it has another form.
Result<http::Listener> ListenTcp(const std::string& address);

Result<std::unique_ptr<http::Server>> StartMonitor(const std::string& address, MonitorSources sources);

void AddHealthCheck(rpc::Services& services, std::function<Status()> ready);

}  // namespace allot::node
