#pragma once
// Refuses Pods that cannot run on this machine (pod_rules.h) when they are created, so that the user gets the error.
//
// A new Pod with a refused field gets a 422 with the fields as causes; an ignored field gets a warning. For a Deployment, ReplicaSet or Job
// both are warnings: the object is valid, and its events will show that its Pods are refused.

#include "apiserver/admission.h"
#include "local/pods/pod_rules.h"

namespace allot::local {

class PodAdmission final : public apiserver::Admission {
 public:
  explicit PodAdmission(Runtime runtime = Runtime::kProcess) : runtime_(runtime) {}

  Status Validate(const apiserver::AdmissionRequest& request, const json::Value& object) const override;

 private:
  const Runtime runtime_;
};

}  // namespace allot::local
