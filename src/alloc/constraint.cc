#include "alloc/constraint.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/strings.h"

namespace allot::alloc {
namespace {

using model::Attribute;
using model::AttributeValue;
using Kind = AttributeValue::Kind;

const AttributeValue* FindByFullName(const model::Device& device, std::string_view name) {
  const auto at = std::lower_bound(device.attributes.begin(), device.attributes.end(), name,
                                   [](const Attribute& attribute, std::string_view n) { return attribute.name.full < n; });
  return at != device.attributes.end() && at->name.full == name ? &at->value : nullptr;
}

bool IsScalar(const AttributeValue& value) {
  return value.kind == Kind::kString || value.kind == Kind::kInt || value.kind == Kind::kBool || value.kind == Kind::kVersion;
}

// REQUIRES IsScalar(a). Versions are compared as text, as Kubernetes does: semver has one spelling for each version.
bool SameScalar(const AttributeValue& a, const AttributeValue& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kInt) return a.int_value == b.int_value;
  if (a.kind == Kind::kBool) return a.bool_value == b.bool_value;
  return a.text == b.text;
}

template <typename T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

const AttributeValue* FindAttribute(const model::Device& device, std::string_view driver, std::string_view name) {
  if (const AttributeValue* value = FindByFullName(device, name)) return value;
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.substr(0, slash) != driver) return nullptr;
  return FindByFullName(device, name.substr(slash + 1));
}

uint64_t HashValue(const AttributeValue& value) {
  uint64_t hash = Mix(static_cast<uint64_t>(value.kind));
  hash = Combine(hash, static_cast<uint64_t>(value.int_value));
  hash = Combine(hash, value.bool_value);
  hash = Combine(hash, HashText(value.text));
  if (value.list == nullptr) return hash;
  for (const int64_t number : value.list->ints) hash = Combine(hash, static_cast<uint64_t>(number));
  for (const bool flag : value.list->bools) hash = Combine(hash, flag);
  for (const std::string_view text : value.list->texts) hash = Combine(hash, HashText(text));
  return hash;
}

Constraint::Constraint(const model::Constraint& spec, const Features& features, const Quirks& quirks)
    : attribute_(spec.match_attribute ? *spec.match_attribute : spec.distinct_attribute.value_or("")),
      distinct_(!spec.match_attribute),
      lists_(features.list_type_attributes),
      quirks_(quirks),
      requests_(spec.requests) {
  CHECK(spec.match_attribute || spec.distinct_attribute);
}

bool Constraint::Concerns(std::string_view request, std::string_view sub) const {
  if (requests_.empty()) return true;
  return std::any_of(requests_.begin(), requests_.end(), [&](std::string_view name) {
    if (name == request) return true;
    return !sub.empty() && name.size() == request.size() + 1 + sub.size() && name.starts_with(request) && name[request.size()] == '/' &&
           name.ends_with(sub);
  });
}

bool Constraint::Add(uint32_t request, const model::Device& device, std::string_view driver) {
  const AttributeValue* value = FindAttribute(device, driver, attribute_);
  if (value == nullptr) return false;
  if (!(distinct_ ? AddDistinct(request, *value) : AddMatch(*value))) return false;
  ++devices_;
  return true;
}

void Constraint::Remove(uint32_t request) {
  CHECK(devices_ > 0);
  --devices_;
  if (!distinct_) {
    if (lists_ && !quirks_.match_keeps_narrowed_list) {
      common_ = std::move(earlier_.back());
      earlier_.pop_back();
    }
    return;
  }
  if (quirks_.distinct_keeps_one_value_per_request) {
    std::erase_if(kept_, [&](const Kept& kept) { return kept.request == request; });
  } else {
    kept_.pop_back();
  }
}

bool Constraint::AddMatch(const AttributeValue& value) {
  if (!lists_) {
    if (devices_ == 0) {
      first_ = &value;  // of any kind: only the next device is compared
      return true;
    }
    return IsScalar(value) && SameScalar(value, *first_);
  }
  Values values = ValuesOf(value);
  if (!values.known()) return false;
  if (devices_ > 0) {
    values = Common(common_, values);
    if (values.numbers.empty() && values.texts.empty()) return false;
  }
  if (!quirks_.match_keeps_narrowed_list) earlier_.push_back(common_);
  common_ = std::move(values);
  return true;
}

bool Constraint::AddDistinct(uint32_t request, const AttributeValue& value) {
  if (devices_ > 0 && !Differs(value)) return false;
  if (quirks_.distinct_keeps_one_value_per_request) {
    std::erase_if(kept_, [&](const Kept& kept) { return kept.request == request; });
  }
  kept_.push_back({request, &value});
  return true;
}

bool Constraint::Differs(const AttributeValue& value) const {
  if (!lists_) {
    return std::all_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return IsScalar(value) && !SameScalar(value, *kept.value); });
  }
  const Values values = ValuesOf(value);
  if (!values.known()) return false;
  return std::all_of(kept_.begin(), kept_.end(), [&](const Kept& kept) {
    const Values common = Common(values, ValuesOf(*kept.value));
    return common.numbers.empty() && common.texts.empty();
  });
}

Constraint::Values Constraint::ValuesOf(const AttributeValue& value) {
  Values values;
  switch (value.kind) {
    case Kind::kNone: return values;
    case Kind::kInt: values.kind = Kind::kInts, values.numbers = {value.int_value}; break;
    case Kind::kBool: values.kind = Kind::kBools, values.numbers = {value.bool_value}; break;
    case Kind::kString: values.kind = Kind::kStrings, values.texts = {value.text}; break;
    case Kind::kVersion: values.kind = Kind::kVersions, values.texts = {value.text}; break;
    case Kind::kInts: values.kind = Kind::kInts, values.numbers = value.list->ints; break;
    case Kind::kBools: values.kind = Kind::kBools, values.numbers.assign(value.list->bools.begin(), value.list->bools.end()); break;
    case Kind::kStrings: values.kind = Kind::kStrings, values.texts = value.list->texts; break;
    case Kind::kVersions: values.kind = Kind::kVersions, values.texts = value.list->texts; break;
  }
  if (values.numbers.empty() && values.texts.empty()) values.kind = Kind::kNone;  // an empty list is no value
  SortUnique(values.numbers);
  SortUnique(values.texts);
  return values;
}

Constraint::Values Constraint::Common(const Values& a, const Values& b) {
  Values common;
  if (a.kind != b.kind || !a.known()) return common;
  common.kind = a.kind;
  std::set_intersection(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(), std::back_inserter(common.numbers));
  std::set_intersection(a.texts.begin(), a.texts.end(), b.texts.begin(), b.texts.end(), std::back_inserter(common.texts));
  return common;
}

Hash128 Constraint::Fingerprint() const {
  Hash128 hash = Hash128::Of(devices_ > 0, distinct_);
  if (devices_ == 0) return hash;
  if (distinct_) {
    for (const Kept& kept : kept_) hash += Hash128::Of(kept.request, HashValue(*kept.value));
  } else if (!lists_) {
    hash.Append(HashValue(*first_));
  } else {
    hash.Append(static_cast<uint64_t>(common_.kind));
    for (const int64_t number : common_.numbers) hash.Append(static_cast<uint64_t>(number));
    for (const std::string_view text : common_.texts) hash.Append(HashText(text));
  }
  return hash;
}

}  // namespace allot::alloc
