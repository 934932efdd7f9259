#pragma once
// Turns NVML's numbers and strings into the names and versions of a ResourceSlice.

#include <string>
#include <string_view>

namespace allot::device::nvidia {

// Returns "GeForce", "Nvidia", ...; "Unknown" for an unknown number.
std::string BrandName(int brand);

// Returns "Ampere", "Ada Lovelace", ...; "Unknown" for an unknown number.
std::string ArchitectureName(unsigned architecture);

// Returns "HMM", "ATS" or "None"; empty for an unknown number.
std::string AddressingModeName(unsigned mode);

// Returns a semantic version from up to three numbers: "580.105.8" for "580.105.08", "13.0.0" for "13.0". Anything but a number ends it. If
// there is no number, the version is "0.0.0".
std::string SemanticVersion(std::string_view text);

// Returns the device's name in sysfs: "0000:0a:00.0" for "00000000:0A:00.0". A domain beyond 16 bits keeps its digits.
std::string PciAddress(std::string_view bus_id);

// Returns the profile in the name of a MIG device: "1g.10gb+me" for "NVIDIA A100-SXM4-80GB MIG 1g.10gb+me". Empty: the name has none.
std::string ProfileOfName(std::string_view name);

// Returns the profile for its sizes, as NVIDIA names it. The memory is in eighths of the GPU's, rounded up to GB. If the compute instance
// is smaller than the GPU instance, the profile is like "1c.2g.20gb".
std::string ProfileOfSizes(unsigned compute_slices, unsigned gpu_slices, double memory_mib, double gpu_memory_mib);

}  // namespace allot::device::nvidia
