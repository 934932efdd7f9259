#pragma once
// Which Pods of a node use which claims: a claim is unprepared when its last Pod is done with it.
//
// Thread-safe: calls for the same claim take turns.

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/status.h"
#include "local/devices.h"

namespace allot::local {

class PodClaims {
 public:
  explicit PodClaims(Devices& devices) : devices_(devices) {}

  // The Pod uses the claim, as was written down before.
  void Remember(const std::string& claim_uid, const std::string& pod_uid);
  // From now on the Pod uses the claim, also where this fails.
  Result<DeviceAccess> Prepare(const node::ClaimRef& claim, const std::string& pod_uid, std::span<const std::string> requests,
                               const http::Patience& patience);
  // The Pod does not use it any more, unless this fails.
  Status Release(const node::ClaimRef& claim, const std::string& pod_uid, const http::Patience& patience);

 private:
  class Turn;
  struct Claim {
    std::set<std::string> pods;
    bool busy = false;
  };

  Devices& devices_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Claim> claims_;
};

}  // namespace allot::local
