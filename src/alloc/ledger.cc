#include "alloc/ledger.h"

#include <algorithm>

#include "base/check.h"

namespace allot::alloc {
namespace {

template <typename Entries>
auto Position(Entries& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name, [](const auto& entry, std::string_view n) { return entry.first < n; });
}

}  // namespace

const model::Quantity* Usage::Consumed(std::string_view capacity) const {
  const auto at = Position(consumed, capacity);
  return at != consumed.end() && at->first == capacity ? &at->second : nullptr;
}

void Ledger::Add(const model::ResourceClaim& claim) {
  CHECK(!claim.uid.empty());
  Remove(claim.uid);
  if (!claim.allocation) return;
  for (const model::DeviceResult& result : claim.allocation->results) {
    if (result.admin_access) continue;
    Hold hold;
    hold.claim = claim.FullName();
    hold.claim_uid = claim.uid;
    hold.reserved_for.assign(claim.reserved_for.begin(), claim.reserved_for.end());
    // An amount below zero comes from a scheduler whose arithmetic wrapped. It must not make room for other claims.
    const bool wrapped = std::any_of(result.consumed_capacity.begin(), result.consumed_capacity.end(),
                                     [](const model::NamedQuantity& consumed) { return consumed.amount.Sign() < 0; });
    hold.whole = result.share_id.empty() || wrapped;
    hold.has_capacity = !hold.whole && !result.consumed_capacity.empty();
    if (hold.has_capacity) {
      for (const model::NamedQuantity& consumed : result.consumed_capacity) hold.consumed.emplace_back(consumed.name, consumed.amount);
    }
    AddHold({result.driver, result.pool, result.device}, std::move(hold));
  }
}

void Ledger::AddHold(const DeviceId& device, Hold hold) {
  const uint64_t hash = HashDevice(HashPool(device.driver, device.pool), device.device);
  auto at = devices_.find(View{hash, device});
  if (at == devices_.end()) {
    at = devices_.emplace(Key{hash, std::string(device.driver), std::string(device.pool), std::string(device.device)}, Usage()).first;
  }
  Usage& usage = at->second;
  usage.whole += hold.whole;
  usage.shares += !hold.whole;
  usage.with_capacity += hold.has_capacity;
  for (const auto& [name, amount] : hold.consumed) {
    auto sum = Position(usage.consumed, name);
    if (sum != usage.consumed.end() && sum->first == name) {
      sum->second.Add(amount);
    } else {
      usage.consumed.insert(sum, {name, amount});
    }
  }
  if (!hold.claim_uid.empty()) {
    std::vector<const Key*>& keys = devices_of_claim_[hold.claim_uid];
    if (std::find(keys.begin(), keys.end(), &at->first) == keys.end()) keys.push_back(&at->first);
  }
  usage.holds.push_back(std::move(hold));
}

void Ledger::Remove(std::string_view claim_uid) {
  if (claim_uid.empty()) return;
  const auto claim = devices_of_claim_.find(std::string(claim_uid));
  if (claim == devices_of_claim_.end()) return;
  for (const Key* key : claim->second) {
    const auto device = devices_.find(*key);
    CHECK(device != devices_.end());
    Usage& usage = device->second;
    std::erase_if(usage.holds, [&](const Hold& hold) {
      if (hold.claim_uid != claim_uid) return false;
      usage.whole -= hold.whole;
      usage.shares -= !hold.whole;
      usage.with_capacity -= hold.has_capacity;
      for (const auto& [name, amount] : hold.consumed) Position(usage.consumed, name)->second.Sub(amount);
      return true;
    });
    if (usage.holds.empty()) {
      devices_.erase(device);
    } else {
      // Names that no other claim consumes go, so that the ledger is as it was.
      std::erase_if(usage.consumed, [&](const auto& sum) {
        return std::none_of(usage.holds.begin(), usage.holds.end(), [&](const Hold& hold) {
          return std::any_of(hold.consumed.begin(), hold.consumed.end(), [&](const auto& c) { return c.first == sum.first; });
        });
      });
    }
  }
  devices_of_claim_.erase(claim);
}

const Usage* Ledger::Find(uint64_t pool_hash, const DeviceId& device) const {
  if (devices_.empty()) return nullptr;
  const auto at = devices_.find(View{HashDevice(pool_hash, device.device), device});
  return at == devices_.end() ? nullptr : &at->second;
}

}  // namespace allot::alloc
