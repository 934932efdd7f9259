#include "apiserver/kinds/custom/default.h"

#include <algorithm>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/members.h"

namespace allot::apiserver {
namespace {

bool IsMissing(const Value& value, const CustomSchema& schema) { return value.IsNull() && !schema.nullable; }

// Whether `b` is `a` itself, or indistinguishable from it.
bool IsSame(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.IsArray()) return a.Items().data() == b.Items().data();
  if (a.IsObject()) return a.Members().data() == b.Members().data();
  return true;  // defaults replace only nulls
}

Value OfObject(json::Editor& edit, const CustomSchema& schema, const Value& object) {
  std::vector<json::Member> members;
  members.reserve(object.Members().size());
  bool changed = false;
  for (const json::Member& member : object.Members()) {
    const CustomSchema* const described = schema.Member(member.key);
    if (described == nullptr) {
      members.push_back(member);
      continue;
    }
    if (IsMissing(member.value, *described) && described->default_value.IsNull()) {
      changed = true;
      continue;
    }
    const Value& from = IsMissing(member.value, *described) ? described->default_value : member.value;
    const Value value = ApplyDefaults(edit, *described, from);
    changed = changed || !IsSame(member.value, value);
    members.push_back({member.key, value});
  }
  const SortedMembers present(&object);
  for (const CustomSchema::Property& property : schema.properties) {
    if (property.schema->default_value.IsNull() || present.Find(property.name) != nullptr) continue;
    members.push_back({property.name, ApplyDefaults(edit, *property.schema, property.schema->default_value)});
    changed = true;
  }
  if (!changed) return object;
  const auto is_less = [](const json::Member& a, const json::Member& b) { return a.key < b.key; };
  if (std::is_sorted(object.Members().begin(), object.Members().end(), is_less)) std::sort(members.begin(), members.end(), is_less);
  return edit.Object(members);
}

}  // namespace

Value ApplyDefaults(json::Editor& edit, const CustomSchema& schema, const Value& value) {
  if (value.IsObject()) return OfObject(edit, schema, value);
  if (!value.IsArray() || schema.items == nullptr) return value;
  return edit.Map(value, [&](const Value& item) {
    return ApplyDefaults(edit, *schema.items, IsMissing(item, *schema.items) ? schema.items->default_value : item);
  });
}

}  // namespace allot::apiserver
