// The system and its GPUs.

#include <cstdio>

#include "device/fake_nvml/errors.h"
#include "device/fake_nvml/exports.h"
#include "device/fake_nvml/library.h"

namespace allot::device::nvml {

using fake::Card;
using fake::CopyText;
using fake::Library;
using fake::Machine;
using fake::MigPart;

const char* nvmlErrorString(Return code) {
  const fake::ErrorName* error = fake::FindError(code);
  return error ? error->text : "Unknown Error";
}

Return nvmlInit_v2() { return Library::Get().Init(); }
Return nvmlShutdown() { return Library::Get().Shutdown(); }

Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return Library::Get().With(__func__, [&](const Machine& machine) { return CopyText(machine.driver_version, version, length); });
}

Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return Library::Get().With(__func__, [&](const Machine& machine) {
    *version = machine.cuda_version;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  return Library::Get().With(__func__, [&](const Machine&) {
    *count = static_cast<unsigned>(Library::Get().Enumerated().size());
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return Library::Get().With(__func__, [&](const Machine&) {
    const std::vector<std::string> uuids = Library::Get().Enumerated();
    if (index >= uuids.size()) return Return::kInvalidArgument;
    *device = Library::Get().DeviceHandle(uuids[index], "");
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  return Library::Get().With(__func__, [&](const Machine& machine) {
    const std::vector<std::string> known = Library::Get().Enumerated();
    for (const Card& card : machine.cards) {
      if (std::ranges::find(known, card.uuid) == known.end()) continue;
      const bool is_card = card.uuid == uuid;
      if (!is_card && std::ranges::find(card.mig, uuid, &MigPart::uuid) == card.mig.end()) continue;
      *device = Library::Get().DeviceHandle(card.uuid, is_card ? "" : uuid);
      return Return::kSuccess;
    }
    return Return::kNotFound;
  });
}

Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length) {
  return Library::Get().WithDevice(
      __func__, device, [&](const Card& card, const MigPart* mig) { return CopyText(mig ? mig->uuid : card.uuid, uuid, length); });
}

Return nvmlDeviceGetMinorNumber(Device device, unsigned* minor) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart* mig) {
    if (mig) return Return::kInvalidArgument;
    *minor = card.minor;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetName(Device device, char* name, unsigned length) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart* mig) {
    return CopyText(mig ? StrCat(card.name, " MIG ", mig->profile) : card.name, name, length);
  });
}

Return nvmlDeviceGetBrand(Device device, int* brand) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    *brand = card.brand;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetArchitecture(Device device, unsigned* architecture) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    *architecture = card.architecture;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    *major = card.compute_major;
    *minor = card.compute_minor;
    return Return::kSuccess;
  });
}

Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    *pci = {};
    std::sscanf(card.pci_bus_id.c_str(), "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
    pci->pciDeviceId = card.pci_device_id;
    std::snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", pci->domain & 0xFFFF, pci->bus & 0xFF, pci->device & 0xFF);
    return CopyText(card.pci_bus_id, pci->busId, sizeof pci->busId);
  });
}

Return nvmlDeviceGetAddressingMode(Device device, AddressingMode* mode) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    if (mode->version != StructVersion(sizeof *mode, 1)) return Return::kArgumentVersionMismatch;
    if (!card.addressing_mode) return Return::kNotSupported;
    mode->value = *card.addressing_mode;
    return Return::kSuccess;
  });
}

}  // namespace allot::device::nvml
