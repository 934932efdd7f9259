#include "apiserver/kinds/dra/admin_access.h"

#include "apiserver/kinds/checks.h"

namespace allot::apiserver {

namespace {

// Returns the index of the first entry that `wants` admin access, or the size of the list.
template <typename Wants>
size_t FindFirst(const json::Value& list, Wants wants) {
  const auto items = json::ItemsOf(list);
  size_t i = 0;
  while (i < items.size() && !wants(items[i])) ++i;
  return i;
}

FieldPath FindInStatus(const json::Value& object, const json::Value* old) {
  const auto granted = [](const json::Value& result) { return json::IsTrue(result["adminAccess"]); };
  const json::Value& results = object["status"]["allocation"]["devices"]["results"];
  if (old != nullptr) {
    const json::Value& before = (*old)["status"]["allocation"]["devices"]["results"];
    if (FindFirst(before, granted) < json::ItemsOf(before).size()) return FieldPath();
  }
  const size_t found = FindFirst(results, granted);
  if (found == json::ItemsOf(results).size()) return FieldPath();
  return FieldPath("status").Child("allocation").Child("devices").Child("results").Index(found).Child("adminAccess");
}

}  // namespace

FieldPath FindAdminAccess(std::string_view kind, std::string_view subresource, const json::Value& object, const json::Value* old) {
  if (kind == "ResourceClaim" && subresource == "status") return FindInStatus(object, old);
  const bool is_template = kind == "ResourceClaimTemplate";
  // Check only new objects: the spec is immutable.
  if ((kind != "ResourceClaim" && !is_template) || !subresource.empty() || old != nullptr) return FieldPath();
  const json::Value& spec = is_template ? object["spec"]["spec"] : object["spec"];
  const json::Value& requests = spec["devices"]["requests"];
  const size_t found = FindFirst(requests, [](const json::Value& request) { return json::IsTrue(request["exactly"]["adminAccess"]); });
  if (found == json::ItemsOf(requests).size()) return FieldPath();
  return FieldPath("spec").Child("devices").Child("requests").Index(found).Child("adminAccess");
}

bool AllowsAdminAccess(const json::Value& space) { return json::TextOf(space["metadata"]["labels"][kAdminAccessLabel]) == "true"; }

}  // namespace allot::apiserver
