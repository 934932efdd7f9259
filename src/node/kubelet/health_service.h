#pragma once
// Kubelet's DRAResourceHealth service, v1alpha1 and v1: the health of devices. Kubelet shows it in the status of Pods.
//
// Thread-safe.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "node/rpc/messages.h"
#include "node/rpc/service.h"

namespace allot::node {

class HealthService {
 public:
  // It must outlive the server.
  void AddTo(rpc::Services& services);

  // Sends the health of all devices. Call it again before a device's timeout has passed: after that, kubelet takes the device for unknown.
  void Update(const std::vector<rpc::DeviceHealth>& devices);

 private:
  std::mutex mutex_;
  std::string last_;  // the last message; empty: none yet
  std::vector<std::shared_ptr<rpc::Stream>> streams_;
};

}  // namespace allot::node
