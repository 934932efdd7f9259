#pragma once
// The part of the binary interface of NVML (libnvidia-ml.so.1) that we call. We declare it ourselves, so that the build needs neither
// NVIDIA's headers nor its libraries.
//
// Names of fields and symbols are those of NVML's manual. Symbols with a version include it: in NVIDIA's header nvmlInit is a macro for
// nvmlInit_v2, and the old symbol means something else.

#include <cstddef>
#include <cstdint>

namespace allot::device::nvml {

enum class Return : int32_t {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kInsufficientPower = 8,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kIrqIssue = 11,
  kLibraryNotFound = 12,
  kFunctionNotFound = 13,
  kCorruptedInforom = 14,
  kGpuIsLost = 15,
  kResetRequired = 16,
  kOperatingSystem = 17,
  kLibRmVersionMismatch = 18,
  kInUse = 19,
  kMemory = 20,
  kNoData = 21,
  kInsufficientResources = 23,
  kArgumentVersionMismatch = 25,
  kNotReady = 27,
  kGpuNotFound = 28,
  kUnknown = 999,
};

// Handles; what they point to is internal to NVML.
struct DeviceState;
struct EventSetState;
struct GpuInstanceState;
using Device = DeviceState*;  // a GPU or a MIG device
using EventSet = EventSetState*;
using GpuInstance = GpuInstanceState*;

constexpr unsigned kTextSize = 96;                     // enough for every string of NVML: names and UUIDs need up to 96, versions 80
constexpr unsigned kNoInstance = 0xFFFFFFFF;           // in an event: the whole GPU
constexpr uint64_t kNotAvailable = ~uint64_t{0};       // for a process' memory
constexpr unsigned kArchitectureUnknown = 0xFFFFFFFF;  // others: Kepler 2, Maxwell 3, ... Blackwell 10

constexpr uint64_t kEventSingleBitEcc = 0x1;
constexpr uint64_t kEventDoubleBitEcc = 0x2;
constexpr uint64_t kEventXidCritical = 0x8;

// Structs with a version tell the library their size and version, since the library may know a longer one.
constexpr unsigned StructVersion(size_t size, unsigned version) { return static_cast<unsigned>(size) | version << 24; }

struct Memory {  // bytes
  uint64_t total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  unsigned version;
  uint64_t total, reserved, free, used;  // bytes; `used` does not include the memory that the driver reserved
};
static_assert(sizeof(MemoryV2) == 40 && offsetof(MemoryV2, total) == 8);

struct PciInfo {  // of nvmlDeviceGetPciInfo_v3
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];  // "00000000:01:00.0"
};
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, busId) == 36);

struct DeviceAttributes {  // of nvmlDeviceGetAttributes_v2
  unsigned multiprocessorCount, sharedCopyEngineCount, sharedDecoderCount, sharedEncoderCount, sharedJpegCount, sharedOfaCount;
  unsigned gpuInstanceSliceCount, computeInstanceSliceCount;
  uint64_t memorySizeMB;  // MiB, in spite of its name
};
static_assert(sizeof(DeviceAttributes) == 40 && offsetof(DeviceAttributes, memorySizeMB) == 32);

struct GpuInstancePlacement {
  unsigned start, size;
};
struct GpuInstanceInfo {
  Device device;
  unsigned id, profileId;
  GpuInstancePlacement placement;
};
static_assert(sizeof(GpuInstanceInfo) == 24 && offsetof(GpuInstanceInfo, placement) == 16);

struct EventData {  // of nvmlEventSetWait_v2
  Device device;
  uint64_t eventType;
  uint64_t eventData;  // for an XID event: the XID
  unsigned gpuInstanceId, computeInstanceId;
};
static_assert(sizeof(EventData) == 32 && offsetof(EventData, gpuInstanceId) == 24);

struct ProcessInfo {  // of nvmlDeviceGetComputeRunningProcesses_v3
  unsigned pid;
  uint64_t usedGpuMemory;  // bytes, or kNotAvailable
  unsigned gpuInstanceId, computeInstanceId;
};
static_assert(sizeof(ProcessInfo) == 24 && offsetof(ProcessInfo, usedGpuMemory) == 8);

struct AddressingMode {
  unsigned version;
  unsigned value;  // 0 none, 1 HMM, 2 ATS
};
static_assert(sizeof(AddressingMode) == 8 && StructVersion(sizeof(AddressingMode), 1) == 0x1000008);

