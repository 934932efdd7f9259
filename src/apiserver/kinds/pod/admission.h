#pragma once
// The admission step for Pods (admit_pod.h) and for priority classes. Api turns its errors into 403.

#include "apiserver/admission.h"

namespace allot::apiserver {

class PodAdmission final : public Admission {
 public:
  Result<json::Value> Mutate(const AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override;
  Status Validate(const AdmissionRequest& request, const json::Value& object) const override;
};

}  // namespace allot::apiserver
