#include "local/pods/pod_claims.h"

namespace allot::local {

// Exclusive access to a claim, from construction to destruction.
class PodClaims::Turn {
 public:
  Turn(PodClaims& claims, const std::string& uid) : claims_(claims), uid_(uid) {
    std::unique_lock lock(claims_.mutex_);
    claims_.changed_.wait(lock, [&] { return !claims_.claims_[uid_].busy; });
    claims_.claims_[uid_].busy = true;
  }
  ~Turn() {
    const std::lock_guard lock(claims_.mutex_);
    const auto claim = claims_.claims_.find(uid_);
    claim->second.busy = false;
    claims_.changed_.notify_all();
    if (claim->second.pods.empty()) claims_.claims_.erase(claim);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Only the holder of the turn may change them.
  std::set<std::string>& pods() {
    const std::lock_guard lock(claims_.mutex_);
    return claims_.claims_.at(uid_).pods;
  }

 private:
  PodClaims& claims_;
  const std::string uid_;
};

void PodClaims::Remember(const std::string& claim_uid, const std::string& pod_uid) {
  devices_.Keep(claim_uid);
  Turn(*this, claim_uid).pods().insert(pod_uid);
}

Result<DeviceAccess> PodClaims::Prepare(const node::ClaimRef& claim, const std::string& pod_uid, std::span<const std::string> requests,
                                        const Patience& patience) {
  Turn turn(*this, claim.uid);
  turn.pods().insert(pod_uid);
  return devices_.Prepare(claim, requests, patience);
}

Status PodClaims::Release(const node::ClaimRef& claim, const std::string& pod_uid, const Patience& patience) {
  Turn turn(*this, claim.uid);
  std::set<std::string>& pods = turn.pods();
  pods.erase(pod_uid);
  if (!pods.empty()) return Status();
  Status status = devices_.Unprepare(claim, patience);
  if (!status.ok()) pods.insert(pod_uid);
  return status;
}

}  // namespace allot::local
