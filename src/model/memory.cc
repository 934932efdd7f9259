#include "model/memory.h"

#include <algorithm>
#include <limits>

#include "base/strings.h"

namespace allot::model {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Whole bytes, rounded up. An amount beyond 64 bits becomes the largest or the smallest number.
int64_t BytesUp(const Quantity& amount) { return amount.Value().value_or(amount.Sign() < 0 ? -kMost : kMost); }

// The one without a domain, which is the driver's own, else the first. `name_of` gives an item's full name.
template <typename Items, typename NameOf>
auto FindMemory(const Items& items, const NameOf& name_of) -> decltype(&*items.begin()) {
  decltype(&*items.begin()) found = nullptr;
  for (const auto& item : items) {
    const std::string_view name = name_of(item);
    if (name == "memory") return &item;
    if (found == nullptr && IsMemory(name)) found = &item;
  }
  return found;
}

}  // namespace

MiB MiB::Offered(const Quantity& amount) {
  const int64_t up = BytesUp(amount);
  const bool is_rounded = Quantity::FromInt64(up, amount.format()) > amount;
  return Offered(is_rounded ? up - 1 : up);
}

MiB MiB::Taken(const Quantity& amount) { return Taken(BytesUp(amount)); }

std::optional<MiB> MiB::Exactly(const Quantity& amount) {
  const std::optional<int64_t> bytes = amount.Value();
  if (!bytes || *bytes % kBytesPerMiB != 0 || Quantity::FromInt64(*bytes, amount.format()) != amount) return std::nullopt;
  return MiB(*bytes / kBytesPerMiB);
}

Quantity MiB::ToQuantity() const { return Quantity::FromInt64(bytes(), Quantity::Format::kBinarySI); }
std::string MiB::ToText() const { return StrCat(count_, "Mi"); }
std::string MiB::ToString() const { return StrCat(count_, " MiB"); }

double ApproximateMiB(const Quantity& amount) { return amount.AsApproximateFloat64() / static_cast<double>(kBytesPerMiB); }

bool IsMemory(std::string_view capacity_name) { return capacity_name == "memory" || capacity_name.ends_with("/memory"); }

const Capacity* MemoryOf(const Device& device) {
  return FindMemory(device.capacity, [](const Capacity& capacity) { return capacity.name.full; });
}

const NamedQuantity* MemoryOf(std::span<const NamedQuantity> amounts) {
  return FindMemory(amounts, [](const NamedQuantity& amount) { return std::string_view(amount.name); });
}

const Quantity* MemoryOf(std::span<const std::pair<std::string, Quantity>> amounts) {
  const auto* const found = FindMemory(amounts, [](const auto& amount) { return std::string_view(amount.first); });
  return found == nullptr ? nullptr : &found->second;
}

MiB MemoryTaken(const DeviceResult& result, MiB whole) { return MemoryTaken(result).value_or(whole); }

std::optional<MiB> MemoryTaken(const DeviceResult& result) {
  if (result.admin_access) return MiB(0);
  const NamedQuantity* const memory = MemoryOf(result.consumed_capacity);
  return memory == nullptr ? std::nullopt : std::optional(MiB::Taken(memory->amount));
}

}  // namespace allot::model
