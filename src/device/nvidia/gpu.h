#pragma once
// A GPU of this machine and its MIG devices, as discovery found them: plain values, in the terms and types of a ResourceSlice.
//
// Strings can be used as attributes: those that users select on are never empty, and versions are semantic versions ("8.6.0"). If the GPU
// does not report a value, the name is "unknown", the brand and the architecture are "Unknown" (as in NVML), and a version is "0.0.0".
// Other values that the GPU does not report are empty or absent.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace allot::device::nvidia {

// An existing MIG device.
struct MigDevice {
  std::string uuid;     // "MIG-..."
  std::string profile;  // "1g.12gb"
  int profile_id = 0;   // of the GPU instance
  int gpu_instance = 0, compute_instance = 0;
  int placement_start = 0, placement_size = 0;  // in memory slices
  int64_t memory_mib = 0;
  int64_t multiprocessors = 0, copy_engines = 0, decoders = 0, encoders = 0, jpeg_engines = 0, ofa_engines = 0;

  friend bool operator==(const MigDevice&, const MigDevice&) = default;
};

struct Gpu {
  int minor = 0;     // of /dev/nvidia<minor>
  std::string uuid;  // "GPU-..."
  std::string product_name;
  std::string brand;
  std::string architecture;
  std::string cuda_compute_capability, driver_version, cuda_driver_version;  // "8.6.0", "580.105.4", "13.0.0"
  std::string raw_driver_version;                                            // as the driver writes it and names its files: "580.105.08"
  std::string addressing_mode;                                               // HMM, ATS, None; empty: unknown
  std::string pci_bus_id;                                                    // "0000:01:00.0"; empty: unknown
  std::string pcie_root;                                                     // "pci0000:00"; empty: unknown
  std::optional<int64_t> numa_node;
  std::optional<int64_t> memory_mib;  // whole MiB, rounded down; absent: unknown
  bool mig_enabled = false;
  std::vector<MigDevice> mig;         // by placement
  std::vector<std::string> problems;  // a sentence for the log about each call that failed

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

}  // namespace allot::device::nvidia
