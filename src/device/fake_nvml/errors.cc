#include "device/fake_nvml/errors.h"

namespace allot::device::fake {
namespace {

using nvml::Return;

constexpr ErrorName kErrors[] = {
    {Return::kSuccess, "SUCCESS", "Success"},
    {Return::kUninitialized, "UNINITIALIZED", "Uninitialized"},
    {Return::kInvalidArgument, "INVALID_ARGUMENT", "Invalid Argument"},
    {Return::kNotSupported, "NOT_SUPPORTED", "Not Supported"},
    {Return::kNoPermission, "NO_PERMISSION", "Insufficient Permissions"},
    {Return::kNotFound, "NOT_FOUND", "Not Found"},
    {Return::kInsufficientSize, "INSUFFICIENT_SIZE", "Insufficient Size"},
    {Return::kDriverNotLoaded, "DRIVER_NOT_LOADED", "Driver Not Loaded"},
    {Return::kTimeout, "TIMEOUT", "Timeout"},
    {Return::kFunctionNotFound, "FUNCTION_NOT_FOUND", "Function Not Found"},
    {Return::kGpuIsLost, "GPU_IS_LOST", "GPU is lost"},
    {Return::kResetRequired, "RESET_REQUIRED", "GPU requires reset"},
    {Return::kOperatingSystem, "OPERATING_SYSTEM", "GPU access blocked by the operating system"},
    {Return::kLibRmVersionMismatch, "LIB_RM_VERSION_MISMATCH", "Driver/library version mismatch"},
    {Return::kMemory, "MEMORY", "Insufficient Memory"},
    {Return::kNoData, "NO_DATA", "No data"},
    {Return::kArgumentVersionMismatch, "ARGUMENT_VERSION_MISMATCH", "The provided version is invalid/unsupported"},
    {Return::kNotReady, "NOT_READY", "Not Ready"},
    {Return::kUnknown, "UNKNOWN", "Unknown Error"},
};

}  // namespace

const ErrorName* FindError(std::string_view name) {
  for (const ErrorName& error : kErrors) {
    if (error.name == name) return &error;
  }
  return nullptr;
}

const ErrorName* FindError(Return code) {
  for (const ErrorName& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace allot::device::fake
