#pragma once
// Which of the devices that fit is taken first. A preference orders; it never changes whether something fits.

#include <memory>
#include <span>
#include <string_view>

#include "alloc/inventory.h"
#include "alloc/ledger.h"
#include "base/status.h"
#include "model/claim.h"
#include "model/quantity.h"

namespace allot::alloc {

// A device that a request could take now.
struct Candidate {
  const model::Device& device;
  const Usage* usage;                      // nullptr: no claim holds any of it
  std::span<const model::Quantity> taken;  // by this Pod already, in the order of device.capacity; empty: nothing
  std::span<const model::Quantity> asked;  // of each capacity, in the order of device.capacity
};

class Preference {
 public:
  virtual ~Preference() = default;
  // Smaller is taken first; among equals Kubernetes' order holds.
  virtual double Cost(const Candidate& candidate) const = 0;
};

// "best-fit" takes the device with the least memory left over (without memory: the least of the first capacity), so that large free parts
// stay whole for large requests. Among devices with as much left over, and those that are taken whole, it takes the smallest.
// "worst-fit" leaves the most. "first" is Kubernetes' order: nullptr. kInvalid for other names.
Result<std::unique_ptr<const Preference>> MakePreference(std::string_view name);

}  // namespace allot::alloc
