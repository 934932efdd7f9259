#pragma once
// Errors in the fields of an object: the causes of a 422, with kube-apiserver's reasons and words.

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "json/value.h"

namespace allot::apiserver {

// "spec.containers[0].resources.limits[memory]"
//
// Made for every checked field but rarely printed: a path of usual length needs no allocation.
class FieldPath {
 public:
  FieldPath() = default;  // the object itself
  explicit FieldPath(std::string_view path) { Append(path); }

  FieldPath Child(std::string_view name) const { return text().empty() ? FieldPath(name) : With(".", name, ""); }
  FieldPath Index(size_t index) const;
  FieldPath Key(std::string_view key) const { return With("[", key, "]"); }

  std::string_view text() const { return long_.empty() ? std::string_view(short_.data(), size_) : long_; }

 private:
  FieldPath With(std::string_view before, std::string_view name, std::string_view after) const {
    FieldPath longer;
    for (const std::string_view part : {text(), before, name, after}) longer.Append(part);
    return longer;
  }
  void Append(std::string_view part);

  size_t size_ = 0;
  std::array<char, 104> short_;
  std::string long_;  // used if the text does not fit into short_
};

struct FieldError {
  std::string reason;  // "FieldValueRequired", ...
  std::string field;
  std::string message;  // `Invalid value: "A_B": a lowercase RFC 1123 label must consist of ...`
};

class FieldErrors {
 public:
  // FieldValueRequired: `Required value: detail`
  void Required(const FieldPath& field, std::string_view detail = "");
  // FieldValueInvalid: `Invalid value: <value as JSON; strings in quotes>: detail`
  void Invalid(const FieldPath& field, const json::Value& value, std::string_view detail);
  void Invalid(const FieldPath& field, std::string_view value, std::string_view detail);
  void Invalid(const FieldPath& field, int64_t value, std::string_view detail);
  // FieldValueNotSupported: `Unsupported value: "x": supported values: "a", "b"`
  void NotSupported(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported);
  void NotSupported(const FieldPath& field, std::string_view value, std::span<const std::string_view> supported);
  // FieldValueDuplicate: `Duplicate value: "x"`
  void Duplicate(const FieldPath& field, const json::Value& value);
  void Duplicate(const FieldPath& field, std::string_view value);
  // FieldValueForbidden: `Forbidden: detail`
  void Forbidden(const FieldPath& field, std::string_view detail);
  // FieldValueNotFound: `Not found: "x"`
  void NotFound(const FieldPath& field, std::string_view value);
  // FieldValueTooLong: `Too long: may not be more than N bytes`
  void TooLong(const FieldPath& field, size_t max_bytes);
  // FieldValueTooMany: `Too many: N: must have at most M items`
  void TooMany(const FieldPath& field, size_t actual, size_t max);
  // FieldValueTypeInvalid: `Invalid value: "x": detail`
  void TypeInvalid(const FieldPath& field, const json::Value& value, std::string_view detail);

  // Adds any other error unchanged.
  void Add(std::string_view reason, const FieldPath& field, std::string message);

  bool empty() const { return errors_.empty(); }
  size_t size() const { return errors_.size(); }
  const std::vector<FieldError>& all() const { return errors_; }

 private:
  std::vector<FieldError> errors_;
};

}  // namespace allot::apiserver
