#include "apiserver/user_admission.h"

#include <algorithm>
#include <iterator>

#include "apiserver/local_users.h"
#include "apiserver/refusal.h"
#include "apiserver/user_pod_rules.h"

namespace allot::apiserver {
namespace {

constexpr size_t kMostInMessage = 8;  // fields; all are causes

struct Maker {
  std::string_view resource;
  bool is_pod;  // else it has a template
  bool stays;   // what it runs cannot be given to somebody else
};
constexpr Maker kMakers[] = {
    {"pods", true, true}, {"deployments.apps", false, false}, {"replicasets.apps", false, false}, {"jobs.batch", false, true}};

// Nothing where the request makes no Pods, or its caller may do as they like.
const Maker* MakerOf(const AdmissionRequest& request) {
  if (request.operation == Operation::kDelete) return nullptr;
  if (!request.subresource.empty() && request.subresource != "ephemeralcontainers") return nullptr;
  if (request.user.starts_with("system:")) return nullptr;
  if (std::find(request.groups.begin(), request.groups.end(), kAdminsGroup) != request.groups.end()) return nullptr;
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

// Empty: the request may leave the name of its user.
FieldErrors CheckName(const AdmissionRequest& request, const Maker& maker, const json::Value& object) {
  FieldErrors errors;
  const FieldPath field = PlaceOf(maker).Child("metadata").Child("annotations").Key(kUserAnnotation);
  const std::string_view name = NameOn(maker, object);
  const std::string_view before = request.old == nullptr ? request.user : NameOn(maker, *request.old);
  if (maker.stays && before != request.user) {
    const std::string whose = before.empty() ? std::string("the admin's") : StrCat("of user ", Quoted(before));
    errors.Forbidden(field, StrCat("it is ", whose, "; delete it, and make one of your own"));
  } else if (!name.empty() && name != request.user) {
    errors.Forbidden(field, StrCat("it must be ", Quoted(request.user), ", who makes it; leave it out"));
  }
  return errors;
}

}  // namespace

Result<json::Value> UserAdmission::Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const {
  const Maker* const maker = MakerOf(request);
  if (maker == nullptr) return object;
  if (const FieldErrors errors = CheckName(request, *maker, object); !errors.empty()) return Refused(request, errors);
  const json::Value name = edit.String(request.user);
  return maker->is_pod ? edit.SetAt(object, {"metadata", "annotations", kUserAnnotation}, name)
                       : edit.SetAt(object, {"spec", "template", "metadata", "annotations", kUserAnnotation}, name);
}

Status UserAdmission::Validate(const AdmissionRequest& request, const json::Value& object) const {
  const Maker* const maker = MakerOf(request);
  if (maker == nullptr) return Status();
  // Steps behind this one may have changed the name again.
  FieldErrors errors = CheckName(request, *maker, object);
  if (errors.empty() && NameOn(*maker, object) != request.user) {
    return InternalError(StrCat("the annotation ", kUserAnnotation, " was lost on the way"));
  }
  CheckUsersPod(PlaceOf(*maker).Child("spec"), PodOf(*maker, object)["spec"], request.uid, errors);
  return errors.empty() ? Status() : Refused(request, errors);
}

}  // namespace allot::apiserver
