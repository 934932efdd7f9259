#pragma once
// The world of a Preparer: claims from the API server, GPUs from the inventory.
//
// It keeps nothing of claims but which Pods use those that it was asked for: memory does not grow with the cluster. Thread-safe.

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "device/inventory.h"
#include "kube/client.h"
#include "node/prepare.h"

namespace allot::node {

struct PodRef {
  std::string name, uid;
};

class KubeWorld final : public World {
 public:
  // Both must outlive it.
  KubeWorld(kube::Client& client, const device::Inventory& inventory) : client_(client), inventory_(inventory) {}

  Result<kube::ObjectPtr> Claim(const std::string& name_space, const std::string& name, const http::Patience& patience) override;
  Result<std::vector<device::Gpu>> Gpus() override;

  // By the claim's UID, as they were when it was read last.
  std::map<std::string, std::vector<PodRef>, std::less<>> Pods() const;
  // Forgets the Pods of other claims, when there are many.
  void KeepOnly(const Holdings& holdings);

 private:
  // Connections cost memory: a burst of Pods shares a few.
  static constexpr int kMaxReads = 8;
  static constexpr size_t kSpare = 64;

  kube::Client& client_;
  const device::Inventory& inventory_;
  mutable std::mutex mutex_;
  std::condition_variable read_;
  int reads_ = 0;  // under way
  std::map<std::string, std::vector<PodRef>, std::less<>> pods_;
};

}  // namespace allot::node
