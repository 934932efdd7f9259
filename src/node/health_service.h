#pragma once
// Kubelet's DRAResourceHealth service, v1alpha1 and v1: which devices are well. Kubelet shows it in the status of Pods.
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

  // All devices, each time. Kubelet takes what it has not heard of for the device's timeout as unknown: call again before that.
  void Update(const std::vector<rpc::DeviceHealth>& devices);

 private:
  std::mutex mutex_;
  std::string last_;  // encoded; empty: nothing is known yet
  std::vector<std::shared_ptr<rpc::Stream>> streams_;
};

}  // namespace allot::node
