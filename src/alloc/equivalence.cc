#include "alloc/equivalence.h"

#include <optional>

#include "alloc/taint.h"

namespace allot::alloc {
namespace {

uint64_t HashQuantity(const model::Quantity& quantity) { return Combine(HashText(quantity.ToString()), quantity.IsBig()); }

uint64_t HashQuantity(const std::optional<model::Quantity>& quantity) { return quantity ? HashQuantity(*quantity) : 0x51; }

uint64_t HashCapacity(const model::Device& device) {
  uint64_t hash = Mix(device.allow_multiple_allocations);
  for (const model::Capacity& capacity : device.capacity) {
    hash = Combine(hash, HashText(capacity.name.full));
    hash = Combine(hash, HashQuantity(capacity.value));
    if (!capacity.policy) continue;
    const model::CapacityPolicy& policy = *capacity.policy;
    hash = Combine(hash, HashQuantity(policy.default_value));
    hash = Combine(hash, policy.has_range);
    for (const auto* bound : {&policy.min, &policy.max, &policy.step}) hash = Combine(hash, HashQuantity(*bound));
    for (const model::Quantity& value : policy.valid_values) hash = Combine(hash, HashQuantity(value));
  }
  return hash;
}

uint64_t HashUsage(const Usage* usage) {
  if (usage == nullptr) return 0x52;
  uint64_t hash = Mix(static_cast<uint64_t>(usage->whole > 0) | static_cast<uint64_t>(usage->shares > 0) << 1 |
                      static_cast<uint64_t>(usage->with_capacity > 0) << 2);
  for (const auto& [name, amount] : usage->consumed) hash = Combine(Combine(hash, HashText(name)), HashText(amount.Canonical()));
  return hash;
}

uint64_t HashCounters(const InventoryDevice& device) {
  if (device.device->consumes_counters.empty()) return 0x53;
  uint64_t hash = Mix(device.pool);
  for (const model::CounterSet& set : device.device->consumes_counters) {
    hash = Combine(hash, HashText(set.name));
    for (const model::Counter& counter : set.counters) {
      hash = Combine(Combine(hash, HashText(counter.name)), HashText(counter.value.Canonical()));
    }
  }
  return hash;
}

}  // namespace

Equivalence::Equivalence(const CheckedClaims& checked, const Inventory& inventory, const Ledger& ledger, const Features& features,
                         Matcher& matcher) {
  const size_t count = inventory.devices().size();
  class_of_.resize(count);
  unused_from_.resize(count + 1);
  std::vector<bool> alone(count);  // not like any other
  for (const Ask& ask : checked.asks) {
    // Kubernetes goes through the devices of mode All one by one, and which comes first may decide between failure and error.
    for (const uint32_t device : ask.all_devices) alone[device] = true;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const InventoryDevice& entry = inventory.devices()[i];
    const Pool& pool = inventory.pools()[entry.pool];
    uint64_t hash = Mix(0x54);
    bool wanted = false;
    for (uint32_t group = 0; group < matcher.groups(); ++group) {
      const Match match = matcher.Matches(group, i);
      alone[i] = alone[i] || match == Match::kError;
      wanted = wanted || match == Match::kYes;
      hash = Combine(hash, match == Match::kYes);
    }
    if (alone[i]) {
      class_of_[i] = Combine(0x55, i);
      continue;
    }
    if (!wanted) continue;  // no ask ever takes it: all such devices are alike
    hash = Combine(hash, HashCapacity(*entry.device));
    hash = Combine(hash, HashUsage(ledger.Find(pool.hash, {pool.driver, pool.name, entry.device->name})));
    hash = Combine(hash, HashCounters(entry));
    if (features.device_taints && !entry.device->taints.empty()) {
      for (const Ask& ask : checked.asks) hash = Combine(hash, PreventingTaint(entry.device->taints, ask.spec->tolerations) != nullptr);
    }
    for (const CheckedClaim& claim : checked.claims) {
      for (const model::Constraint& constraint : claim.claim->constraints) {
        const std::string_view name = constraint.match_attribute ? *constraint.match_attribute : constraint.distinct_attribute.value_or("");
        const model::AttributeValue* value = FindAttribute(*entry.device, entry.slice->driver, name);
        hash = Combine(hash, value == nullptr ? 0x56 : HashValue(*value));
      }
    }
    class_of_[i] = hash;
  }
  for (uint32_t i = static_cast<uint32_t>(count); i-- > 0;) {
    unused_from_[i] = unused_from_[i + 1];
    unused_from_[i] += HashOf(i, 0);
  }
}

}  // namespace allot::alloc
