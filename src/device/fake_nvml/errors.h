#pragma once
// NVML's errors by name and text.

#include <string_view>

#include "device/nvml_abi.h"

namespace allot::device::fake {

struct ErrorName {
  nvml::Return code;
  std::string_view name;  // without NVML_ERROR_
  const char* text;       // what nvmlErrorString says
};

// Null: none of that name, or number.
const ErrorName* FindError(std::string_view name);
const ErrorName* FindError(nvml::Return code);

}  // namespace allot::device::fake
