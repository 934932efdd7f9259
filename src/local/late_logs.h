#pragma once
// Logs of Pods from whoever runs them, who starts later than the API and ends sooner. Until then, and after that: 501.

#include <memory>
#include <shared_mutex>

#include "apiserver/pod_actions.h"

namespace allot::local {

// Thread-safe.
class LateLogs final : public apiserver::PodLogs {
 public:
  // From now on `logs` answers; null: nobody. When it returns, no call to the one before is under way.
  void Set(apiserver::PodLogs* logs);

  void Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) override;

 private:
  std::shared_mutex mutex_;
  apiserver::PodLogs* logs_ = nullptr;
};

}  // namespace allot::local
