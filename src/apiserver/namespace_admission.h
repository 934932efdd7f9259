#pragma once
// Admission for namespaces.

#include "apiserver/admission.h"

namespace allot::apiserver {

// Refuses to create objects in a namespace that does not exist (404) or is being deleted (403), and refuses to delete system namespaces.
class NamespaceAdmission final : public Admission {
 public:
  Result<json::Value> Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override;
  Status Validate(const AdmissionRequest& request, const json::Value& object) const override;
};

}  // namespace allot::apiserver
