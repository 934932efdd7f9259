// The claims of a Cluster: as the API has them, and with the allocations that are assumed.

#include "sched/cluster.h"

namespace allot::sched {

void Cluster::Enter(const ClaimPtr& claim, bool assumed) {
  pools_.Enter(claim, assumed);
  Touch(*claim);
}

void Cluster::Leave(const Claim& claim, bool assumed) {
  pools_.Leave(claim, assumed);
  Touch(claim);
}

// An allocation written for one Pod and one assumed for another Pod both count: either may come true.
void Cluster::Enter(const ClaimEntry& entry) {
  if (entry.assumed == nullptr) return Enter(entry.claim, false);
  Enter(entry.assumed, true);
  if (!entry.claim->claim.allocation) return;
  // A ledger has one entry for each uid.
  auto written = std::make_shared<Claim>(*entry.claim);
  written->claim.uid += " as written";
  Enter(std::move(written), false);
}

void Cluster::Leave(const ClaimEntry& entry) {
  Leave(*entry.claim, false);
  if (entry.assumed != nullptr) Leave(*entry.assumed, true);
}

void Cluster::SetEffective(ClaimEntry& entry, ClaimPtr claim, ClaimPtr assumed) {
  if (entry.claim != nullptr) Leave(entry);
  entry.claim = std::move(claim);
  entry.assumed = std::move(assumed);
  Enter(entry);
}

Status Cluster::PutClaim(json::DocumentPtr document) {
  ASSIGN_OR_RETURN(ClaimPtr claim, Claim::Read(std::move(document)));
  PutClaim(std::move(claim));
  return Status();
}

void Cluster::PutClaim(ClaimPtr claim) {
  ClaimEntry& entry = claims_[claim->key];
  const bool same = entry.claim != nullptr && entry.claim->claim.uid == claim->claim.uid;
  if (same && claim->version != 0 && claim->version < entry.claim->version) return;
  ClaimPtr assumed = same ? entry.assumed : nullptr;
  // Another scheduler's allocation, which may be taken back, does not end what is assumed.
  const auto& stored = claim->claim.allocation;
  if (assumed != nullptr && stored && model::SameDevices(*stored, *assumed->claim.allocation)) assumed = nullptr;
  SetEffective(entry, std::move(claim), std::move(assumed));
}

void Cluster::RemoveClaim(std::string_view name_space, std::string_view name) {
  const auto at = claims_.find(KeyOf(name_space, name));
  if (at == claims_.end()) return;
  Leave(at->second);
  claims_.erase(at);
}

ClaimPtr Cluster::FindClaim(std::string_view key) const {
  const auto at = claims_.find(key);
  if (at == claims_.end()) return nullptr;
  return at->second.assumed != nullptr ? at->second.assumed : at->second.claim;
}

ClaimPtr Cluster::FindStored(std::string_view claim_key) const {
  const auto at = claims_.find(claim_key);
  return at == claims_.end() ? nullptr : at->second.claim;
}

void Cluster::Assume(const PodWithClaims& asking, std::string_view node, std::vector<model::Allocation> allocations) {
  const auto pod = pods_.find(asking.pod->key);
  if (pod == pods_.end() || pod->second.pod->pod.uid != asking.pod->pod.uid) return;
  pod->second.assumed = node;
  Place(pod->second);
  size_t next = 0;
  for (const ClaimPtr& claim : asking.claims) {
    if (claim->claim.allocation) continue;
    model::Allocation& allocation = allocations[next++];
    const auto at = claims_.find(claim->key);
    if (at == claims_.end() || at->second.claim->claim.uid != claim->claim.uid) continue;
    auto assumed = std::make_shared<Claim>(*claim);
    assumed->claim.allocation = std::move(allocation);
    assumed->claim.reserved_for.assign(1, std::string(asking.pod->pod.name));
    SetEffective(at->second, at->second.claim, std::move(assumed));
    at->second.assumed_for = asking.pod->pod.uid;
    assumptions_[at->second.assumed_for].push_back(claim->key);
  }
}

// Ends every assumption for the Pod, even if another claim of the Pod is gone by now.
void Cluster::ForgetClaims(std::string_view pod_uid) {
  const auto assumption = assumptions_.find(pod_uid);
  if (assumption == assumptions_.end()) return;
  for (const std::string& key : assumption->second) {
    const auto at = claims_.find(key);
    if (at == claims_.end() || at->second.assumed == nullptr || at->second.assumed_for != pod_uid) continue;
    SetEffective(at->second, at->second.claim, nullptr);
  }
  assumptions_.erase(assumption);
}

void Cluster::Forget(const Pod& pod) {
  ForgetClaims(pod.pod.uid);
  const auto at = pods_.find(pod.key);
  if (at == pods_.end() || at->second.pod->pod.uid != pod.pod.uid || at->second.assumed.empty()) return;
  at->second.assumed.clear();
  Place(at->second);
}

void Cluster::Written(const Pod& pod) { ForgetClaims(pod.pod.uid); }

void Cluster::SetAside(std::string_view pod_key) {
  const auto pod = pods_.find(pod_key);
  if (pod == pods_.end()) return;
  pod->second.aside = true;
  ForgetClaims(pod->second.pod->pod.uid);
  pod->second.assumed.clear();
  Place(pod->second);
}

void Cluster::TakeBack(std::string_view pod_key) {
  const auto pod = pods_.find(pod_key);
  if (pod == pods_.end() || !pod->second.aside) return;
  pod->second.aside = false;
  Place(pod->second);
}

}  // namespace allot::sched
