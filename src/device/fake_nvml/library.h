#pragma once
// The state behind the fake's C functions: the machine as the inventory describes it now, and the handles that programs have.
//
// The With functions are thread-safe: they hold the lock while `act` runs. Handles stay valid until the library is unloaded, because a
// program may keep the handle of a GPU that is gone.

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/fake_nvml/machine.h"
#include "device/nvidia/nvml_abi.h"

namespace allot::device::nvml {

struct DeviceState {
  std::string gpu;  // UUID
  std::string mig;  // UUID; empty: the GPU itself
};
struct GpuInstanceState {
  std::string gpu;
  unsigned id = 0;
};
struct EventSetState {
  std::map<std::string, uint64_t> types;  // registered types, by the GPU's UUID
  std::set<int64_t> past;                 // IDs of events that were delivered, or came before their GPU was registered
};

}  // namespace allot::device::nvml

namespace allot::device::fake {

class Library {
 public:
  // Returns the library of this process.
  static Library& Get();

  nvml::Return Init();
  nvml::Return Shutdown();

  // Calls act(machine), unless the inventory says that `symbol` fails.
  template <typename Act>
  nvml::Return With(std::string_view symbol, Act act) {
    const std::lock_guard lock(mutex_);
    if (const nvml::Return code = Before(symbol); code != nvml::Return::kSuccess) return code;
    return act(*machine_);
  }

  // Calls act(card, mig); mig is null for a handle of the GPU itself.
  template <typename Act>
  nvml::Return WithDevice(std::string_view symbol, nvml::Device device, Act act) {
    return With(symbol, [&](const Machine& machine) {
      if (!device) return nvml::Return::kInvalidArgument;
      const auto card = std::ranges::find(machine.cards, device->gpu, &Card::uuid);
      if (card == machine.cards.end() || card->lost) return nvml::Return::kGpuIsLost;
      if (const auto failure = card->failures.find(symbol); failure != card->failures.end()) return failure->second;
      if (device->mig.empty()) return act(*card, static_cast<const MigPart*>(nullptr));
      const auto mig = std::ranges::find(card->mig, device->mig, &MigPart::uuid);
      return mig == card->mig.end() ? nvml::Return::kNotFound : act(*card, &*mig);
    });
  }

  // To be called inside With and WithDevice.
  const Machine& machine() const { return *machine_; }
  std::vector<std::string> Enumerated() const;  // UUIDs of the GPUs in the order of their indexes
  nvml::Device DeviceHandle(const std::string& gpu, const std::string& mig);
  nvml::GpuInstance InstanceHandle(const std::string& gpu, unsigned id);
  nvml::EventSet NewEventSet() { return event_sets_.emplace_back(std::make_unique<nvml::EventSetState>()).get(); }
  void FreeEventSet(nvml::EventSet set);

 private:
  nvml::Return Before(std::string_view symbol);
  void Refresh();

  std::mutex mutex_;
  int users_ = 0;      // calls of nvmlInit_v2 without nvmlShutdown
  std::string path_;   // of the inventory
  std::string stamp_;  // of the inventory that machine_ was read from
  std::unique_ptr<const Machine> machine_;
  std::vector<std::string> enumerated_;  // at the first nvmlInit_v2
  std::deque<nvml::DeviceState> devices_;
  std::deque<nvml::GpuInstanceState> instances_;
  std::vector<std::unique_ptr<nvml::EventSetState>> event_sets_;
};

// Copies the string with its terminating zero, as NVML's functions do.
nvml::Return CopyText(std::string_view text, char* to, unsigned length);

}  // namespace allot::device::fake
