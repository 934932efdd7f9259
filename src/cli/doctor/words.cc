#include "cli/doctor/words.h"

#include "base/strings.h"
#include "cli/listing.h"
#include "cli/status/words.h"

namespace allot::cli {
namespace {

using view::Finding;
using Kind = Finding::Kind;

std::string NotSeenWords(const Finding& f) {
  if (f.kind == Kind::kNotSeen) {
    return f.forbidden ? StrCat(f.resource, ": not seen, as you may not ", f.verb, " them") : StrCat(f.resource, ": not seen: ", f.message);
  }
  const std::string gates = StrCat(f.names.size() == 1 ? "gate " : "gates ", Join(f.names, " and "), ": ");
  const std::string_view kind = f.resource.starts_with("deviceclasses") ? "classes" : "slices";
  return f.forbidden ? StrCat(gates, "not seen, as you may not create ", kind, ", not even in a dry run")
                     : StrCat(gates, "not seen, the dry run was refused: ", f.message);
}

// What a feature gate that is off means.
std::string_view GateWords(std::string_view gate) {
  if (gate == "DRAConsumableCapacity") return "GPUs cannot be shared, only given as a whole";
  if (gate == "DRADeviceTaints") return "a GPU with a fault, or cordoned, is left out instead of tainted";
  return "Pods can ask by claims only, not by nvidia.com/gpu: 1";
}

std::string SetWords(const Finding& f) {
  const std::string text = StrCat("agents: DaemonSet ", f.name, ", ", f.count, " of ", f.total, " ready");
  switch (f.kind) {
    case Kind::kSetFitsNoNode: return StrCat(text, ": it fits no node");
    case Kind::kSetIncomplete: return StrCat(text, ": ", f.made, " of ", f.total, f.made == 1 ? " Pods is made" : " Pods are made");
    case Kind::kSetWithoutPods: return StrCat(text, ": it has no Pods");
    default: return text;
  }
}

std::string NoAgentWords(const Finding& f) {
  if (!f.names.empty()) return StrCat("no agent: the DaemonSet's nodeSelector requires the label ", f.names[0], "=", f.names[1]);
  if (f.taint) {
    return StrCat("no agent: the DaemonSet does not tolerate the taint ", f.taint->key, f.taint->value.empty() ? "" : "=", f.taint->value,
                  ":", f.taint->effect);
  }
  return f.affinity ? "no agent: the DaemonSet's affinity may exclude them" : "no agent";
}

std::string AgentWords(const Finding& f) {
  switch (f.kind) {
    case Kind::kImage: return StrCat(f.reason, " of ", f.name, ": ", f.message);
    case Kind::kAgentEnded:
      return StrCat(f.reason, f.exit_code.empty() ? "" : StrCat(" (exit code ", f.exit_code, ")"), f.message.empty() ? "" : ": ",
                    f.message);
    case Kind::kAgentUnready:
      return StrCat(f.message.empty() ? "runs, but is not ready" : StrCat("is not ready: ", f.message),
                    f.error.empty() ? "" : "; its log cannot be seen: ", f.error);
    default: return f.message.empty() ? "is being started" : f.message;
  }
}

std::string GpusWords(const Finding& f) {
  const std::string count = f.count == 1 ? "1 GPU is offered" : StrCat(f.count, " GPUs are offered");
  if (f.kind == Kind::kNotShared) return StrCat(count, f.count == 1 ? ", not shared" : ", none of them shared");
  return f.count == 1 ? StrCat(count, ", shared") : StrCat(count, ", ", f.total, " of them shared");
}

std::string RuntimeWords(const Finding& f) {
  const std::string text = StrCat("container runtime ", f.version);
  switch (f.kind) {
    case Kind::kRuntimeOk: return text + ", with CDI";
    case Kind::kRuntimeOfUp: return text + ", by allot up";
    case Kind::kRuntimeTooOld: return text + ", which knows no CDI";
    case Kind::kRuntimeCdiOff: return text + ", where CDI is off unless its config says otherwise";
    case Kind::kRuntimeOldDevices: return text + ", which does not know CDI devices of Kubernetes";
    case Kind::kRuntimeIsDocker: return text + ", whose shim for Kubernetes knows no CDI";
    default: return text + ": not known whether it does CDI";
  }
}

std::string ClaimsText(const Finding& f) { return StrCat(f.names.size() == 1 ? "claim " : "claims ", SomeOf(f.names)); }

std::string TextOf(const Finding& f) {
  switch (f.kind) {
    case Kind::kNotSeen:
    case Kind::kGatesNotSeen: return NotSeenWords(f);
    case Kind::kServerFailed: return StrCat("API server: ", f.message);
    case Kind::kVersionHidden: return StrCat("API server: ", f.name, " does not tell its version: ", f.message);
    case Kind::kNoVersion: return StrCat("API server: ", f.name, " answers, but tells no version");
    case Kind::kTooOld: return StrCat("API server: Kubernetes ", f.version, " at ", f.name, ", which is too old");
    case Kind::kServerOk: return StrCat("API server: Kubernetes ", f.version, " at ", f.name);
    case Kind::kResourceApiOk: return "resource.k8s.io/v1: served";
    case Kind::kNoResourceApi: return "resource.k8s.io/v1: not served, so there are no claims and no slices";
    case Kind::kGateOn: return StrCat("gate ", f.name, " of the API server: on");
    case Kind::kGateOff: return StrCat("gate ", f.name, " of the API server: off; ", GateWords(f.name));
    case Kind::kSchedulerGateOff:
      return StrCat("gate DRAConsumableCapacity of kube-scheduler: off; claim ", f.claim, " got ", f.device,
                    " as a whole, although it is shared");
    case Kind::kSchedulerNotKnown: return "gates of kube-scheduler: the API does not tell; before 1.36 they are off unless set";
    case Kind::kClassOk:
      return StrCat("class ", view::kGpuDriver, ": selects the devices of ", view::kGpuDriver,
                    f.resource.empty() ? "" : ", and stands for ", f.resource);
    case Kind::kClassSelectsOthers: return StrCat("class ", view::kGpuDriver, ": does not select the driver ", view::kGpuDriver);
    case Kind::kClassMissing: return StrCat("class ", view::kGpuDriver, ": does not exist, so claims cannot ask for GPUs");
    case Kind::kSetOk:
    case Kind::kSetNotReady:
    case Kind::kSetFitsNoNode:
    case Kind::kSetIncomplete:
    case Kind::kSetWithoutPods: return SetWords(f);
    case Kind::kSeveralSets: return StrCat("agents: the chart is installed ", f.count, " times");
    case Kind::kNvidiasDriver: return StrCat("agents: NVIDIA's own DRA driver is installed (DaemonSet ", f.name, "), not allot");
    case Kind::kAgentsOfUp: return "agents: allot up runs them";
    case Kind::kNoGpusOfUp: return "agents: allot up runs them, and offers no GPU";
    case Kind::kNotInstalled: return "agents: there is no DaemonSet of the chart nvidia-dra-driver-gpu";
    case Kind::kNotByChart:
      return StrCat("agents: there is no DaemonSet of the chart, but GPUs are offered on ", SomeOf(f.names), ": started by hand?");
    case Kind::kNoAgent: return NoAgentWords(f);
    case Kind::kImage:
    case Kind::kAgentEnded:
    case Kind::kAgentUnready:
    case Kind::kAgentStarts: return AgentWords(f);
    case Kind::kRightsOk: return StrCat("rights of ", f.name, ": all that the agent needs");
    case Kind::kLacksRights: return StrCat("rights of ", f.name, ": it may not ", Join(f.names, ", "));
    case Kind::kLacksOwnRights:
      return StrCat("rights of ", f.name, ": it may not ", Join(f.names, ", "), " in ", f.resource,
                    ", so what it waits for is in its log alone");
    case Kind::kNodeNotReady: return StrCat("node is not ready", f.message.empty() ? "" : ": ", f.message);
    case Kind::kNodeCordoned: return "node is cordoned: it takes no new Pods, so its GPUs stay unused";
    case Kind::kNoGpus: return "no GPUs are offered (no ResourceSlice of gpu.nvidia.com)";
    case Kind::kNotShared:
    case Kind::kGpusOk: return GpusWords(f);
    case Kind::kNoGpuAtAll: return "no GPU is offered in the whole cluster";
    case Kind::kNoRuntime: return "kubelet tells no container runtime";
    case Kind::kRuntimeOk:
    case Kind::kRuntimeOfUp:
    case Kind::kRuntimeTooOld:
    case Kind::kRuntimeCdiOff:
    case Kind::kRuntimeOldDevices:
    case Kind::kRuntimeIsDocker:
    case Kind::kRuntimeNotKnown: return RuntimeWords(f);
    case Kind::kPluginToo: return StrCat("a device plugin offers nvidia.com/gpu: ", f.name, ", too; both give out the same GPUs");
    case Kind::kPoolIncomplete:
      return StrCat(IncompleteWords({static_cast<size_t>(f.count), static_cast<size_t>(f.total)}),
                    "; until all are there, nothing of it is allocated");
    case Kind::kUnhealthy: return StrCat("unhealthy: ", TaintWords(*f.taint));
    case Kind::kNoCdiDevice: return StrCat("the container runtime does not find its devices: ", f.message);
    case Kind::kNotRegistered:
    case Kind::kNotPrepared: return StrCat("its devices cannot be prepared: ", f.message);
    case Kind::kPodsOk: return "Pods: none waits for its devices to be prepared";
    case Kind::kUnreadable: return StrCat(f.reason, " ", f.name, ": cannot be read: ", f.message);
    case Kind::kOvercommitted: return StrCat(f.device, ": OVER-COMMITTED, ", f.count, " of ", f.total, " MiB are held by ", ClaimsText(f));
    case Kind::kGone:
      return StrCat(f.device, ": gone, no slice offers it any more, but ", ClaimsText(f), " hold", f.names.size() == 1 ? "s" : "", " it");
    case Kind::kClaimsOk: break;
  }
  return "claims: none on a device that is gone, and no device is over-committed";
}

bool IsAboutAgent(Kind kind) {
  return kind == Kind::kImage || kind == Kind::kAgentEnded || kind == Kind::kAgentUnready || kind == Kind::kAgentStarts;
}

}  // namespace

std::string Words(const Finding& finding) {
  if (finding.subjects.empty()) return TextOf(finding);
  return StrCat(IsAboutAgent(finding.kind) ? "agent on " : "", SomeOf(finding.subjects), ": ", TextOf(finding));
}

std::string_view NameOf(Finding::Check check) {
  using Check = Finding::Check;
  switch (check) {
    case Check::kServer: return "server";
    case Check::kResourceApi: return "resource-api";
    case Check::kGates: return "gates";
    case Check::kClass: return "class";
    case Check::kAgents: return "agents";
    case Check::kPermissions: return "permissions";
    case Check::kNodes: return "nodes";
    case Check::kPods: return "pods";
    case Check::kClaims: break;
  }
  return "claims";
}

std::string_view NameOf(Finding::Verdict verdict) {
  switch (verdict) {
    case Finding::Verdict::kOk: return "ok";
    case Finding::Verdict::kWarning: return "warning";
    case Finding::Verdict::kFailed: return "failed";
    case Finding::Verdict::kUnknown: break;
  }
  return "unknown";
}

}  // namespace allot::cli
