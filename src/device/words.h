#pragma once
// NVML's numbers and texts as the words and versions that a ResourceSlice carries.

#include <string>
#include <string_view>

namespace allot::device {

// "GeForce", "Nvidia", ...; "Unknown" for a number that we do not know.
std::string BrandName(int brand);

// "Ampere", "Ada Lovelace", ...; "Unknown" likewise.
std::string ArchitectureName(unsigned architecture);

// "HMM", "ATS" or "None"; empty likewise.
std::string AddressingModeName(unsigned mode);

// A semantic version of up to three numbers: "580.105.08" is "580.105.8", "13.0" is "13.0.0". What is no number ends it; nothing at all is
// "0.0.0".
std::string SemanticVersion(std::string_view text);

// As sysfs names the device: "00000000:0A:00.0" is "0000:0a:00.0". A domain beyond 16 bits keeps its digits.
std::string PciAddress(std::string_view bus_id);

// The profile of a MIG device, from its name: "1g.10gb+me" of "NVIDIA A100-SXM4-80GB MIG 1g.10gb+me"; empty: none in it.
std::string ProfileOfName(std::string_view name);

// The profile by its sizes, as NVIDIA names it: of eighths of the GPU's memory, rounded up, in GB. "1c.2g.20gb" where the compute instance
// is smaller than the GPU instance.
std::string ProfileOfSizes(unsigned compute_slices, unsigned gpu_slices, double memory_mib, double gpu_memory_mib);

}  // namespace allot::device
