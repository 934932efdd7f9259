#include "apiserver/kinds/custom/order.h"

#include "apiserver/json_names.h"

#include <algorithm>
#include <vector>

namespace allot::apiserver {
namespace {

bool IsLess(const json::Member& a, const json::Member& b) { return a.key < b.key; }

bool IsSorted(const Value& value) {
  if (value.IsArray()) return std::all_of(value.Items().begin(), value.Items().end(), IsSorted);
  if (!value.IsObject()) return true;
  const auto members = value.Members();
  return std::is_sorted(members.begin(), members.end(), IsLess) &&
         std::all_of(members.begin(), members.end(), [](const json::Member& member) { return IsSorted(member.value); });
}

Value Sorted(json::Editor& edit, const Value& value) {
  if (value.IsArray()) return edit.Map(value, [&](const Value& item) { return Sorted(edit, item); });
  if (!value.IsObject()) return value;
  std::vector<json::Member> members(value.Members().begin(), value.Members().end());
  std::sort(members.begin(), members.end(), IsLess);
  for (json::Member& member : members) member.value = Sorted(edit, member.value);
  return edit.Object(members);
}

}  // namespace

Value WithSortedMembers(json::Editor& edit, const Value& value) { return IsSorted(value) ? value : Sorted(edit, value); }

}  // namespace allot::apiserver
