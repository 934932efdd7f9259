// What to do about the findings of `allot doctor`.

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "cli/doctor/words.h"

namespace allot::cli {
namespace {

using view::Finding;
using view::Trouble;
using Kind = Finding::Kind;

constexpr char kInstall[] =
    "helm install nvidia-dra-driver-gpu ./deployments/helm/nvidia-dra-driver-gpu --namespace nvidia-dra-driver-gpu --create-namespace "
    "--set image.repository=REGISTRY/allot --set image.tag=TAG";
constexpr char kSchedulerFlags[] = "kubectl get pods -n kube-system -l component=kube-scheduler -o yaml | grep feature-gates";

// `more`: further flags.
std::string HelmUpgrade(const view::Release& release, std::string_view more = "") {
  return StrCat("helm upgrade ", release.name, " ./deployments/helm/", view::kChart, " -n ", release.namespace_name, " --reuse-values",
                more.empty() ? "" : " ", more);
}

std::string LogsCommand(const view::Release& release) {
  return StrCat("kubectl logs -n ", release.namespace_name, " -l ", view::kOurLabel, " --tail=-1 --prefix | grep -E 'WARNING|ERROR'");
}

// "-n NAMESPACE NAME", for kubectl.
std::string AgentWords(const Finding& f) { return StrCat("-n ", f.pod_namespace, " ", f.pod); }

// docs/node.md, "When something is wrong". `logs`: the flags of kubectl logs that show all that the agent says.
Advice TroubleAdvice(Trouble trouble, const view::Release& release, std::string_view logs) {
  switch (trouble) {
    case Trouble::kNoDriver:
      return {"install the NVIDIA driver on the node, or say where it is; the GPU operator's is at /run/nvidia/driver",
              HelmUpgrade(release, "--set nvidiaDriverRoot=/run/nvidia/driver")};
    case Trouble::kNoSharing:
      return {
          "enable the feature gate in kube-apiserver and kube-scheduler (--feature-gates=DRAConsumableCapacity=true), or offer whole GPUs: "
          "mode exclusive in the node config (docs/node-config.md)",
          ""};
    case Trouble::kNoTaints:
      return {"enable the feature gate in kube-apiserver and kube-scheduler: --feature-gates=DRADeviceTaints=true", ""};
    case Trouble::kOtherDriver:
      return {"drain the node and remove the other driver there; allot goes on by itself", "helm list -A | grep -i dra"};
    case Trouble::kDevicePlugin:
      return {"drain the node and remove the device plugin there; allot goes on by itself",
              "kubectl get daemonsets -A | grep -i device-plugin"};
    case Trouble::kNoDeviceNode: return {"the driver is not loaded; on the node:", "nvidia-modprobe -u -c 0"};
    case Trouble::kNotFree:
      return {"another program than the scheduler allocated it. The message names the holders: end this Pod, or some of them",
              "allot status"};
    case Trouble::kForbidden: return {"the agent lacks a right; the chart's ClusterRole has all that it needs:", HelmUpgrade(release)};
    case Trouble::kNodeConfig: return {"correct the node config (docs/node-config.md); it is read again when it changes", ""};
    case Trouble::kDiskFull: return {"make room on the disk of the node", ""};
    case Trouble::kOther: break;
  }
  return {"the whole log:", StrCat("kubectl logs ", logs)};
}

std::string GateAdvice(std::string_view gate, std::string_view programs, int minor) {
  return minor >= view::kSharesByDefault ? StrCat("it was switched off: take ", gate, "=false out of --feature-gates of ", programs)
                                         : StrCat("start ", programs, " with --feature-gates=", gate, "=true, or move to Kubernetes 1.36");
}

Advice NotSeenAdvice(const Finding& f) {
  if (!f.forbidden) return {"try again; with -v every request is shown", ""};
  return {"run this as an admin, or ask for the right; whether you have it:",
          StrCat("kubectl auth can-i ", f.verb, " ", f.resource, " -A")};
}

Advice SetAdvice(const Finding& f) {
  const size_t slash = f.name.find('/');
  const std::string describe = StrCat("kubectl describe daemonset -n ", f.name.substr(0, slash), " ", f.name.substr(slash + 1));
  if (f.kind == Kind::kSetFitsNoNode)
    return {"set kubeletPlugin.nodeSelector and .tolerations of the chart so that it runs where GPUs are", describe};
  return {"something keeps them away: a quota, Pod Security, an admission webhook? Its events say it:", describe};
}

// The UUID, for a command that is copied into a shell.
std::string_view UuidWord(const std::string& uuid) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
  return !uuid.empty() && std::all_of(uuid.begin(), uuid.end(), is_plain) ? std::string_view(uuid) : "UUID";
}

Advice RuntimeAdvice(const Finding& f) {
  switch (f.kind) {
    case Kind::kRuntimeTooOld: return {f.name == "containerd" ? "update containerd to 2.0 or later" : "update CRI-O to 1.28 or later", ""};
    case Kind::kRuntimeCdiOff:
      return {
          "in /etc/containerd/config.toml, below [plugins.\"io.containerd.grpc.v1.cri\"], set enable_cdi = true and cdi_spec_dirs = "
          "[\"/etc/cdi\", \"/var/run/cdi\"], and restart it; or update to 2.0",
          "systemctl restart containerd"};
    case Kind::kRuntimeOldDevices: return {"update CRI-O to 1.28 or later: older ones take CDI devices by annotations only", ""};
    case Kind::kRuntimeIsDocker: return {"use containerd 2 or CRI-O 1.28", ""};
    default: return {"see its manual; allot needs CDI", ""};
  }
}

Advice AdviceOf(const Finding& f) {
  switch (f.kind) {
    case Kind::kNotSeen:
    case Kind::kGatesNotSeen: return NotSeenAdvice(f);
    case Kind::kServerFailed: return {"is this the right cluster, and does it run? Which one is used:", "kubectl config view --minify"};
    case Kind::kVersionHidden: return {"allot needs Kubernetes 1.34 or later; its admin knows", ""};
    case Kind::kNoVersion: return {"is it Kubernetes? allot needs 1.34 or later", ""};
    case Kind::kTooOld: return {"allot needs Kubernetes 1.36, or 1.34 with the gate DRAConsumableCapacity; update the cluster", ""};
    case Kind::kNoResourceApi:
      return {
          "update to Kubernetes 1.34 or later, and do not switch it off: no resource.k8s.io/v1=false in --runtime-config and no "
          "DynamicResourceAllocation=false in --feature-gates of kube-apiserver",
          ""};
    case Kind::kGateOff: return {GateAdvice(f.name, "kube-apiserver, kube-scheduler, kube-controller-manager and kubelet", f.minor), ""};
    case Kind::kSchedulerGateOff:
      return {StrCat(GateAdvice("DRAConsumableCapacity", "kube-scheduler", f.minor),
                     "; then end the Pods of such claims and start them anew. Its flags:"),
              kSchedulerFlags};
    case Kind::kSchedulerNotKnown: return {"look whether DRAConsumableCapacity=true is there:", kSchedulerFlags};
    case Kind::kClassSelectsOthers:
      return {"claims of this class may get other devices, or none; its selector should have device.driver == 'gpu.nvidia.com':",
              "kubectl edit deviceclass gpu.nvidia.com"};
    case Kind::kClassMissing:
      return {"the chart makes it (deviceClasses.create); by hand:",
              "kubectl create -f - <<< \"{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.nvidia.com}, "
              "spec: {selectors: [{cel: {expression: device.driver == 'gpu.nvidia.com'}}]}}\""};
    case Kind::kSetNotReady: return {"what they say is below", ""};
    case Kind::kSetFitsNoNode:
    case Kind::kSetIncomplete:
    case Kind::kSetWithoutPods: return SetAdvice(f);
    case Kind::kSeveralSets:
      return {"two agents on one node serve the same GPUs; uninstall one, or give each its own nodes (kubeletPlugin.nodeSelector)", ""};
    case Kind::kNvidiasDriver:
      return {
          "the two cannot serve a node together. Drain the Pods that use GPUs, uninstall it (or, where it is needed for ComputeDomains, "
          "set its resources.gpus.enabled=false), then install allot; claims, templates and classes stay as they are (docs/chart.md, "
          "\"Moving over from NVIDIA's driver\")",
          StrCat("helm uninstall ", f.release.name, " -n ", f.release.namespace_name)};
    case Kind::kNoGpusOfUp:
      return {"its log says why: it found no driver, or was told --gpus none. To simulate some:", "allot up --gpus rtx3090:2"};
    case Kind::kNotInstalled: return {"install it:", kInstall};
    case Kind::kNotByChart: return {"let Kubernetes run them, so that they come back after a reboot:", kInstall};
    case Kind::kNoAgent:
      return {
          "if there are GPUs: set kubeletPlugin.nodeSelector, .tolerations or .affinity of the chart so that it runs there; else all "
          "is well",
          ""};
    case Kind::kImage:
      return {
          "is that the right image and tag (image.repository, image.tag), may the node pull it (imagePullSecrets), or was it loaded "
          "there?",
          StrCat("kubectl describe pod ", AgentWords(f))};
    case Kind::kAgentEnded: return TroubleAdvice(f.trouble, f.release, AgentWords(f) + (f.exit_code.empty() ? "" : " --previous"));
    case Kind::kAgentUnready: return TroubleAdvice(f.trouble, f.release, AgentWords(f));
    case Kind::kAgentStarts:
      return {"give it a minute; if it stays so, its events say why:", StrCat("kubectl describe pod ", AgentWords(f))};
    case Kind::kLacksRights: return {"the chart's ClusterRole and its binding have them; put them back:", HelmUpgrade(f.release)};
    case Kind::kLacksOwnRights: return {"the chart's Role and its binding have that; put them back:", HelmUpgrade(f.release)};
    case Kind::kNodeNotReady:
      return {"it takes no Pods, so its GPUs stay unused; look at kubelet and the container runtime there:", "kubectl get nodes -o wide"};
    case Kind::kNodeCordoned: return {"when its maintenance is over:", "kubectl uncordon NODE"};
    case Kind::kNoGpus: return {"if there are some, its agent says why they are not:", LogsCommand(f.release)};
    case Kind::kNotShared:
      return {
          "each goes to one claim as a whole. That is mode: exclusive of the node config (docs/node-config.md), or another driver than "
          "allot offers them; if that is intended, nothing needs to change",
          ""};
    case Kind::kNoGpuAtAll:
      return {"are there nodes with NVIDIA GPUs, does an agent run there, and is the NVIDIA driver installed? The agents say it:",
              LogsCommand(f.release)};
    case Kind::kNoRuntime: return {"does kubelet run there?", "kubectl get nodes -o wide"};
    case Kind::kRuntimeTooOld:
    case Kind::kRuntimeCdiOff:
    case Kind::kRuntimeOldDevices:
    case Kind::kRuntimeIsDocker:
    case Kind::kRuntimeNotKnown: return RuntimeAdvice(f);
    case Kind::kPluginToo:
      return {"drain the node and remove the device plugin there:", "kubectl get daemonsets -A | grep -i device-plugin"};
    case Kind::kPoolIncomplete: return {"wait a minute; if it stays so, restart the agent of the node", ""};
    case Kind::kUnhealthy:
      return {
          "it gets no new Pods. End those that hold it (`allot status`), then reset it on the node; it comes back by itself, five "
          "minutes after it is well",
          StrCat("nvidia-smi --gpu-reset -i ", UuidWord(f.uuid))};
    case Kind::kNoCdiDevice:
      return {
          "CDI is off in the runtime, or it reads other folders than the agent writes to. containerd: enable_cdi = true, "
          "cdi_spec_dirs = [\"/etc/cdi\", \"/var/run/cdi\"]; CRI-O: cdi_spec_dirs; the agent writes to /var/run/cdi "
          "(kubeletPlugin.cdiDirectoryPath). What is there, on the node:",
          "ls -l /var/run/cdi /etc/cdi"};
    case Kind::kNotRegistered:
      return {StrCat("the agent of ", f.name, " does not run, or has not registered with kubelet:"),
              StrCat("kubectl get pods -A -l ", view::kOurLabel, " --field-selector spec.nodeName=", f.name)};
    case Kind::kNotPrepared: return TroubleAdvice(f.trouble, f.release, StrCat("-n ", f.release.namespace_name, " -l ", view::kOurLabel));
    case Kind::kUnreadable:
      return {"what it offers or holds is not counted here; correct it, or delete it and let its owner create it again", ""};
    case Kind::kOvercommitted:
      return {"two schedulers, or a person by hand, allocated it; end Pods until it fits:", StrCat("allot status ", f.node)};
    case Kind::kGone: {
      const size_t slash = f.names[0].find('/');
      return {"if the agent of the node was removed, install it again; if the GPU was, end the Pods:",
              StrCat("allot describe claim -n ", f.names[0].substr(0, slash), " ", f.names[0].substr(slash + 1))};
    }
    default: return {};  // all of them are ok
  }
}

}  // namespace

Advice AdviceFor(const Finding& finding) { return finding.verdict == Finding::Verdict::kOk ? Advice() : AdviceOf(finding); }

}  // namespace allot::cli
