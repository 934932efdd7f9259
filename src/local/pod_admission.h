#pragma once
// Refuses Pods that cannot run on this machine (pod_rules.h), while somebody is there to hear it.
//
// A new Pod with a field that is refused is a 422 with the fields as causes; what is left out is a warning. Of a Deployment, ReplicaSet or
// Job both are warnings, as its Pods may be meant for another place, and its events will tell.

#include "apiserver/admission.h"
#include "local/pod_rules.h"

namespace allot::local {

class PodAdmission final : public apiserver::Admission {
 public:
  explicit PodAdmission(Runtime runtime = Runtime::kProcess) : runtime_(runtime) {}

  Status Validate(const apiserver::AdmissionRequest& request, const json::Value& object) const override;

 private:
  const Runtime runtime_;
};

}  // namespace allot::local
