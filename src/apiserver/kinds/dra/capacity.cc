#include "apiserver/kinds/dra/capacity.h"

#include "apiserver/kinds/checks.h"

namespace allot::apiserver {

namespace {

using model::Quantity;

constexpr size_t kMaxValidValues = 10;

// Whether `value` is `min` plus whole steps. Like Kubernetes, rounds the amounts up to integers, even fractions, and lets them wrap around.
bool IsReachable(const Quantity& value, const Quantity& min, const Quantity& step) {
  const int64_t width = step.WrappedValue();
  const auto distance = static_cast<int64_t>(static_cast<uint64_t>(value.WrappedValue()) - static_cast<uint64_t>(min.WrappedValue()));
  if (width == 0) return false;  // kube-apiserver 1.36 divides by zero here and answers 500
  return width == -1 || distance % width == 0;
}

void CheckStep(const FieldPath& field, const Quantity& value, const Quantity& min, const Quantity& step, FieldErrors& errors) {
  if (IsReachable(value, min, step)) return;
  errors.Invalid(field, value.ToString(),
                 StrCat("value is not a multiple of a given step (", step.ToString(), ") from (", min.ToString(), ")"));
}

void CheckValidValues(const FieldPath& field, const json::Value& list, const Quantity& default_value, const Quantity& whole,
                      FieldErrors& errors) {
  const auto items = json::ItemsOf(list);
  std::vector<Quantity> values;
  values.reserve(items.size());
  for (const json::Value& item : items) values.push_back(QuantityOf(item));
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1] > values[i]) errors.Invalid(field.Index(i), values[i].ToString(), "values must be sorted in ascending order");
  }

  // With too many values kube-apiserver checks none of them, so it does not find the default either.
  bool found = false;
  size_t next = 0;
  CheckSet(
      field, list, kMaxValidValues, errors, [](const json::Value& item) { return StrCat(QuantityOf(item).WrappedValue()); },
      [&](const FieldPath& at, const json::Value&) {
        const Quantity& value = values[next++];
        if (value > whole) errors.Invalid(at, value.ToString(), StrCat("option is larger than capacity value: ", whole.ToString()));
        if (value == default_value) found = true;
      });
  if (!found) errors.Invalid(field, default_value.ToString(), "default value is not valid according to the requestPolicy");
}

void CheckValidRange(const FieldPath& field, const json::Value& range, const Quantity& default_value, const Quantity& whole,
                     FieldErrors& errors) {
  const FieldPath min_at = field.Child("min"), max_at = field.Child("max"), step_at = field.Child("step");
  if (range["min"].IsNull()) return errors.Required(min_at, "required when validRange is defined");
  const Quantity min = QuantityOf(range["min"]);
  if (min > whole) errors.Invalid(min_at, min.ToString(), StrCat("min is larger than capacity value: ", whole.ToString()));
  if (default_value < min) errors.Invalid(min_at, default_value.ToString(), StrCat("default is less than min: ", min.ToString()));

  const bool has_max = !range["max"].IsNull();
  const Quantity max = QuantityOf(range["max"]);
  if (has_max) {
    if (min > max) errors.Invalid(max_at, min.ToString(), StrCat("min is larger than max: ", max.ToString()));
    if (max > whole) errors.Invalid(max_at, max.ToString(), StrCat("max is larger than capacity value: ", whole.ToString()));
    if (default_value > max) errors.Invalid(max_at, default_value.ToString(), StrCat("default is more than max: ", max.ToString()));
  }

  if (range["step"].IsNull()) return;
  const Quantity step = QuantityOf(range["step"]);
  Quantity second = min;
  second.Add(step);
  if (second > whole) {
    errors.Invalid(step_at, step.ToString(), StrCat("one step ", second.ToString(), " is larger than capacity value: ", whole.ToString()));
  }
  CheckStep(step_at, default_value, min, step, errors);
  if (has_max) CheckStep(step_at, max, min, step, errors);
}

}  // namespace

void CheckDeviceCapacity(const FieldPath& field, const json::Value& capacity, bool shareable, FieldErrors& errors) {
  const json::Value& policy = capacity["requestPolicy"];
  const FieldPath at = field.Child("requestPolicy");
  if (policy.IsNull()) return;
  if (!shareable) return errors.Forbidden(at, "allowMultipleAllocations must be true");

  const json::Value& range = policy["validRange"];
  const bool has_values = !json::ItemsOf(policy["validValues"]).empty();
  if (has_values && !range.IsNull()) {
    return errors.Forbidden(at, "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time");
  }
  if (!has_values && range.IsNull()) return;
  const std::string_view kind = has_values ? "validValues" : "validRange";
  if (policy["default"].IsNull()) return errors.Required(at.Child("default"), StrCat("required when ", kind, " is defined"));

  const Quantity default_value = QuantityOf(policy["default"]);
  const Quantity whole = QuantityOf(capacity["value"]);
  if (has_values) {
    CheckValidValues(at.Child("validValues"), policy["validValues"], default_value, whole, errors);
  } else {
    CheckValidRange(at.Child("validRange"), range, default_value, whole, errors);
  }
}

}  // namespace allot::apiserver
