#pragma once
// The holders of devices: the sum of the amounts that allocated ResourceClaims consume.
//
// Invariants:
//   1. a device's consumed amounts are exactly the sum over the claims that hold a share of it;
//   2. Remove(uid) restores what the ledger was before Add of that claim;
//   3. adding a claim again (a watch repeats itself, an allocation changed) replaces what it held.
// Results with admin access hold nothing, as in Kubernetes. A share with a negative amount counts as the whole device. Owns its text. Not
// thread-safe: the owner serialises access; reading from several threads is fine while no thread writes.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "alloc/hash.h"
#include "model/claim.h"
#include "model/quantity.h"

namespace allot::alloc {

struct DeviceId {
  std::string_view driver, pool, device;
};

// What one claim holds of one device.
struct Hold {
  std::string claim;  // "namespace/name"
  std::string claim_uid;
  std::vector<std::string> reserved_for;  // the Pods that use the claim
  bool whole = false;                     // the device, not a share of it
  bool has_capacity = false;              // a share that says what it consumes
  std::vector<std::pair<std::string, model::Quantity>> consumed;
};

// Everything that is held of one device.
struct Usage {
  std::vector<Hold> holds;
  uint32_t whole = 0;                                             // how many holds take the device whole
  uint32_t shares = 0;                                            // how many take a share
  uint32_t with_capacity = 0;                                     // how many of the shares say what they consume
  std::vector<std::pair<std::string, model::Quantity>> consumed;  // the sum, by capacity name, sorted

  const model::Quantity* Consumed(std::string_view capacity) const;
};

class Ledger {
 public:
  // Enters what the claim's allocation holds; a claim that is not allocated holds nothing. REQUIRES a uid.
  void Add(const model::ResourceClaim& claim);
  // Takes out what the claim with this uid holds; nothing when it holds nothing.
  void Remove(std::string_view claim_uid);

  // Enters one hold directly: for devices known to be taken without the claim at hand. Without a claim_uid it stays for good.
  void AddHold(const DeviceId& device, Hold hold);

  bool empty() const { return devices_.empty(); }
  // nullptr where nothing of the device is held.
  const Usage* Find(const DeviceId& device) const { return Find(HashPool(device.driver, device.pool), device); }
  // The same with HashPool(device.driver, device.pool) at hand.
  const Usage* Find(uint64_t pool_hash, const DeviceId& device) const;

 private:
  struct Key {
    uint64_t hash;
    std::string driver, pool, device;
  };
  struct View {
    uint64_t hash;
    DeviceId id;
  };
  struct Hasher {
    using is_transparent = void;
    size_t operator()(const Key& key) const { return key.hash; }
    size_t operator()(const View& view) const { return view.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Key& a, const Key& b) const {
      return a.hash == b.hash && a.device == b.device && a.pool == b.pool && a.driver == b.driver;
    }
    bool operator()(const View& a, const Key& b) const {
      return a.hash == b.hash && a.id.device == b.device && a.id.pool == b.pool && a.id.driver == b.driver;
    }
    bool operator()(const Key& a, const View& b) const { return (*this)(b, a); }
  };
  using Devices = std::unordered_map<Key, Usage, Hasher, Same>;

  Devices devices_;
  // Where each claim has holds, so that Remove does not look at every device.
  std::unordered_map<std::string, std::vector<const Key*>> devices_of_claim_;
};

}  // namespace allot::alloc
