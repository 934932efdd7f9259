#pragma once
// What the agent shows of itself: metrics and readiness by HTTP, health by gRPC.
//
//   GET /metrics   Prometheus' text
//   GET /healthz   200 while the program works
//   GET /readyz    200 when kubelet has registered us and all devices are published; else 503 with what is in the way
//   grpc.health.v1.Health/Check   the same: "" and "liveness" as healthz, "readiness" as readyz

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

// `address`: "0.0.0.0:8080", "[::]:8080", ":8080" (all addresses). kInvalid for what is none.
Result<http::Listener> ListenTcp(const std::string& address);

Result<std::unique_ptr<http::Server>> StartMonitor(const std::string& address, MonitorSources sources);

void AddHealthCheck(rpc::Services& services, std::function<Status()> ready);

}  // namespace allot::node
