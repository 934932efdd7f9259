#pragma once
// A GPU of this machine, and its MIG devices, as discovery found them: plain values, in the words and types that a ResourceSlice uses.
//
// Text is always usable as an attribute: never empty where the guide of a driver selects on it, versions are semantic versions ("8.6.0").
// Where the card did not tell, the name is "unknown", the brand and the architecture are "Unknown" (NVML's word), a version is "0.0.0".
// What the card did not tell and nobody selects on is empty or absent.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace allot::device {

// A MIG device that exists.
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
  std::string raw_driver_version;  // as the driver writes it, "580.105.08": what its files are named by
  std::string addressing_mode;     // HMM, ATS, None; empty: not told
  std::string pci_bus_id;          // "0000:01:00.0"; empty: not known
  std::string pcie_root;           // "pci0000:00"; empty: not known
  std::optional<int64_t> numa_node;
  std::optional<int64_t> memory_mib;  // whole MiB, rounded down; absent: the card does not tell
  bool mig_enabled = false;
  std::vector<MigDevice> mig;         // by placement
  std::vector<std::string> problems;  // the calls that failed, each a sentence for the log

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

}  // namespace allot::device
