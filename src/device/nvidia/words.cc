#include "device/nvidia/words.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/strings.h"

namespace allot::device::nvidia {

std::string BrandName(int brand) {
  static constexpr std::string_view kNames[] = {"Unknown",   "Quadro",      "Tesla",     "NVS",        "Grid",      "GeForce",
                                                "Titan",     "NvidiaVApps", "NvidiaVPC", "NvidiaVCS",  "NvidiaVWS", "NvidiaCloudGaming",
                                                "QuadroRTX", "NvidiaRTX",   "Nvidia",    "GeForceRTX", "TitanRTX"};
  return std::string(brand >= 0 && brand < std::ssize(kNames) ? kNames[brand] : kNames[0]);
}

std::string ArchitectureName(unsigned architecture) {
  static constexpr std::string_view kNames[] = {"Unknown", "Unknown", "Kepler",       "Maxwell", "Pascal",   "Volta",
                                                "Turing",  "Ampere",  "Ada Lovelace", "Hopper",  "Blackwell"};
  return std::string(architecture < std::size(kNames) ? kNames[architecture] : kNames[0]);
}

std::string AddressingModeName(unsigned mode) {
  static constexpr std::string_view kNames[] = {"None", "HMM", "ATS"};
  return std::string(mode < std::size(kNames) ? kNames[mode] : "");
}

std::string SemanticVersion(std::string_view text) {
  uint32_t numbers[3] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (uint32_t& number : numbers) {
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || rest == end || *rest != '.') break;
    at = rest + 1;
  }
  return StrCat(numbers[0], ".", numbers[1], ".", numbers[2]);
}

std::string PciAddress(std::string_view bus_id) {
  std::string address;
  for (const char c : bus_id) address += static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  if (address.size() > 8 && address[8] == ':' && address.starts_with("0000")) address.erase(0, 4);
  return address;
}

std::string ProfileOfName(std::string_view name) {
  static constexpr std::string_view kMark = " MIG ";
  const size_t mark = name.rfind(kMark);
  return std::string(mark == std::string_view::npos ? "" : name.substr(mark + kMark.size()));
}

std::string ProfileOfSizes(unsigned compute_slices, unsigned gpu_slices, double memory_mib, double gpu_memory_mib) {
  const double eighths = std::ceil(8 * memory_mib / gpu_memory_mib);
  const auto gigabytes = static_cast<int64_t>(std::llround(eighths / 8 * std::ceil(gpu_memory_mib / 1024)));
  const std::string compute = compute_slices == gpu_slices ? "" : StrCat(compute_slices, "c.");
  return StrCat(compute, gpu_slices, "g.", gigabytes, "gb");
}

}  // namespace allot::device::nvidia
