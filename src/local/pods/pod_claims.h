#pragma once
// Tracks which Pods of a node use which claims, and unprepares a claim when its last Pod releases it.
//
// Thread-safe; calls for the same claim are serialized.

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

  // Restores a use of the claim from the Pod's record (pod_folder.h).
  void Remember(const std::string& claim_uid, const std::string& pod_uid);
  // Adds the Pod to the users of the claim, even if preparing fails.
  Result<DeviceAccess> Prepare(const node::ClaimRef& claim, const std::string& pod_uid, std::span<const std::string> requests,
                               const Patience& patience);
  Environment NoDevices() const { return devices_.NoDevices(); }
  // Removes the Pod from the users of the claim. If unpreparing fails the Pod stays a user.
  Status Release(const node::ClaimRef& claim, const std::string& pod_uid, const Patience& patience);

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
