#include <limits>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/default.h"
#include "apiserver/kinds/custom/kind.h"
#include "apiserver/kinds/custom/list_types.h"
#include "apiserver/kinds/custom/rules.h"
#include "apiserver/kinds/custom/validate.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

const Value& At(const Value& object, const std::vector<std::string>& path) {
  const Value* value = &object;
  for (const std::string& key : path) value = &(*value)[key];
  return *value;
}

Value SetAt(json::Editor& edit, const Value& object, std::span<const std::string> path, const Value& value) {
  if (path.empty()) return value;
  return edit.Set(object, path[0], SetAt(edit, object[path[0]], path.subspan(1), value));
}

FieldPath Dotted(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& key : path) text += StrCat(".", key);
  return FieldPath(std::string_view(text));
}

// Whether there are errors after which rules do not run, because a value has another type or is too long.
bool HasBlocking(const FieldErrors& errors) {
  for (const FieldError& error : errors.all()) {
    for (const std::string_view reason :
         {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany", "FieldValueTypeInvalid"}) {
      if (error.reason == reason) return true;
    }
  }
  return false;
}

void MoveErrors(const FieldErrors& from, FieldErrors& to) {
  for (const FieldError& error : from.all()) to.Add(error.reason, FieldPath(std::string_view(error.field)), error.message);
}

}  // namespace

Value CustomScale::Read(json::Editor& edit, const Value& object) const {
  const Value& metadata = object["metadata"];
  Value about = edit.Object({});
  for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (!metadata[key].IsNull()) about = edit.Set(about, key, metadata[key]);
  }
  const auto replicas = [&](const std::vector<std::string>& path) {
    const Value& value = At(object, path);
    return value.IsNumber() && value.AsInt64() ? value : edit.Int(0);
  };
  const Value& spec = At(object, spec_replicas);
  Value status = edit.Object({{"replicas", replicas(status_replicas)}});
  const std::string_view labels = selector.empty() ? "" : json::TextOf(At(object, selector));
  if (!labels.empty()) status = edit.Set(status, "selector", edit.String(labels));
  return edit.Object({{"kind", edit.Literal("Scale")},
                      {"apiVersion", edit.Literal("autoscaling/v1")},
                      {"metadata", about},
                      {"spec", spec.IsNull() ? edit.Object({}) : edit.Object({{"replicas", replicas(spec_replicas)}})},
                      {"status", status}});
}

Value CustomScale::Write(json::Editor& edit, const Value& object, const Value& scale) const {
  const Value& replicas = scale["spec"]["replicas"];
  Value changed = SetAt(edit, object, spec_replicas, replicas.IsNumber() ? replicas : edit.Int(0));
  const Value& version = scale["metadata"]["resourceVersion"];
  return version.IsString() ? edit.SetAt(changed, {"metadata", "resourceVersion"}, version) : changed;
}

const CustomScale* ScaleOf(const Kind& kind) {
  const auto* const rules = dynamic_cast<const CustomKindRules*>(kind.rules.get());
  return rules == nullptr ? nullptr : rules->scale();
}

CustomKindRules::CustomKindRules(Parts parts) : parts_(std::move(parts)), rules_(CustomRules::Compile(*parts_.schema, true)) {}
CustomKindRules::~CustomKindRules() = default;

Value CustomKindRules::Default(json::Editor& edit, const Value& object) const { return ApplyDefaults(edit, schema(), object); }

void CustomKindRules::CheckType(const Value& object, FieldErrors& errors) const {
  const auto check = [&](std::string_view key, const std::string& wanted) {
    if (json::TextOf(object[key]) != wanted) errors.Invalid(FieldPath(key), json::TextOf(object[key]), StrCat("must be ", wanted));
  };
  check("kind", parts_.kind);
  check("apiVersion", parts_.api_version);
}

void CustomKindRules::CheckScale(const Value& object, bool spec, FieldErrors& errors) const {
  if (!parts_.scale) return;
  const auto check = [&](const std::vector<std::string>& path) {
    const Value& value = At(object, path);
    if (value.IsNull()) return;
    const std::optional<int64_t> replicas = value.IsNumber() ? value.AsInt64() : std::nullopt;
    if (!replicas) {
      errors.Invalid(Dotted(path), 0, "accessor error: the value is not of the type int64");
    } else if (*replicas < 0) {
      errors.Invalid(Dotted(path), *replicas, "should be a non-negative integer");
    } else if (*replicas > std::numeric_limits<int32_t>::max()) {
      errors.Invalid(Dotted(path), *replicas, StrCat("should be less than or equal to ", std::numeric_limits<int32_t>::max()));
    }
  };
  if (spec) check(parts_.scale->spec_replicas);
  check(parts_.scale->status_replicas);
  const Value& labels = At(object, parts_.scale->selector);
  if (!parts_.scale->selector.empty() && !labels.IsNull() && !labels.IsString()) {
    errors.Invalid(Dotted(parts_.scale->selector), "", "accessor error: the value is not of the type string");
  }
}

void CustomKindRules::CheckRules(const Value& object, const Value* old, FieldErrors& errors) const {
  if (rules_ == nullptr) return;
  if (HasBlocking(errors)) {
    errors.Invalid(
        FieldPath(std::string_view("<nil>")), Value(),
        "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation");
    return;
  }
  int64_t budget = kRuleBudget;
  rules_->Validate(object, old, FieldPath(), errors, budget);
}

void CustomKindRules::CheckLists(const Value& object, const Value* old, FieldErrors& errors) const {
  if (old != nullptr) {
    FieldErrors before;
    ValidateListTypes(schema(), *old, FieldPath(), before);
    if (!before.empty()) return;  // lists that were already invalid may stay so
  }
  ValidateListTypes(schema(), object, FieldPath(), errors);
}

void CustomKindRules::CheckObject(const Value& object, const Value* old, FieldErrors& errors) const {
  FieldErrors own;
  CheckType(object, own);
  if (own.empty()) {
    ValidateBySchema(schema(), object, old, FieldPath(), own);
    CheckScale(object, true, own);
  }
  ValidateEmbedded(schema(), object, FieldPath(), own);
  CheckLists(object, old, own);
  CheckRules(object, old, own);
  MoveErrors(own, errors);
}

void CustomKindRules::Validate(const Value& object, FieldErrors& errors) const { CheckObject(object, nullptr, errors); }

void CustomKindRules::ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const {
  CheckObject(object, &old, errors);
}

void CustomKindRules::ValidateStatus(const Value& object, const Value& old, FieldErrors& errors) const {
  FieldErrors own;
  CheckType(object, own);
  if (own.empty()) {
    const CustomSchema* const status = schema().Find("status");
    const Value* const value = object.Find("status");
    const Value* const old_status = old.IsObject() ? old.Find("status") : nullptr;
    if (value != nullptr && status != nullptr) ValidateBySchema(*status, *value, old_status, FieldPath(std::string_view("status")), own);
    CheckScale(object, false, own);
  }
  CheckLists(object, &old, own);
  CheckRules(object, &old, own);
  MoveErrors(own, errors);
}

}  // namespace allot::apiserver
