#include "device/fake_nvml/fields.h"

#include "device/fake_nvml/errors.h"

namespace allot::device::fake {

Status Fields::ReadFailures(std::string_view key, Failures& failures) const {
  const json::Value& map = value_[key];
  if (map.IsNull()) return {};
  if (!map.IsObject()) return Wrong(key, "is not a map from NVML's functions to what they return");
  for (const auto& [symbol, value] : map.Members()) {
    if (value.IsNumber() && value.AsInt64()) {
      failures[std::string(symbol)] = static_cast<nvml::Return>(*value.AsInt64());
    } else if (const ErrorName* error = value.IsString() ? FindError(value.AsString()) : nullptr) {
      failures[std::string(symbol)] = error->code;
    } else {
      return Wrong(StrCat(key, ".", symbol), "is neither a number nor a name like GPU_IS_LOST");
    }
  }
  return {};
}

}  // namespace allot::device::fake
