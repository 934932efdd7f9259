// Events. Each event of the inventory is delivered once to every event set that had registered its GPU before the event came, like events
// of real hardware.

#include <chrono>
#include <optional>
#include <thread>

#include "device/fake_nvml/exports.h"
#include "device/fake_nvml/library.h"

namespace allot::device::nvml {

using fake::Card;
using fake::Library;
using fake::Machine;
using fake::MigPart;

namespace {

// The inventory is a file, so it has to be polled.
constexpr auto kLookEvery = std::chrono::milliseconds(5);

bool IsFor(const EventSetState& set, const fake::Event& event) {
  const auto types = set.types.find(event.uuid);
  return types != set.types.end() && (types->second & event.type) && !set.past.contains(event.id);
}

// Returns the next event. kTimeout: there is none now.
Return Take(EventSet set, EventData* data) {
  return Library::Get().With("nvmlEventSetWait_v2", [&](const Machine& machine) {
    if (!set || !data) return Return::kInvalidArgument;
    for (const fake::Event& event : machine.events) {
      if (!IsFor(*set, event)) continue;
      set->past.insert(event.id);
      *data = {Library::Get().DeviceHandle(event.uuid, ""), event.type, event.data, event.gpu_instance, event.compute_instance};
      return Return::kSuccess;
    }
    return Return::kTimeout;
  });
}

}  // namespace

Return nvmlEventSetCreate(EventSet* set) {
  return Library::Get().With(__func__, [&](const Machine&) {
    *set = Library::Get().NewEventSet();
    return Return::kSuccess;
  });
}

Return nvmlEventSetFree(EventSet set) {
  return Library::Get().With(__func__, [&](const Machine&) {
    Library::Get().FreeEventSet(set);
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetSupportedEventTypes(Device device, uint64_t* types) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    *types = kEventXidCritical | (card.ecc ? kEventSingleBitEcc | kEventDoubleBitEcc : 0);
    return Return::kSuccess;
  });
}

Return nvmlDeviceRegisterEvents(Device device, uint64_t types, EventSet set) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    if (!card.ecc && (types & (kEventSingleBitEcc | kEventDoubleBitEcc))) return Return::kNotSupported;
    set->types[card.uuid] |= types;
    for (const fake::Event& event : Library::Get().machine().events) {
      if (event.uuid == card.uuid) set->past.insert(event.id);
    }
    return Return::kSuccess;
  });
}

Return nvmlEventSetWait_v2(EventSet set, EventData* data, unsigned timeout_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    const Return code = Take(set, data);
    if (code != Return::kTimeout || std::chrono::steady_clock::now() >= until) return code;
    std::this_thread::sleep_for(kLookEvery);
  }
}

}  // namespace allot::device::nvml
