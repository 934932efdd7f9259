#pragma once
// Consumable capacity: what a request takes of a device, and whether that is left.

#include <span>
#include <vector>

#include "alloc/ledger.h"
#include "model/claim.h"
#include "model/device.h"

namespace allot::alloc {

// What `requested` (nullptr: nothing was asked) takes of `capacity`: rounded up as its policy says, its default or all of it without a
// request.
model::Quantity ConsumedAmount(const model::Quantity* requested, const model::Capacity& capacity);

// Whether the policy of a capacity forbids to take `amount`.
bool ViolatesPolicy(const model::Quantity& amount, const model::CapacityPolicy& policy);

// Why a request does not get its share of a device.
struct CapacityProblem {
  enum class Why { kNone, kUnknownName, kPolicy, kNotEnough };
  Why why = Why::kNone;
  std::string_view name;  // of the capacity
  model::Quantity asked;  // after rounding; of kUnknownName: as asked
  model::Quantity free;   // of kNotEnough
  model::Quantity whole;  // of kPolicy and kNotEnough
};

// Whether `device` has the capacity that the request asks for, given what the ledger holds of it (`usage`, or nullptr) and what this
// attempt took already (`taken`, in the order of device.capacity, or empty). `problem`, when given, says why not.
bool CapacityFits(const model::DeviceRequest& request, const model::Device& device, const Usage* usage,
                  std::span<const model::Quantity> taken, CapacityProblem* problem = nullptr);

// What the request takes of each capacity of the device, in the order of device.capacity.
std::vector<model::Quantity> ConsumedAmounts(const model::DeviceRequest& request, const model::Device& device);

}  // namespace allot::alloc
