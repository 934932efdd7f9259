#pragma once
// Admin access: a claim for devices that are already in use, for monitoring. Only claims in a labelled namespace may request or get it.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

inline constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";  // must be "true"

// Returns where a ResourceClaim or ResourceClaimTemplate requests admin access, or where the status of a claim newly grants it; an empty
// path if neither. `old` is null for a new object. Paths are kube-apiserver's, which omits parts of them.
FieldPath FindAdminAccess(std::string_view kind, std::string_view subresource, const json::Value& object, const json::Value* old);

// Whether a namespace has the label.
bool AllowsAdminAccess(const json::Value& space);

}  // namespace allot::apiserver
