#include "local/pods/late_logs.h"

#include <mutex>

namespace allot::local {

void LateLogs::Set(apiserver::PodLogs* logs) {
  const std::unique_lock lock(mutex_);
  logs_ = logs;
}

void LateLogs::Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) {
  const std::shared_lock lock(mutex_);
  if (logs_ != nullptr) return logs_->Serve(request, std::move(writer));
  constexpr char kNobody[] =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no container runtime is running, so there are no logs","reason":"NotImplemented","code":501})";
  http::Response response;
  response.status = 501;
  response.headers.Set("Content-Type", "application/json");
  response.body = kNobody;
  writer->Send(std::move(response));
}

}  // namespace allot::local
