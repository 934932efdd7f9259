#include "apiserver/kinds/replica_status.h"

namespace allot::apiserver {

void CheckReplicaStatus(const json::Value& status, std::string_view part, FieldErrors& errors) {
  const FieldPath field("status");
  CheckNonnegativeMembers(field, status, {"observedGeneration", "replicas", "readyReplicas", "availableReplicas", "terminatingReplicas"},
                          errors);
  for (const std::string_view name : {part, std::string_view("readyReplicas"), std::string_view("availableReplicas")}) {
    if (IntOf(status[name]) > IntOf(status["replicas"])) {
      errors.Invalid(field.Child(name), IntOf(status[name]), "cannot be greater than status.replicas");
    }
  }
  if (IntOf(status["availableReplicas"]) > IntOf(status["readyReplicas"])) {
    errors.Invalid(field.Child("availableReplicas"), IntOf(status["availableReplicas"]), "cannot be greater than readyReplicas");
  }
}

}  // namespace allot::apiserver
