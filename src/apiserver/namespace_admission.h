#pragma once
// Objects live in namespaces that exist and stay.

#include "apiserver/admission.h"

namespace allot::apiserver {

// Refuses what is created in a namespace that is not there (404) or being deleted (403), and the deletion of those that everything needs.
class NamespaceAdmission final : public Admission {
 public:
  Result<json::Value> Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override;
  Status Validate(const AdmissionRequest& request, const json::Value& object) const override;
};

}  // namespace allot::apiserver
