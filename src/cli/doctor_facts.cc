// What several checks look at.

#include "base/strings.h"
#include "cli/doctor_checks.h"
#include "cli/status_waiting.h"

namespace allot::cli {

void ReadCluster(Session& session, std::string_view namespace_name, ClusterFacts& facts) {
  static const kube::ResourceType kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
  kube::ListOptions ours;
  ours.label_selector = StrCat("app.kubernetes.io/name=", kChart);
  facts.nodes = ListAll(session, kube::types::kNodes);
  facts.slices = ListAll(session, kube::types::kResourceSlices);
  facts.claims = ListAll(session, kube::types::kResourceClaims);
  facts.classes = ListAll(session, kube::types::kDeviceClasses);
  facts.daemon_sets = ListAll(session, kDaemonSets, namespace_name, ours);
  facts.agents = ListAll(session, kube::types::kPods, namespace_name, ours);
  facts.pending = PendingPods(session);
  facts.events = FailedPreparations(session, facts.pending);
  facts.devices = DevicesOf(facts.slices, facts.claims);
}

}  // namespace allot::cli
