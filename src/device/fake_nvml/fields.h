#pragma once
// Reads the fields of one object of the inventory. A field of a wrong type gets its default, and status() names the first such field.
//
// The fake does not use model::Reader, because it is loaded into other programs and should contain little of our code.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "device/fake_nvml/machine.h"
#include "json/yaml.h"

namespace allot::device::fake {

class Fields {
 public:
  // Errors have `where` before the field's name: "gpus[0].".
  Fields(const json::Value& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.IsObject()) status_ = Invalid(where_, ": is not an object");
  }

  const Status& status() const { return status_; }

  bool Has(std::string_view key) const { return value_.IsObject() && value_.Find(key) != nullptr; }
  bool IsText(std::string_view key, std::string_view text) const { return value_[key].IsString() && value_[key].AsString() == text; }

  std::string Text(std::string_view key, std::string_view otherwise) const {
    const json::Value& field = value_[key];
    if (field.IsString()) return std::string(field.AsString());
    if (!field.IsNull()) Remember(Wrong(key, "is not a text"));
    return std::string(otherwise);
  }

  int64_t Number(std::string_view key, int64_t otherwise) const {
    const json::Value& field = value_[key];
    if (field.IsNumber() && field.AsInt64() && *field.AsInt64() >= 0) return *field.AsInt64();
    if (!field.IsNull()) Remember(Wrong(key, "is not a whole number from 0 on"));
    return otherwise;
  }

  bool Bool(std::string_view key, bool otherwise) const {
    const json::Value& field = value_[key];
    if (field.IsBool()) return field.AsBool();
    if (!field.IsNull()) Remember(Wrong(key, "is neither true nor false"));
    return otherwise;
  }

  // Calls read(fields) for each object of the list `key`, until one fails.
  template <typename Read>
  Status Each(std::string_view key, Read read) const {
    const json::Value& list = value_[key];
    if (list.IsNull()) return {};
    if (!list.IsArray()) return Wrong(key, "is not a list");
    size_t index = 0;
    for (const json::Value& item : list.Items()) {
      const Fields fields(item, StrCat(where_, key, "[", index++, "]."));
      TRY(fields.status());
      TRY(read(fields));
    }
    return {};
  }

  // Reads the map `key` from symbols to their return values, which are numbers or NVML's names without NVML_ERROR_.
  Status ReadFailures(std::string_view key, Failures& failures) const;

  Status Wrong(std::string_view key, std::string_view why) const { return Invalid(where_, key, ": ", why); }

 private:
  void Remember(Status status) const {
    if (status_.ok()) status_ = std::move(status);
  }

  const json::Value& value_;
  const std::string where_;
  mutable Status status_;
};

}  // namespace allot::device::fake
