#include "apiserver/namespace_admission.h"

#include "apiserver/api.h"
#include "apiserver/refusal.h"
#include "json/json.h"

namespace allot::apiserver {

Result<json::Value> NamespaceAdmission::Mutate(const AdmissionRequest& request, json::Editor&, const json::Value& object) const {
  if (request.operation != Operation::kCreate || !request.kind.type.namespaced) return object;
  const std::shared_ptr<const Kind> namespaces = request.api.BuiltIn("namespaces");
  ASSIGN_OR_RETURN(const Answer answer, request.api.Get({namespaces, "", std::string(request.space), ""}));
  // Check the text first: most namespaces are not being deleted.
  if (answer.text().find("\"deletionTimestamp\"") == std::string_view::npos) return object;
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(answer.text()));
  if (document.root()["metadata"]["deletionTimestamp"].IsNull()) return object;
  return ForbiddenOn(request.kind, request.name,
                     StrCat("unable to create new content in namespace ", request.space, " because it is being terminated"),
                     {{"NamespaceTerminating", "metadata.namespace", StrCat("namespace ", request.space, " is being terminated")}});
}

Status NamespaceAdmission::Validate(const AdmissionRequest& request, const json::Value&) const {
  if (request.operation != Operation::kDelete || request.kind.type.FullName() != "namespaces") return Status();
  for (const std::string_view kept : {"default", "kube-system", "kube-public"}) {
    if (request.name == kept) return ForbiddenOn(request.kind, request.name, "this namespace may not be deleted");
  }
  return Status();
}

}  // namespace allot::apiserver
