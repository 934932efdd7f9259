#include "generate_allocator.h"

namespace allot::conformance {

bool IsMemory(std::string_view capacity) { return capacity.ends_with("memory"); }

std::string MemoryText(Dice& dice, int64_t mib) {
  const std::string bytes = std::to_string(mib * 1024 * 1024);
  switch (dice.Weighted({70, 10, 7, 3, 2, 4, 4})) {
    case 0: return mib % 1024 == 0 ? std::to_string(mib / 1024) + "Gi" : std::to_string(mib) + "Mi";
    case 1: return std::to_string(mib) + "Mi";
    case 2: return bytes;
    case 3: return bytes + "000m";
    case 4: return bytes + "e0";
    case 5:
      return mib > 0 && mib % 512 == 0 ? std::to_string(mib / 1024) + (mib % 1024 == 0 ? ".0Gi" : ".5Gi") : std::to_string(mib) + "Mi";
    default: return std::to_string(mib * 1024) + "Ki";
  }
}

std::string CountText(Dice& dice, int64_t milli) {
  if (milli % 1000 != 0 || dice.Percent(10)) {
    if (milli > 0 && milli % 100 == 0 && dice.Percent(40)) return std::to_string(milli / 1000) + '.' + std::to_string(milli % 1000 / 100);
    return std::to_string(milli) + 'm';
  }
  const std::string whole = std::to_string(milli / 1000);
  switch (dice.Weighted({85, 5, 5, 5})) {
    case 0: return whole;
    case 1: return whole + ".0";
    case 2: return whole + "e0";
    default: return milli % 1'000'000 == 0 ? std::to_string(milli / 1'000'000) + 'k' : whole;
  }
}

std::string AmountText(Dice& dice, std::string_view capacity, int64_t amount) {
  return IsMemory(capacity) ? MemoryText(dice, amount) : CountText(dice, amount);
}

}  // namespace allot::conformance
