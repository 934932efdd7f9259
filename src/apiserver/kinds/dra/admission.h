#pragma once
// Refuses admin access (dra_admin_access.h) in namespaces without the label: 422 with a Forbidden field.

#include "apiserver/admission.h"

namespace allot::apiserver {

class AdminAccessAdmission final : public Admission {
 public:
  Status Validate(const AdmissionRequest& request, const json::Value& object) const override;
};

}  // namespace allot::apiserver
