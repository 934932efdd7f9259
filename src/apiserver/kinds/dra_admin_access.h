#pragma once
// Admin access: devices that are in use already, for somebody who looks after them. Only claims of namespaces with a label may ask for it
// or get it.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

inline constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";  // must be "true"

// Where a ResourceClaim or ResourceClaimTemplate asks for admin access, or the status of a claim newly grants it; an empty path where not.
// `old` is null of a new object. Paths are kube-apiserver's, which leaves out parts of them.
FieldPath FindAdminAccess(std::string_view kind, std::string_view subresource, const json::Value& object, const json::Value* old);

// Whether a namespace has the label.
bool AllowsAdminAccess(const json::Value& space);

}  // namespace allot::apiserver
