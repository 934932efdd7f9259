#include "local/pods/pod_admission.h"

#include <algorithm>

#include "apiserver/access/user_admission.h"
#include "apiserver/refusal.h"
#include "dialect/translate.h"
#include "json/editor.h"
#include "local/run/run_protocol.h"

namespace allot::local {
namespace {

// Adds the refusals and warnings of the dialects. No dialect that is read from a Pod changes it. This machine's nodes have no device
// plugins.
void CheckDialects(const json::Value& pod, apiserver::FieldErrors& errors, std::vector<std::string>& warnings) {
  const dialect::Translation translation = dialect::Translate(pod, dialect::Facts());
  for (const dialect::Refusal& refusal : translation.refusals) errors.Forbidden(apiserver::FieldPath(refusal.field), refusal.message);
  warnings.insert(warnings.end(), translation.warnings.begin(), translation.warnings.end());
}

bool HasRunFinalizer(const json::Value& pod) {
  const auto all = json::ItemsOf(pod["metadata"]["finalizers"]);
  return std::any_of(all.begin(), all.end(), [](const json::Value& one) { return json::TextOf(one) == kRunFinalizer; });
}

}  // namespace

Status PodAdmission::Validate(const apiserver::AdmissionRequest& request, const json::Value& object) const {
  if (request.operation == apiserver::Operation::kDelete) return Status();
  const std::string resource = request.kind.type.FullName();
  const bool adds = request.subresource == "ephemeralcontainers";
  if (!request.subresource.empty() && !adds) return Status();
  apiserver::FieldErrors errors;
  if (resource == "pods" && request.operation == apiserver::Operation::kUpdate && request.old != nullptr) {
    // The label decides which part runs the Pod: Runs or Pods.
    const auto is_run = [](const json::Value& pod) { return !pod["metadata"]["labels"][kRunLabel].IsNull(); };
    if (is_run(*request.old) != is_run(object)) {
      errors.Forbidden(apiserver::FieldPath("metadata").Child("labels").Key(kRunLabel), "this label cannot be added or removed");
      return apiserver::InvalidObject(request.kind, request.name, errors);
    }
    if (HasRunFinalizer(*request.old) && !HasRunFinalizer(object) && !IsSystem(request) && !IsAdmin(request)) {
      errors.Forbidden(
          apiserver::FieldPath("metadata").Child("finalizers"),
          StrCat(kRunFinalizer, " cannot be removed while the command runs; it is removed when the command ends or the Pod is deleted"));
      return apiserver::InvalidObject(request.kind, request.name, errors);
    }
  }
  if (resource == "pods" && request.operation == apiserver::Operation::kCreate && !object["metadata"]["labels"][kRunLabel].IsNull() &&
      object["metadata"]["annotations"][kWaiter].IsNull()) {
    errors.Forbidden(apiserver::FieldPath("metadata").Child("labels").Key(kRunLabel), "only Pods of `allot run` can have this label");
  }
  if (resource == "pods") {
    if (request.operation != apiserver::Operation::kCreate && !adds) return Status();
    CheckPod(runtime_, apiserver::FieldPath(), object, errors, request.warnings);
    if (!adds) CheckDialects(object, errors, request.warnings);
    return errors.empty() ? Status() : apiserver::InvalidObject(request.kind, request.name, errors);
  }
  if (resource != "deployments.apps" && resource != "replicasets.apps" && resource != "jobs.batch") return Status();
  // A controller created the object: the user got the warnings for its owner.
  if (request.user.starts_with("system:") && request.user != "system:admin") return Status();
  CheckPod(runtime_, apiserver::FieldPath("spec").Child("template"), object["spec"]["template"], errors, request.warnings);
  for (const apiserver::FieldError& error : errors.all()) {
    request.warnings.push_back(StrCat(error.field, ": ", error.message, "; its Pods will be refused"));
  }
  return Status();
}

}  // namespace allot::local
