#pragma once
// Makes users' Pods run as their users, and limits what users can create.
//
// Creating or changing a Pod, or a Deployment, ReplicaSet or Job, records the user in the annotation allot.dev/user of the Pod or Pod
// template. The Pod runs as that user. A user may not set another name there, and may not change a Pod or Job that has another name or
// none. Fields that would make the Pod run as another user are refused too (user_pod_rules.h). Refusals are 403 with the fields as causes.
// Admins and controllers (system:...) are exempt: what they create without the annotation belongs to the admin.
//
// A claim in use keeps its protecting finalizer. A user's namespace (own_namespaces.h) has at most 5,000 objects of a kind. Objects made by
// controllers count; objects made by admins are not refused.

#include "apiserver/admission.h"

namespace allot::apiserver {

inline constexpr std::string_view kUserAnnotation = "allot.dev/user";

// Whether the request comes from an admin, or from a part of the system such as a controller.
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
