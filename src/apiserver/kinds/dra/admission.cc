#include "apiserver/kinds/dra/admission.h"

#include "apiserver/api.h"
#include "apiserver/kinds/dra/admin_access.h"
#include "apiserver/refusal.h"
#include "json/json.h"

namespace allot::apiserver {

Status AdminAccessAdmission::Validate(const AdmissionRequest& request, const json::Value& object) const {
  if (request.kind.type.group != "resource.k8s.io" || request.operation == Operation::kDelete) return Status();
  const FieldPath field = FindAdminAccess(request.kind.type.kind, request.subresource, object, request.old);
  if (field.text().empty()) return Status();
  ASSIGN_OR_RETURN(const Answer space, request.api.Get({request.api.BuiltIn("namespaces"), "", std::string(request.space), ""}));
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(space.text()));
  if (AllowsAdminAccess(document.root())) return Status();
  FieldErrors errors;
  errors.Forbidden(field, StrCat("admin access to devices requires the `", kAdminAccessLabel, ": true` label on the containing namespace"));
  return InvalidObject(request.kind, request.name, errors);
}

}  // namespace allot::apiserver
