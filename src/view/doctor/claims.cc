// Checks of Pods that do not start because of their devices, and of claims on devices that are gone or over-committed.

#include "base/strings.h"
#include "json/editor.h"
#include "view/doctor/checks.h"
#include "view/waiting.h"

namespace allot::view {
namespace {

using json::TextOf;
using Check = Finding::Check;
using Kind = Finding::Kind;
using Verdict = Finding::Verdict;

// The claims that hold the device: "namespace/name".
std::vector<std::string> ClaimsOn(const Device& device) {
  std::vector<std::string> claims;
  for (const Holder& holder : device.holders) claims.push_back(StrCat(holder.namespace_name, "/", holder.claim));
  return claims;
}

Finding PodFinding(const WaitingPod& pod, const Release& release) {
  Finding finding{.check = Check::kPods, .verdict = Verdict::kFailed, .kind = Kind::kNotPrepared, .message = pod.message};
  // kubelet's own messages where no plugin is registered for the driver.
  const auto says = [&](std::string_view text) { return pod.message.find(text) != std::string::npos; };
  if (pod.cause == WaitingPod::Cause::kNoCdiDevice) {
    finding.kind = Kind::kNoCdiDevice;
  } else if (says("not registered") || says("not found in the list")) {
    finding.kind = Kind::kNotRegistered;
    finding.name = pod.node;
  } else {
    finding.trouble = TroubleOf(pod.message);
    finding.release = release;
  }
  return finding;
}

}  // namespace

void CheckPods(kube::Client& client, const ClusterFacts& facts, Findings& findings) {
  if (!facts.pending.ok()) return findings.push_back(NotSeen(Check::kPods, "list", "pods", facts.pending.status));
  if (!facts.events.ok()) findings.push_back(NotSeen(Check::kPods, "list", "events", facts.events.status));
  // Pods without a node wait for the scheduler.
  WaitingLists waiting{{}, facts.claims, facts.classes, facts.events};
  for (const kube::ObjectPtr& pod : facts.pending.objects) {
    if (!TextOf(pod->json()["spec"]["nodeName"]).empty()) waiting.pods.objects.push_back(pod);
  }
  const auto get_template = [&](std::string_view name_space, std::string_view name) {
    return client.Get(kube::types::kResourceClaimTemplates, name_space, name);
  };
  FindingGroups grouped;
  size_t stuck = 0;
  for (const WaitingPod& pod : WaitingPods(waiting, get_template)) {
    if (!pod.for_gpus) continue;  // devices of others
    ++stuck;
    grouped.Add(StrCat("Pod ", pod.namespace_name, "/", pod.name, " on ", pod.node), PodFinding(pod, facts.release));
  }
  grouped.Take(findings);
  if (stuck == 0 && facts.events.ok()) findings.push_back({.check = Check::kPods, .kind = Kind::kPodsOk});
}

void CheckClaims(const ClusterFacts& facts, Findings& findings) {
  if (!facts.claims.ok()) return findings.push_back(NotSeen(Check::kClaims, "list", "resourceclaims.resource.k8s.io", facts.claims.status));
  if (!facts.slices.ok()) return;  // the nodes' check has said so
  for (const LeftOut& one : facts.left_out) {
    findings.push_back({.check = Check::kClaims,
                        .verdict = Verdict::kWarning,
                        .kind = Kind::kUnreadable,
                        .name = one.key,
                        .message = one.why,
                        .reason = one.kind});
  }
  bool good = facts.left_out.empty();
  for (const Device& device : facts.devices) {
    const auto add = [&](Verdict verdict, Kind kind) {
      good = false;
      findings.push_back({.check = Check::kClaims,
                          .verdict = verdict,
                          .kind = kind,
                          .names = ClaimsOn(device),
                          .count = device.used.value_or(0),
                          .total = device.mib.value_or(0),
                          .device = device.Name(),
                          .node = device.node});
    };
    if (device.overcommitted) add(Verdict::kFailed, Kind::kOvercommitted);
    if (device.gone) add(Verdict::kWarning, Kind::kGone);
  }
  if (good) findings.push_back({.check = Check::kClaims, .kind = Kind::kClaimsOk});
}

}  // namespace allot::view
