#include "tests/conformance/overcommit.h"

#include <map>

#include "base/strings.h"

namespace allot::conformance {
namespace {

using model::Quantity;

const model::Device* FindDevice(const AllocatorCase& question, const model::DeviceResult& result) {
  const model::ResourceSlice* newest = nullptr;
  const model::Device* found = nullptr;
  for (const model::ResourceSlice& slice : question.slices) {
    if (slice.driver != result.driver || slice.pool != result.pool) continue;
    if (newest != nullptr && slice.pool_generation < newest->pool_generation) continue;
    for (const model::Device& device : slice.devices) {
      if (device.name != result.device) continue;
      newest = &slice;
      found = &device;
    }
  }
  return found;
}

struct Given {
  int whole = 0, shares = 0;
  std::map<std::string_view, Quantity> consumed;
};

}  // namespace

std::string Overcommitted(const AllocatorCase& question, const alloc::Answer& answer) {
  std::map<const model::Device*, Given> given;
  for (const model::Allocation& allocation : answer.allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      if (result.admin_access) continue;  // adminAccess holds nothing
      const model::Device* device = FindDevice(question, result);
      if (device == nullptr) return StrCat(result.device, " was allocated, but no slice has it");
      Given& sum = given[device];
      const alloc::Usage* usage = question.ledger.Find({result.driver, result.pool, result.device});
      if (sum.whole + sum.shares == 0 && usage != nullptr) {
        for (const auto& [name, amount] : usage->consumed) sum.consumed[name] = amount;
        sum.whole += static_cast<int>(usage->whole);
      }
      ++(result.share_id.empty() ? sum.whole : sum.shares);
      if (sum.whole > 1 || (sum.whole == 1 && sum.shares > 0))
        return StrCat(result.device, " is allocated whole and also to another claim");
      for (const model::NamedQuantity& consumed : result.consumed_capacity) {
        if (consumed.amount.Sign() < 0) continue;
        Quantity& total = sum.consumed[consumed.name];
        total.Add(consumed.amount);
        for (const model::Capacity& capacity : device->capacity) {
          if (capacity.name.full != consumed.name || total <= capacity.value) continue;
          const Quantity* before = usage == nullptr ? nullptr : usage->Consumed(consumed.name);
          if (before != nullptr && *before > capacity.value) continue;
          return StrCat(result.device, ": ", total.Canonical(), " of ", consumed.name, " allocated, but the capacity is ",
                        capacity.value.Canonical());
        }
      }
    }
  }
  return "";
}

}  // namespace allot::conformance
