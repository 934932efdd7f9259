#pragma once
// GPU memory: the one unit, and the one rule that says which capacity of a device is its memory.
//
// Memory is a whole number of MiB everywhere. A GPU offers the MiB that fit into its bytes, so an offer rounds down. A claim takes every
// MiB that it touches, so what is taken rounds up. The free memory that follows from both is never more than the GPU has.

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/claim.h"
#include "model/device.h"
#include "model/quantity.h"

namespace allot::model {

inline constexpr int64_t kBytesPerMiB = 1 << 20;

// A whole number of MiB. A difference of two amounts may be negative.
class MiB {
 public:
  constexpr MiB() = default;
  constexpr explicit MiB(int64_t count) : count_(count) {}

  // The whole MiB in an amount of bytes: what a device with that many bytes offers. 0 for negative amounts.
  static constexpr MiB Offered(int64_t bytes) { return MiB(bytes > 0 ? bytes / kBytesPerMiB : 0); }
  static MiB Offered(const Quantity& amount);
  // The MiB that an amount of bytes touches: what it takes of a device. 0 for negative amounts.
  static constexpr MiB Taken(int64_t bytes) { return MiB(bytes > 0 ? (bytes - 1) / kBytesPerMiB + 1 : 0); }
  static MiB Taken(const Quantity& amount);
  // nullopt unless the amount is a whole number of MiB.
  static std::optional<MiB> Exactly(const Quantity& amount);

  constexpr int64_t count() const { return count_; }
  constexpr int64_t bytes() const { return count_ * kBytesPerMiB; }
  Quantity ToQuantity() const;
  std::string ToText() const;    // as a manifest has it: "6144Mi"
  std::string ToString() const;  // as people read it: "6144 MiB"

  friend constexpr auto operator<=>(MiB, MiB) = default;
  friend constexpr MiB operator+(MiB a, MiB b) { return MiB(a.count_ + b.count_); }
  friend constexpr MiB operator-(MiB a, MiB b) { return MiB(a.count_ - b.count_); }
  constexpr MiB& operator+=(MiB other) { return count_ += other.count_, *this; }
  constexpr MiB& operator-=(MiB other) { return count_ -= other.count_, *this; }

 private:
  int64_t count_ = 0;
};

// The amount in MiB with its fraction, for scores that only compare.
double ApproximateMiB(const Quantity& amount);

// Whether a capacity of this name is memory: "memory", which belongs to the driver, or "DOMAIN/memory".
bool IsMemory(std::string_view capacity_name);

// The capacity that is the device's memory: the driver's own if there is one, else the first by name. nullptr: the device has none.
const Capacity* MemoryOf(const Device& device);
// The same among the amounts of a request, or among those that an allocation consumes.
const NamedQuantity* MemoryOf(std::span<const NamedQuantity> amounts);
const Quantity* MemoryOf(std::span<const std::pair<std::string, Quantity>> amounts);

// What the result takes of the memory of its device, which has `whole`: nothing with adminAccess, everything if the result names no
// amount.
MiB MemoryTaken(const DeviceResult& result, MiB whole);
// The same for callers that do not know the device. nullopt: all of it.
std::optional<MiB> MemoryTaken(const DeviceResult& result);

}  // namespace allot::model
