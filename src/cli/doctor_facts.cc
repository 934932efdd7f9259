// What several checks look at.

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "cli/pools.h"
#include "cli/status_waiting.h"

namespace allot::cli {
namespace {

bool IsAgent(const kube::Object& pod) {
  if (pod.json()["metadata"]["deletionTimestamp"].IsString()) return false;
  for (const json::Value& owner : ItemsOf(pod.json()["metadata"]["ownerReferences"])) {
    if (Text(owner["kind"]) == "DaemonSet") return true;
  }
  return false;
}

std::map<std::string, Offered> OfferedOf(const Listing& slices) {
  std::map<std::string, Offered> offered;
  for (const Pool& pool : PoolsOf(slices.objects)) {
    if (pool.driver != kGpuDriver) continue;
    for (const kube::ObjectPtr& slice : pool.slices) {
      const json::Value& spec = slice->json()["spec"];
      for (const json::Value& device : ItemsOf(spec["devices"])) {
        Offered& node = offered[std::string(Text(spec["nodeName"].IsString() ? spec["nodeName"] : device["nodeName"]))];
        ++node.gpus;
        if (device["allowMultipleAllocations"].IsBool() && device["allowMultipleAllocations"].AsBool()) ++node.shared;
      }
    }
  }
  return offered;
}

}  // namespace

Release ReleaseOf(const kube::Object& daemon_set) {
  Release release;
  const std::string_view instance = Text(daemon_set.json()["metadata"]["labels"]["app.kubernetes.io/instance"]);
  if (!instance.empty()) release.name = instance;
  release.namespace_name = daemon_set.namespace_name();
  return release;
}

std::string HelmUpgrade(const Release& release, std::string_view more) {
  return StrCat("helm upgrade ", release.name, " ./deployments/helm/", kChart, " -n ", release.namespace_name, " --reuse-values",
                more.empty() ? "" : " ", more);
}

void ReadCluster(Session& session, std::string_view namespace_name, ClusterFacts& facts) {
  static const kube::ResourceType kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet", true};
  kube::ListOptions ours;
  ours.label_selector = kOurLabel;
  facts.nodes = ListAll(session, kube::types::kNodes);
  facts.slices = ListAll(session, kube::types::kResourceSlices);
  facts.claims = ListAll(session, kube::types::kResourceClaims);
  facts.classes = ListAll(session, kube::types::kDeviceClasses);
  facts.daemon_sets = ListAll(session, kDaemonSets, namespace_name, ours);
  facts.agents = ListAll(session, kube::types::kPods, namespace_name, ours);
  std::erase_if(facts.agents.objects, [](const kube::ObjectPtr& pod) { return !IsAgent(*pod); });
  if (!facts.daemon_sets.objects.empty()) {
    facts.release = ReleaseOf(*facts.daemon_sets.objects[0]);
  } else if (facts.daemon_sets.ok()) {
    kube::ListOptions nvidias;
    nvidias.label_selector =
        StrCat("app.kubernetes.io/name in (", kChart, ",dra-driver-nvidia-gpu)");  // the second since its move to Kubernetes
    facts.nvidias_sets = ListAll(session, kDaemonSets, namespace_name, nvidias);
  }
  facts.pending = PendingPods(session);
  facts.events = FailedPreparations(session, facts.pending);
  facts.devices = DevicesOf(facts.slices, facts.claims, facts.nodes);
  facts.offered = OfferedOf(facts.slices);
}

}  // namespace allot::cli
