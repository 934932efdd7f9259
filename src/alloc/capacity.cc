#include "alloc/capacity.h"

#include <algorithm>

namespace allot::alloc {
namespace {

using model::Capacity;
using model::CapacityPolicy;
using model::Device;
using model::DeviceRequest;
using model::NamedQuantity;
using model::Quantity;

const Quantity* RequestedAmount(const DeviceRequest& request, std::string_view name) {
  for (const NamedQuantity& entry : request.capacity) {
    if (entry.name == name) return &entry.amount;
  }
  return nullptr;
}

// How far `amount` is beyond `min` in whole steps, and the rest, in 64-bit integers that wrap as Go's do.
struct Steps {
  int64_t count, rest;
};

Steps StepsBeyond(const Quantity& amount, const CapacityPolicy& policy) {
  const uint64_t min = policy.min ? static_cast<uint64_t>(policy.min->WrappedValue()) : 0;
  const int64_t beyond = static_cast<int64_t>(static_cast<uint64_t>(amount.WrappedValue()) - min);
  const int64_t step = policy.step->WrappedValue();
  if (step == 0) return {0, 0};  // the API refuses it, Go's division would crash
  if (step == -1) return {static_cast<int64_t>(0 - static_cast<uint64_t>(beyond)), 0};
  return {beyond / step, beyond % step};
}

Quantity RoundedUpInRange(const Quantity& requested, const CapacityPolicy& policy) {
  if (requested < *policy.min) return *policy.min;
  if (!policy.step) {
    Quantity same = requested;
    if (policy.min->IsBig()) same.MakeBig();  // Go's comparison with a big decimal makes its left side one
    return same;
  }
  const Steps steps = StepsBeyond(requested, policy);
  const uint64_t count = static_cast<uint64_t>(steps.count) + (steps.rest != 0 ? 1 : 0);
  const uint64_t value = static_cast<uint64_t>(policy.min->WrappedValue()) + static_cast<uint64_t>(policy.step->WrappedValue()) * count;
  return Quantity::FromInt64(static_cast<int64_t>(value), Quantity::Format::kBinarySI);
}

Quantity RoundedUpToValue(const Quantity& requested, const CapacityPolicy& policy) {
  bool met_big = false;
  for (const Quantity& valid : policy.valid_values) {
    if (requested <= valid) return valid;
    met_big = met_big || valid.IsBig();
  }
  Quantity same = requested;
  if (met_big) same.MakeBig();
  return same;
}

}  // namespace

Quantity ConsumedAmount(const Quantity* requested, const Capacity& capacity) {
  if (requested == nullptr) return capacity.policy && capacity.policy->default_value ? *capacity.policy->default_value : capacity.value;
  if (!capacity.policy) return *requested;
  if (capacity.policy->has_range && capacity.policy->min) return RoundedUpInRange(*requested, *capacity.policy);
  if (!capacity.policy->valid_values.empty()) return RoundedUpToValue(*requested, *capacity.policy);
  return *requested;
}

bool ViolatesPolicy(const Quantity& amount, const CapacityPolicy& policy) {
  if (policy.default_value && amount.Identical(*policy.default_value)) return false;
  if (policy.has_range) {
    if (policy.max && amount > *policy.max) return true;
    return policy.step && StepsBeyond(amount, policy).rest != 0;
  }
  if (policy.valid_values.empty()) return false;
  return std::find(policy.valid_values.begin(), policy.valid_values.end(), amount) == policy.valid_values.end();
}

bool CapacityFits(const DeviceRequest& request, const Device& device, const Usage* usage, std::span<const Quantity> taken,
                  CapacityProblem* problem) {
  using Why = CapacityProblem::Why;
  for (const NamedQuantity& asked : request.capacity) {
    const bool known =
        std::any_of(device.capacity.begin(), device.capacity.end(), [&](const Capacity& c) { return c.name.full == asked.name; });
    if (known) continue;
    if (problem != nullptr) *problem = {Why::kUnknownName, asked.name, asked.amount, {}, {}};
    return false;
  }
  for (size_t i = 0; i < device.capacity.size(); ++i) {
    const Capacity& capacity = device.capacity[i];
    const Quantity* held = usage == nullptr ? nullptr : usage->Consumed(capacity.name.full);
    const Quantity* requested = request.capacity.empty() ? nullptr : RequestedAmount(request, capacity.name.full);
    // Nothing asked, nothing held and no policy: all of it is free.
    if (requested == nullptr && held == nullptr && taken.empty() && !capacity.policy) continue;
    Quantity amount = ConsumedAmount(requested, capacity);
    // Rounding up may wrap. Kubernetes 1.36 then takes a negative amount of the device, and promises the rest of it again and again.
    const bool wrapped = requested != nullptr && amount < *requested;
    if (wrapped) {
      amount = *requested;
    } else if (capacity.policy && ViolatesPolicy(amount, *capacity.policy)) {
      if (problem != nullptr) *problem = {Why::kPolicy, capacity.name.full, amount, {}, capacity.value};
      return false;
    }
    Quantity sum = amount;
    if (held != nullptr) sum.Add(*held);
    if (!taken.empty()) sum.Add(taken[i]);
    if (!wrapped && sum <= capacity.value) continue;
    if (problem != nullptr) {
      Quantity free = capacity.value;
      if (held != nullptr) free.Sub(*held);
      if (!taken.empty()) free.Sub(taken[i]);
      *problem = {Why::kNotEnough, capacity.name.full, amount, free, capacity.value};
    }
    return false;
  }
  return true;
}

std::vector<Quantity> ConsumedAmounts(const DeviceRequest& request, const Device& device) {
  std::vector<Quantity> amounts;
  amounts.reserve(device.capacity.size());
  for (const Capacity& capacity : device.capacity)
    amounts.push_back(ConsumedAmount(RequestedAmount(request, capacity.name.full), capacity));
  return amounts;
}

}  // namespace allot::alloc
