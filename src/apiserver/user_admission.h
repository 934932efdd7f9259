#pragma once
// A user's Pods run as that user, and what a user has stays within limits.
//
// Who makes or changes a Pod, or a Deployment, ReplicaSet or Job that makes Pods, leaves their name on it: the annotation allot.dev/user of
// the Pod, or of the Pod template. Who runs the Pod goes by that name. A user may not put another name there, and may not change a Pod or
// Job that has another one, or none. What would make the Pod run as somebody else after all is refused as well (user_pod_rules.h). Refusals
// are 403 with the fields as causes. Admins and controllers (system:...) pass: what they make without the annotation is the admin's.
//
// A claim that is in use keeps the finalizer that protects it. In a user's namespace (own_namespaces.h) there are at most 5,000 objects of
// a kind; those that controllers make count as well, those that admins make are not refused.

#include "apiserver/admission.h"

namespace allot::apiserver {

inline constexpr std::string_view kUserAnnotation = "allot.dev/user";

// Whose request it is: an admin's, or of a part of the system, a controller.
bool IsAdmin(const AdmissionRequest& request);
bool IsSystem(const AdmissionRequest& request);

class UserAdmission final : public Admission {
 public:
  explicit UserAdmission(size_t most_objects = 5000) : most_objects_(most_objects) {}

  Result<json::Value> Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override;
  Status Validate(const AdmissionRequest& request, const json::Value& object) const override;

 private:
  Status CheckCount(const AdmissionRequest& request) const;

  const size_t most_objects_;
};

}  // namespace allot::apiserver