// Every function that we call: NEEDED(symbol, parameters) or OPTIONAL(symbol, parameters). All return a Return. Without the needed
// functions no GPU can be offered. Each optional function is missing in some driver that is still in use, or fails on some GPU.
#define ALLOT_NVML_FUNCTIONS(NEEDED, OPTIONAL)                                                            \
  NEEDED(nvmlInit_v2, ())                                                                                 \
  NEEDED(nvmlShutdown, ())                                                                                \
  NEEDED(nvmlDeviceGetCount_v2, (unsigned* count))                                                        \
  NEEDED(nvmlDeviceGetHandleByIndex_v2, (unsigned index, Device* device))                                 \
  NEEDED(nvmlDeviceGetHandleByUUID, (const char* uuid, Device* device))                                   \
  NEEDED(nvmlDeviceGetUUID, (Device device, char* uuid, unsigned length))                                 \
  NEEDED(nvmlDeviceGetMinorNumber, (Device device, unsigned* minor))                                      \
  OPTIONAL(nvmlSystemGetDriverVersion, (char* version, unsigned length))                                  \
  OPTIONAL(nvmlSystemGetCudaDriverVersion_v2, (int* version))                                             \
  OPTIONAL(nvmlDeviceGetName, (Device device, char* name, unsigned length))                               \
  OPTIONAL(nvmlDeviceGetBrand, (Device device, int* brand))                                               \
  OPTIONAL(nvmlDeviceGetArchitecture, (Device device, unsigned* architecture))                            \
  OPTIONAL(nvmlDeviceGetCudaComputeCapability, (Device device, int* major, int* minor))                   \
  OPTIONAL(nvmlDeviceGetPciInfo_v3, (Device device, PciInfo * pci))                                       \
  OPTIONAL(nvmlDeviceGetMemoryInfo, (Device device, Memory * memory))                                     \
  OPTIONAL(nvmlDeviceGetMemoryInfo_v2, (Device device, MemoryV2 * memory))                                \
  OPTIONAL(nvmlDeviceGetAddressingMode, (Device device, AddressingMode * mode))                           \
  OPTIONAL(nvmlDeviceGetMigMode, (Device device, unsigned* current, unsigned* pending))                   \
  OPTIONAL(nvmlDeviceGetMaxMigDeviceCount, (Device device, unsigned* count))                              \
  OPTIONAL(nvmlDeviceGetMigDeviceHandleByIndex, (Device device, unsigned index, Device* mig))             \
  OPTIONAL(nvmlDeviceGetAttributes_v2, (Device device, DeviceAttributes * attributes))                    \
  OPTIONAL(nvmlDeviceGetGpuInstanceId, (Device device, unsigned* id))                                     \
  OPTIONAL(nvmlDeviceGetComputeInstanceId, (Device device, unsigned* id))                                 \
  OPTIONAL(nvmlDeviceGetGpuInstanceById, (Device device, unsigned id, GpuInstance* instance))             \
  OPTIONAL(nvmlGpuInstanceGetInfo, (GpuInstance instance, GpuInstanceInfo * info))                        \
  OPTIONAL(nvmlDeviceGetComputeRunningProcesses_v3, (Device device, unsigned* count, ProcessInfo* infos)) \
  OPTIONAL(nvmlDeviceGetSupportedEventTypes, (Device device, uint64_t* types))                            \
  OPTIONAL(nvmlDeviceRegisterEvents, (Device device, uint64_t types, EventSet set))                       \
  OPTIONAL(nvmlEventSetCreate, (EventSet * set))                                                          \
  OPTIONAL(nvmlEventSetWait_v2, (EventSet set, EventData * data, unsigned timeout_ms))                    \
  OPTIONAL(nvmlEventSetFree, (EventSet set))

// Pointers to the functions; null if the library lacks an optional one. Only nvmlErrorString has another type.
struct Functions {
#define ALLOT_NVML_MEMBER(symbol, parameters) Return(*symbol) parameters = nullptr;
  ALLOT_NVML_FUNCTIONS(ALLOT_NVML_MEMBER, ALLOT_NVML_MEMBER)
#undef ALLOT_NVML_MEMBER
  const char* (*nvmlErrorString)(Return code) = nullptr;
};

}  // namespace allot::device::nvml
