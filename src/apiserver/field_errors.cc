#include "apiserver/field_errors.h"

#include "json/json.h"

namespace allot::apiserver {

namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string Shown(const json::Value& value) { return value.IsString() ? Quoted(value.AsString()) : json::Write(value); }

std::string WithDetail(std::string text, std::string_view detail) { return detail.empty() ? text : StrCat(text, ": ", detail); }

}  // namespace

void FieldErrors::Add(std::string_view reason, const FieldPath& field, std::string message) {
  errors_.push_back({std::string(reason), field.text(), std::move(message)});
}

void FieldErrors::Required(const FieldPath& field, std::string_view detail) {
  Add("FieldValueRequired", field, WithDetail("Required value", detail));
}
void FieldErrors::Invalid(const FieldPath& field, const json::Value& value, std::string_view detail) {
  Add("FieldValueInvalid", field, WithDetail(StrCat("Invalid value: ", Shown(value)), detail));
}
void FieldErrors::Invalid(const FieldPath& field, std::string_view value, std::string_view detail) {
  Add("FieldValueInvalid", field, WithDetail(StrCat("Invalid value: ", Quoted(value)), detail));
}
void FieldErrors::Invalid(const FieldPath& field, int64_t value, std::string_view detail) {
  Add("FieldValueInvalid", field, WithDetail(StrCat("Invalid value: ", value), detail));
}
void FieldErrors::NotSupported(const FieldPath& field, std::string_view value, std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view one : supported) list += StrCat(list.empty() ? "" : ", ", Quoted(one));
  Add("FieldValueNotSupported", field,
      WithDetail(StrCat("Unsupported value: ", Quoted(value)), list.empty() ? std::string() : StrCat("supported values: ", list)));
}
void FieldErrors::NotSupported(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported) {
  NotSupported(field, value, std::span(supported.begin(), supported.size()));
}
void FieldErrors::Duplicate(const FieldPath& field, const json::Value& value) {
  Add("FieldValueDuplicate", field, StrCat("Duplicate value: ", Shown(value)));
}
void FieldErrors::Duplicate(const FieldPath& field, std::string_view value) {
  Add("FieldValueDuplicate", field, StrCat("Duplicate value: ", Quoted(value)));
}
void FieldErrors::Forbidden(const FieldPath& field, std::string_view detail) {
  Add("FieldValueForbidden", field, WithDetail("Forbidden", detail));
}
void FieldErrors::NotFound(const FieldPath& field, std::string_view value) {
  Add("FieldValueNotFound", field, StrCat("Not found: ", Quoted(value)));
}
void FieldErrors::TooLong(const FieldPath& field, size_t max_bytes) {
  Add("FieldValueTooLong", field, StrCat("Too long: may not be more than ", max_bytes, " bytes"));
}
void FieldErrors::TooMany(const FieldPath& field, size_t actual, size_t max) {
  Add("FieldValueTooMany", field, StrCat("Too many: ", actual, ": must have at most ", max, " items"));
}
void FieldErrors::TypeInvalid(const FieldPath& field, const json::Value& value, std::string_view detail) {
  Add("FieldValueTypeInvalid", field, WithDetail(StrCat("Invalid value: ", Shown(value)), detail));
}

}  // namespace allot::apiserver
