#pragma once
// NVML's errors by name and text.

#include <string_view>

#include "device/nvidia/nvml_abi.h"

namespace allot::device::fake {

struct ErrorName {
  nvml::Return code;
  std::string_view name;  // without NVML_ERROR_
  const char* text;       // what nvmlErrorString says
};

// Returns null if there is no error of that name or number.
const ErrorName* FindError(std::string_view name);
const ErrorName* FindError(nvml::Return code);

}  // namespace allot::device::fake
