#pragma once
// Declares the functions that the fake exports: those of the table in device/nvidia/nvml_abi.h, with its types.

#include "device/nvidia/nvml_abi.h"

namespace allot::device::nvml {

extern "C" {
#define ALLOT_NVML_EXPORT(symbol, parameters) Return symbol parameters;
ALLOT_NVML_FUNCTIONS(ALLOT_NVML_EXPORT, ALLOT_NVML_EXPORT)
#undef ALLOT_NVML_EXPORT
const char* nvmlErrorString(Return code);
}

}  // namespace allot::device::nvml
