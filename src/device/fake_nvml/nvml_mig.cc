// MIG devices.

#include "device/fake_nvml/exports.h"
#include "device/fake_nvml/library.h"

namespace allot::device::nvml {

using fake::Card;
using fake::Library;
using fake::MigPart;

namespace {

constexpr unsigned kMostMigDevices = 7;

}  // namespace

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    if (!card.can_split) return Return::kNotSupported;
    *current = *pending = card.mig_enabled ? 1 : 0;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    *count = card.can_split ? kMostMigDevices : 0;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device* mig) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    if (!card.mig_enabled || index >= card.mig.size()) return Return::kNotFound;
    *mig = Library::Get().DeviceHandle(card.uuid, card.mig[index].uuid);
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetAttributes_v2(Device device, DeviceAttributes* attributes) {
  return Library::Get().WithDevice(__func__, device, [&](const Card&, const MigPart* mig) {
    if (!mig) return Return::kNotSupported;
    *attributes = mig->attributes;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetGpuInstanceId(Device device, unsigned* id) {
  return Library::Get().WithDevice(__func__, device, [&](const Card&, const MigPart* mig) {
    if (!mig) return Return::kInvalidArgument;
    *id = mig->gpu_instance;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetComputeInstanceId(Device device, unsigned* id) {
  return Library::Get().WithDevice(__func__, device, [&](const Card&, const MigPart* mig) {
    if (!mig) return Return::kInvalidArgument;
    *id = mig->compute_instance;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetGpuInstanceById(Device device, unsigned id, GpuInstance* instance) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    if (std::ranges::find(card.mig, id, &MigPart::gpu_instance) == card.mig.end()) return Return::kNotFound;
    *instance = Library::Get().InstanceHandle(card.uuid, id);
    return Return::kSuccess;
  });
}

Return nvmlGpuInstanceGetInfo(GpuInstance instance, GpuInstanceInfo* info) {
  return Library::Get().With(__func__, [&](const fake::Machine& machine) {
    const auto card = std::ranges::find(machine.cards, instance->gpu, &Card::uuid);
    if (card == machine.cards.end() || card->lost) return Return::kGpuIsLost;
    if (const auto failure = card->failures.find("nvmlGpuInstanceGetInfo"); failure != card->failures.end()) return failure->second;
    const auto mig = std::ranges::find(card->mig, instance->id, &MigPart::gpu_instance);
    if (mig == card->mig.end()) return Return::kNotFound;
    *info = {Library::Get().DeviceHandle(card->uuid, ""), mig->gpu_instance, mig->profile_id, mig->placement};
    return Return::kSuccess;
  });
}

}  // namespace allot::device::nvml
