#include "apiserver/access/user_admission.h"

#include <algorithm>
#include <iterator>

#include "apiserver/access/local_users.h"
#include "apiserver/access/own_namespaces.h"
#include "apiserver/access/user_pod_rules.h"
#include "apiserver/api.h"
#include "apiserver/refusal.h"

namespace allot::apiserver {
namespace {

constexpr std::string_view kClaimProtection = "resource.kubernetes.io/delete-protection";
constexpr size_t kMostInMessage = 8;  // fields in the message; the causes list all

struct Maker {
  std::string_view resource;
  bool is_pod;  // false: it has a Pod template
  bool stays;   // another user cannot change what it runs
};
constexpr Maker kMakers[] = {
    {"pods", true, true}, {"deployments.apps", false, false}, {"replicasets.apps", false, false}, {"jobs.batch", false, true}};

// Returns nullptr if the request makes no Pods, or its caller is not restricted.
const Maker* MakerOf(const AdmissionRequest& request) {
  if (request.operation == Operation::kDelete) return nullptr;
  if (!request.subresource.empty() && request.subresource != "ephemeralcontainers") return nullptr;
  if (IsSystem(request) || IsAdmin(request)) return nullptr;
  const std::string resource = request.kind.type.FullName();
  const auto* const found =
      std::find_if(std::begin(kMakers), std::end(kMakers), [&](const Maker& maker) { return maker.resource == resource; });
  return found == std::end(kMakers) ? nullptr : found;
}

FieldPath PlaceOf(const Maker& maker) { return maker.is_pod ? FieldPath() : FieldPath("spec").Child("template"); }

const json::Value& PodOf(const Maker& maker, const json::Value& object) { return maker.is_pod ? object : object["spec"]["template"]; }

std::string_view NameOn(const Maker& maker, const json::Value& object) {
  return json::TextOf(PodOf(maker, object)["metadata"]["annotations"][kUserAnnotation]);
}

Status Refused(const AdmissionRequest& request, const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors.all()) {
    if (texts.size() == kMostInMessage) {
      texts.push_back(StrCat("and ", errors.size() - kMostInMessage, " more"));
      break;
    }
    texts.push_back(StrCat(error.field, ": ", error.message));
  }
  return ForbiddenOn(request.kind, request.name, Join(texts, "; "), errors.all());
}

// Returns no errors if the request may set its user's name.
FieldErrors CheckName(const AdmissionRequest& request, const Maker& maker, const json::Value& object) {
  FieldErrors errors;
  const FieldPath field = PlaceOf(maker).Child("metadata").Child("annotations").Key(kUserAnnotation);
  const std::string_view name = NameOn(maker, object);
  const std::string_view before = request.old == nullptr ? request.user : NameOn(maker, *request.old);
  if (maker.stays && before != request.user) {
    const std::string whose = before.empty() ? std::string("the admin's") : StrCat("of user ", Quoted(before));
    errors.Forbidden(field, StrCat("it is ", whose, "; delete it, and create your own"));
  } else if (!name.empty() && name != request.user) {
    errors.Forbidden(field, StrCat("it must be ", Quoted(request.user), ", the user who creates it; leave it out"));
  }
  return errors;
}

bool HasFinalizer(const json::Value& object, std::string_view finalizer) {
  const auto items = json::ItemsOf(object["metadata"]["finalizers"]);
  return std::any_of(items.begin(), items.end(), [&](const json::Value& one) { return json::TextOf(one) == finalizer; });
}

// Keeps the finalizer of a claim in use: without it, the GPU's allocation would be lost while something still uses it.
Status CheckClaim(const AdmissionRequest& request, const json::Value& object) {
  if (request.operation != Operation::kUpdate || IsSystem(request) || IsAdmin(request)) return Status();
  if (request.kind.type.FullName() != "resourceclaims.resource.k8s.io") return Status();
  const json::Value& status = (*request.old)["status"];
  const bool in_use = !status["allocation"].IsNull() || !json::ItemsOf(status["reservedFor"]).empty();
  if (!in_use || !HasFinalizer(*request.old, kClaimProtection) || HasFinalizer(object, kClaimProtection)) return Status();
  FieldErrors errors;
  errors.Forbidden(FieldPath("metadata").Child("finalizers"),
                   StrCat(kClaimProtection,
                          " cannot be removed while the claim is in use; delete the Pods that use the claim, and a controller removes it"));
  return Refused(request, errors);
}

}  // namespace

bool IsAdmin(const AdmissionRequest& request) {
  return std::find(request.groups.begin(), request.groups.end(), kAdminsGroup) != request.groups.end();
}
bool IsSystem(const AdmissionRequest& request) { return request.user.starts_with("system:"); }

// Counts what controllers make for a user too.
Status UserAdmission::CheckCount(const AdmissionRequest& request) const {
  if (request.operation != Operation::kCreate || !request.subresource.empty() || request.space.empty() || IsAdmin(request)) return Status();
  const Store& store = request.api.store();
  if (IsSystem(request) && UserOfSpace(store, request.space).empty()) return Status();
  if (store.List(request.kind.type.FullName(), request.space).entries.size() < most_objects_) return Status();
  return ForbiddenOn(request.kind, request.name,
                     StrCat("exceeded quota: a user's namespace has at most ", most_objects_, " ", request.kind.type.plural,
                            "; delete those that are not needed"));
}

Result<json::Value> UserAdmission::Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const {
  const Maker* const maker = MakerOf(request);
  if (maker == nullptr) return object;
  if (const FieldErrors errors = CheckName(request, *maker, object); !errors.empty()) return Refused(request, errors);
  const json::Value name = edit.String(request.user);
  // What is immutable stays as it was created.
  const bool begun = maker->stays && request.old != nullptr;
  const json::Value spec =
      RestrictUsersPod(edit, PodOf(*maker, object)["spec"], begun ? PodOf(*maker, *request.old)["spec"] : json::Value());
  if (maker->is_pod) {
    const json::Value pod = spec.IsNull() ? object : edit.Set(object, "spec", spec);
    return edit.SetAt(pod, {"metadata", "annotations", kUserAnnotation}, name);
  }
  const json::Value whole = spec.IsNull() ? object : edit.SetAt(object, {"spec", "template", "spec"}, spec);
  return edit.SetAt(whole, {"spec", "template", "metadata", "annotations", kUserAnnotation}, name);
}

Status UserAdmission::Validate(const AdmissionRequest& request, const json::Value& object) const {
  TRY(CheckCount(request));
  TRY(CheckClaim(request, object));
  const Maker* const maker = MakerOf(request);
  if (maker == nullptr) return Status();
  // Later admission steps may have changed the name again.
  FieldErrors errors = CheckName(request, *maker, object);
  if (errors.empty() && NameOn(*maker, object) != request.user) {
    return InternalError(StrCat("the annotation ", kUserAnnotation, " was lost during admission"));
  }
  CheckUsersPod(PlaceOf(*maker), PodOf(*maker, object), request.uid, errors);
  return errors.empty() ? Status() : Refused(request, errors);
}

}  // namespace allot::apiserver
