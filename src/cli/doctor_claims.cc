// Checks of what is held: Pods that do not start, devices that are gone, devices of which more is held than there is.

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "cli/status_waiting.h"

namespace allot::cli {
namespace {

std::string HoldersText(const DeviceStatus& device) {
  std::vector<std::string> holders;
  holders.reserve(device.holders.size());
  for (const Holder& holder : device.holders) holders.push_back(StrCat(holder.namespace_name, "/", holder.claim));
  return StrCat(holders.size() == 1 ? "claim " : "claims ", SomeOf(holders));
}

Finding CdiFinding(const WaitingPod& pod) {
  return {"pods", Verdict::kFailed, StrCat("the container runtime does not find its devices: ", pod.message),
          "CDI is off in the runtime, or it reads other folders than the agent writes to. containerd: enable_cdi = true, cdi_spec_dirs = "
          "[\"/etc/cdi\", \"/var/run/cdi\"]; CRI-O: cdi_spec_dirs; the agent writes to /var/run/cdi (kubeletPlugin.cdiDirectoryPath). What "
          "is there, on the node:",
          "ls -l /var/run/cdi /etc/cdi"};
}

Finding PrepareFinding(const WaitingPod& pod, const Release& release) {
  Finding finding{"pods", Verdict::kFailed, StrCat("its devices cannot be prepared: ", pod.message)};
  if (pod.message.find("not registered") != std::string::npos || pod.message.find("not found in the list") != std::string::npos) {
    finding.advice = StrCat("the agent of ", pod.node, " does not run, or has not registered with kubelet:");
    finding.command = StrCat("kubectl get pods -A -l ", kOurLabel, " --field-selector spec.nodeName=", pod.node);
    return finding;
  }
  Advise(pod.message, StrCat("-n ", release.namespace_name, " -l ", kOurLabel), release, finding);
  return finding;
}

}  // namespace

void CheckPods(Session& session, const ClusterFacts& facts, Findings& findings) {
  if (!facts.pending.ok()) return findings.push_back(CannotSee("pods", "list", "pods", facts.pending.status));
  if (!facts.events.ok()) findings.push_back(CannotSee("pods", "list", "events", facts.events.status));
  // Those that are not placed yet are the scheduler's.
  WaitingFacts waiting{{}, facts.claims, facts.classes, facts.events};
  for (const kube::ObjectPtr& pod : facts.pending.objects) {
    if (!Text(pod->json()["spec"]["nodeName"]).empty()) waiting.pods.objects.push_back(pod);
  }
  ByNode grouped;
  size_t stuck = 0;
  for (const WaitingPod& pod : WaitingPods(session, waiting)) {
    if (!pod.for_gpus) continue;  // devices of others
    ++stuck;
    grouped.Add(StrCat("Pod ", pod.namespace_name, "/", pod.name, " on ", pod.node),
                SpeaksOfCdi(pod.message) ? CdiFinding(pod) : PrepareFinding(pod, facts.release));
  }
  grouped.Take(findings);
  if (stuck == 0 && facts.events.ok()) findings.push_back({"pods", Verdict::kOk, "Pods: none waits for its devices to be prepared"});
}

void CheckClaims(const ClusterFacts& facts, Findings& findings) {
  if (!facts.claims.ok()) return findings.push_back(CannotSee("claims", "list", "resourceclaims.resource.k8s.io", facts.claims.status));
  if (!facts.slices.ok()) return;  // the nodes' check has said so
  bool good = true;
  for (const DeviceStatus& device : facts.devices) {
    if (device.overcommitted) {
      good = false;
      findings.push_back(
          {"claims", Verdict::kFailed,
           StrCat(device.Name(), ": OVER-COMMITTED, ", *device.used, " of ", *device.mib, " MiB are held by ", HoldersText(device)),
           "two schedulers, or somebody by hand, allocated it; end Pods until it fits:", StrCat("allot status ", device.node)});
    }
    if (device.gone) {
      good = false;
      findings.push_back({"claims", Verdict::kWarning,
                          StrCat(device.Name(), ": gone, no slice offers it any more, but ", HoldersText(device), " hold",
                                 device.holders.size() == 1 ? "s" : "", " it"),
                          "if the agent of the node was removed, install it again; if the GPU was, end the Pods:",
                          StrCat("allot describe claim -n ", device.holders[0].namespace_name, " ", device.holders[0].claim)});
    }
  }
  if (good) findings.push_back({"claims", Verdict::kOk, "claims: none on a device that is gone, and no device is over-committed"});
}

}  // namespace allot::cli
