#pragma once
// The world of a Preparer: claims from the API server. All drivers of an agent share one.
//
// Of each claim that was read it keeps only the Pods that use the claim, so memory does not grow with the cluster. Thread-safe.

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kube/client.h"
#include "node/prepare/prepare.h"

namespace allot::node {

class KubeWorld final : public World {
 public:
  // `client` must outlive it.
  explicit KubeWorld(kube::Client& client) : client_(client) {}

  Result<kube::ObjectPtr> Claim(const std::string& name_space, const std::string& name, const Patience& patience) override;

  // Returns the Pods by the claim's UID, as they were when the claim was read last.
  PodsOfClaims Pods() const override;
  // Whether KeepOnly is worth calling.
  bool IsCrowded() const;
  // Forgets the Pods of all claims but these. Claims that were just read and are about to be held are forgotten too; that costs their Pods'
  // names in metrics until the claims are read again.
  void KeepOnly(const std::set<std::string, std::less<>>& claim_uids);

 private:
  // Connections cost memory, so a burst of Pods shares a few.
  static constexpr int kMaxReads = 8;
  static constexpr size_t kSpare = 64;

  kube::Client& client_;
  mutable std::mutex mutex_;
  std::condition_variable read_;
  int reads_ = 0;    // under way
  size_t kept_ = 0;  // claims that the last KeepOnly left
  PodsOfClaims pods_;
};

}  // namespace allot::node
