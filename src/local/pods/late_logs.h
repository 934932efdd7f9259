#pragma once
// Serves logs of Pods from a part that starts after the API and stops before it. Without the part every request gets a 501.

#include <memory>
#include <shared_mutex>

#include "apiserver/pod_actions.h"

namespace allot::local {

// Thread-safe.
class LateLogs final : public apiserver::PodLogs {
 public:
  // Sets the source of logs; null: none. When Set returns, no call to the previous source is in progress.
  void Set(apiserver::PodLogs* logs);

  void Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) override;

 private:
  std::shared_mutex mutex_;
  apiserver::PodLogs* logs_ = nullptr;
};

}  // namespace allot::local
