#pragma once
// The step of admission for Pods (admit_pod.h), and for the priority classes that they depend on. Errors are for Api to make a 403 of.

#include "apiserver/admission.h"

namespace allot::apiserver {

class PodAdmission final : public Admission {
 public:
  Result<json::Value> Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override;
  Status Validate(const AdmissionRequest& request, const json::Value& object) const override;
};

}  // namespace allot::apiserver
