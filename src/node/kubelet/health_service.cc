#include "node/kubelet/health_service.h"

#include <algorithm>

namespace allot::node {

void HealthService::AddTo(rpc::Services& services) {
  for (const std::string_view package : {"v1alpha1", "v1"}) {
    services.AddStream(StrCat("/", package, ".DRAResourceHealth/NodeWatchResources"),
                       [this](const rpc::Call&, std::string_view, std::shared_ptr<rpc::Stream> stream) {
                         const std::lock_guard lock(mutex_);
                         if (!last_.empty()) stream->Send(last_);
                         streams_.push_back(std::move(stream));
                         return Status();
                       });
  }
}

void HealthService::Update(const std::vector<rpc::DeviceHealth>& devices) {
  const std::lock_guard lock(mutex_);
  last_ = rpc::EncodeHealth(devices);
  std::erase_if(streams_, [&](const std::shared_ptr<rpc::Stream>& stream) { return !stream->Send(last_); });
}

}  // namespace allot::node
