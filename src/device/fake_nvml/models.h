#pragma once
// The models that the fake knows, with the values that NVML reports for real GPUs.

#include <cstdint>
#include <string>
#include <string_view>

namespace allot::device::fake {

struct Model {
  std::string_view key;   // in the inventory: "rtx3090"
  std::string_view name;  // "NVIDIA GeForce RTX 3090"
  int brand;              // NVML's number
  unsigned architecture;  // NVML's number
  int compute_major, compute_minor;
  int64_t memory_mib;
  unsigned pci_device_id;  // device in the upper half, vendor in the lower one
  bool ecc;
  unsigned multiprocessors_per_slice;  // for MIG; 0: cannot be split
};

// Returns null if there is no such model.
const Model* FindModel(std::string_view key);
// Returns "a100, h100, l4, rtx3060, rtx3090".
std::string_view ModelKeys();

// Returns a made-up UUID, which is the same for the same arguments on every machine: "GPU-0d1f...".
std::string MadeUpUuid(std::string_view prefix, std::string_view words);
// Returns the UUID of the GPU of this model and minor, on the machine named by `seed`.
std::string CardUuid(std::string_view seed, const Model& model, unsigned minor);

// A MIG profile of the 80 GB cards.
struct Profile {
  std::string_view name;   // "1g.10gb"
  unsigned id;             // of the GPU instance profile
  unsigned slices;         // of the multiprocessors, of 7
  unsigned memory_slices;  // of 8
  int64_t memory_mib;
  unsigned copy_engines, decoders, jpeg_engines, ofa_engines;
};

// Returns null if there is no such profile.
const Profile* FindProfile(std::string_view name);

}  // namespace allot::device::fake
