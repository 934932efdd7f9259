#include "node/kube_world.h"

#include "kube/error.h"
#include "model/reader.h"

namespace allot::node {

Result<kube::ObjectPtr> KubeWorld::Claim(const std::string& name_space, const std::string& name, const Patience& patience) {
  {
    std::unique_lock lock(mutex_);
    while (reads_ == kMaxReads) {
      TRY(http::Check(patience));
      read_.wait_for(lock, std::chrono::milliseconds(100));
    }
    ++reads_;
  }
  Result<kube::ObjectPtr> claim = client_.Get(kube::types::kResourceClaims, name_space, name, patience);
  const std::lock_guard lock(mutex_);
  --reads_;
  read_.notify_one();
  // A server that does not know the kind, or something else that answers in its place, says nothing about the claim.
  if (!claim.ok() && claim.status().code() == Code::kNotFound && !kube::HasReason(claim.status(), "NotFound")) {
    return Unavailable(claim.status().message());
  }
  if (!claim.ok()) return claim;
  std::vector<PodRef> pods;
  const model::Reader object((*claim)->json());
  object["status"].Each("reservedFor", [&](const model::Reader& user) {
    if (user.Text("resource") == "pods") pods.push_back({std::string(user.Text("name")), std::string(user.Text("uid"))});
  });
  pods_.insert_or_assign(std::string((*claim)->uid()), std::move(pods));
  return claim;
}

PodsOfClaims KubeWorld::Pods() const {
  const std::lock_guard lock(mutex_);
  return pods_;
}

bool KubeWorld::IsCrowded() const {
  const std::lock_guard lock(mutex_);
  return pods_.size() > 2 * kept_ + kSpare;
}

void KubeWorld::KeepOnly(const std::set<std::string, std::less<>>& claim_uids) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pods_, [&](const auto& entry) { return !claim_uids.contains(entry.first); });
  kept_ = pods_.size();
}

}  // namespace allot::node
