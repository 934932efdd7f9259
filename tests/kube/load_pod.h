#pragma once
// The Pod of the load programs: as large as a Pod with a claim, and ignored by schedulers.

#include <cstdint>
#include <string>

#include "base/strings.h"

namespace allot::tests {

// The i-th Pod, named pod-i.
inline std::string PodJson(uint64_t i) {
  return StrCat(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-)", i, R"(","labels":{"app":"train","team":"t)", i % 17,
      R"("},"annotations":{"note":"a Pod among many"}},"spec":{"schedulerName":"nobody","restartPolicy":"Never","containers":[{"name":"main",)",
      R"("image":"local/busybox:1","command":["/bin/sleep","3600"],"env":[{"name":"INDEX","value":")", i,
      R"("},{"name":"MODE","value":"batch"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"memory":"128Mi"},)",
      R"("claims":[{"name":"gpu"}]},"volumeMounts":[{"name":"data","mountPath":"/data"}]}],"volumes":[{"name":"data","emptyDir":{}}],)",
      R"("resourceClaims":[{"name":"gpu","resourceClaimName":"shared"}]}})");
}

}  // namespace allot::tests
