#include "apiserver/field_errors.h"

#include <charconv>

#include "apiserver/go_text.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

// "1 byte", "2 bytes"
std::string Count(size_t number, std::string_view of) { return StrCat(number, " ", of, number == 1 ? "" : "s"); }

std::string Shown(const json::Value& value) { return value.IsString() ? GoQuoted(value.AsString()) : json::Write(value); }

std::string WithDetail(std::string text, std::string_view detail) { return detail.empty() ? text : StrCat(text, ": ", detail); }

}  // namespace

FieldPath FieldPath::Index(size_t index) const {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), index).ptr;
  return Key(std::string_view(digits, static_cast<size_t>(end - digits)));
}

void FieldPath::Append(std::string_view part) {
  if (long_.empty() && size_ + part.size() <= short_.size()) {
    size_ += part.copy(short_.data() + size_, part.size());
    return;
  }
  if (long_.empty()) long_.assign(short_.data(), size_);
  long_ += part;
}

void FieldErrors::Add(std::string_view reason, const FieldPath& field, std::string message) {
  errors_.push_back({std::string(reason), std::string(field.text()), std::move(message)});
}

void FieldErrors::Required(const FieldPath& field, std::string_view detail) {
  Add("FieldValueRequired", field, WithDetail("Required value", detail));
}
void FieldErrors::Invalid(const FieldPath& field, const json::Value& value, std::string_view detail) {
  Add("FieldValueInvalid", field, WithDetail(StrCat("Invalid value: ", Shown(value)), detail));
}
void FieldErrors::Invalid(const FieldPath& field, std::string_view value, std::string_view detail) {
  Add("FieldValueInvalid", field, WithDetail(StrCat("Invalid value: ", GoQuoted(value)), detail));
}
void FieldErrors::Invalid(const FieldPath& field, int64_t value, std::string_view detail) {
  Add("FieldValueInvalid", field, WithDetail(StrCat("Invalid value: ", value), detail));
}
void FieldErrors::NotSupported(const FieldPath& field, std::string_view value, std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view one : supported) list += StrCat(list.empty() ? "" : ", ", GoQuoted(one));
  Add("FieldValueNotSupported", field,
      WithDetail(StrCat("Unsupported value: ", GoQuoted(value)), list.empty() ? std::string() : StrCat("supported values: ", list)));
}
void FieldErrors::NotSupported(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported) {
  NotSupported(field, value, std::span(supported.begin(), supported.size()));
}
void FieldErrors::Duplicate(const FieldPath& field, const json::Value& value) {
  Add("FieldValueDuplicate", field, StrCat("Duplicate value: ", Shown(value)));
}
void FieldErrors::Duplicate(const FieldPath& field, std::string_view value) {
  Add("FieldValueDuplicate", field, StrCat("Duplicate value: ", GoQuoted(value)));
}
void FieldErrors::Forbidden(const FieldPath& field, std::string_view detail) {
  Add("FieldValueForbidden", field, WithDetail("Forbidden", detail));
}
void FieldErrors::NotFound(const FieldPath& field, std::string_view value) {
  Add("FieldValueNotFound", field, StrCat("Not found: ", GoQuoted(value)));
}
void FieldErrors::TooLong(const FieldPath& field, size_t max_bytes) {
  Add("FieldValueTooLong", field, StrCat("Too long: may not be more than ", Count(max_bytes, "byte")));
}
void FieldErrors::TooMany(const FieldPath& field, size_t actual, size_t max) {
  Add("FieldValueTooMany", field, StrCat("Too many: ", actual, ": must have at most ", Count(max, "item")));
}
void FieldErrors::TypeInvalid(const FieldPath& field, const json::Value& value, std::string_view detail) {
  Add("FieldValueTypeInvalid", field, WithDetail(StrCat("Invalid value: ", Shown(value)), detail));
}

}  // namespace allot::apiserver
