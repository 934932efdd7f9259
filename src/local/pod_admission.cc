#include "local/pod_admission.h"

#include <algorithm>

#include "apiserver/refusal.h"
#include "apiserver/user_admission.h"
#include "json/editor.h"
#include "local/run_protocol.h"

namespace allot::local {
namespace {

// The scheduler makes the claim for amounts of devices (nvidia.com/gpu: 1), and a Pod that names its node goes past it.
void CheckNamedNode(const json::Value& spec, apiserver::FieldErrors& errors) {
  const std::string_view node = json::TextOf(spec["nodeName"]);
  if (node.empty()) return;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::Value& container : json::ItemsOf(spec[list])) {
      for (const json::Member& limit : json::MembersOf(container["resources"]["limits"])) {
        if (limit.key.find('/') == limit.key.npos || json::TextOf(limit.value) == "0") continue;
        return errors.Forbidden(apiserver::FieldPath("spec").Child("nodeName"),
                                StrCat("who names a node goes past the scheduler, and nobody else gives out ", limit.key,
                                       "; use nodeSelector: {kubernetes.io/hostname: ", node, "}"));
      }
    }
  }
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
    // Who runs the Pod goes by it.
    const auto is_run = [](const json::Value& pod) { return !pod["metadata"]["labels"][kRunLabel].IsNull(); };
    if (is_run(*request.old) != is_run(object)) {
      errors.Forbidden(apiserver::FieldPath("metadata").Child("labels").Key(kRunLabel), "it cannot be added or removed");
      return apiserver::InvalidObject(request.kind, request.name, errors);
    }
    if (HasRunFinalizer(*request.old) && !HasRunFinalizer(object) && !IsSystem(request) && !IsAdmin(request)) {
      errors.Forbidden(apiserver::FieldPath("metadata").Child("finalizers"),
                       StrCat(kRunFinalizer, " stays while the command runs; end that, or delete the Pod, and it goes by itself"));
      return apiserver::InvalidObject(request.kind, request.name, errors);
    }
  }
  if (resource == "pods" && request.operation == apiserver::Operation::kCreate && !object["metadata"]["labels"][kRunLabel].IsNull() &&
      object["metadata"]["annotations"][kWaiter].IsNull()) {
    errors.Forbidden(apiserver::FieldPath("metadata").Child("labels").Key(kRunLabel), "only the Pods of `allot run` have it");
  }
  if (resource == "pods") {
    if (request.operation != apiserver::Operation::kCreate && !adds) return Status();
    CheckPod(runtime_, apiserver::FieldPath(), object, errors, request.warnings);
    if (!adds) CheckNamedNode(object["spec"], errors);
    return errors.empty() ? Status() : apiserver::InvalidObject(request.kind, request.name, errors);
  }
  if (resource != "deployments.apps" && resource != "replicasets.apps" && resource != "jobs.batch") return Status();
  // The controllers' own: whoever made the Deployment has heard it.
  if (request.user.starts_with("system:") && request.user != "system:admin") return Status();
  CheckPod(runtime_, apiserver::FieldPath("spec").Child("template"), object["spec"]["template"], errors, request.warnings);
  for (const apiserver::FieldError& error : errors.all()) {
    request.warnings.push_back(StrCat(error.field, ": ", error.message, "; its Pods will be refused"));
  }
  return Status();
}

}  // namespace allot::local
