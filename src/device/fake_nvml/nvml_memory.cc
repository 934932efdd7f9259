// Memory and the processes that use it.

#include "device/fake_nvml/exports.h"
#include "device/fake_nvml/library.h"

namespace allot::device::nvml {

using fake::Card;
using fake::Library;
using fake::MigPart;

namespace {

constexpr uint64_t kReserved = 256 << 20;  // by the driver itself; the older call counts it as used

Return ReadMemory(const Card& card, const MigPart* mig, MemoryV2& memory) {
  if (!card.memory) return Return::kNotSupported;
  memory.total = mig ? mig->attributes.memorySizeMB << 20 : *card.memory;
  memory.reserved = mig ? 0 : std::min(kReserved, memory.total);
  memory.used = std::min(mig ? mig->used : card.used, memory.total - memory.reserved);
  memory.free = memory.total - memory.reserved - memory.used;
  return Return::kSuccess;
}

}  // namespace

Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart* mig) {
    MemoryV2 exact = {};
    const Return code = ReadMemory(card, mig, exact);
    *memory = {exact.total, exact.free, exact.used + exact.reserved};
    return code;
  });
}

Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart* mig) {
    if (memory->version != StructVersion(sizeof *memory, 2)) return Return::kArgumentVersionMismatch;
    return ReadMemory(card, mig, *memory);
  });
}

Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* infos) {
  return Library::Get().WithDevice(__func__, device, [&](const Card& card, const MigPart*) {
    const unsigned room = *count;
    *count = static_cast<unsigned>(card.processes.size());
    if (room < *count) return Return::kInsufficientSize;
    for (const fake::Process& process : card.processes) *infos++ = {process.pid, process.used, kNoInstance, kNoInstance};
    return Return::kSuccess;
  });
}

}  // namespace allot::device::nvml
