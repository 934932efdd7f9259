#pragma once
// What a check of the cluster found, good or bad, as a value. cli/doctor has the sentences, the advice and the commands.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/trouble.h"
#include "view/devices.h"

namespace allot::view {

inline constexpr std::string_view kChart = "nvidia-dra-driver-gpu";               // NVIDIA's own chart has this name, too
inline constexpr std::string_view kOurLabel = "app.kubernetes.io/part-of=allot";  // of our DaemonSet and its Pods

// The first minor version of Kubernetes 1.x that has the feature gates of DRA on by default.
inline constexpr int kSharesByDefault = 36;

// Where the chart is installed.
struct Release {
  std::string name{kChart}, namespace_name{kChart};

  bool operator==(const Release&) const = default;
};

using model::Trouble;
// Returns what the message of an agent is about, as far as there is advice.
Trouble TroubleOf(std::string_view message);
// The newest line of an agent's log (text or JSON) that is a warning or an error, without time and level; empty: there is none.
std::string LastTrouble(std::string_view log);

struct Finding {
  enum class Check { kServer, kResourceApi, kGates, kClass, kAgents, kPermissions, kNodes, kPods, kClaims };
  enum class Verdict { kOk, kWarning, kFailed, kUnknown };
  // Each kind lists the members that it sets.
  enum class Kind {
    kNotSeen,       // verb, resource, forbidden, message
    kGatesNotSeen,  // names: the gates; verb, resource, forbidden, message

    // kServer, kResourceApi
    kServerFailed,   // message
    kVersionHidden,  // name: the server, message
    kNoVersion,      // name: the server
    kTooOld,         // name, version
    kServerOk,       // name, version
    kResourceApiOk,
    kNoResourceApi,

    // kGates: of the API server, or of kube-scheduler
    kGateOn,            // name
    kGateOff,           // name, minor
    kSchedulerGateOff,  // minor, claim, device
    kSchedulerNotKnown,

    // kClass
    kClassOk,  // resource: that the class stands for; may be empty
    kClassSelectsOthers,
    kClassMissing,

    // kAgents
    kSetOk,           // name, count: ready Pods, total: wanted Pods
    kSetNotReady,     // the same
    kSetFitsNoNode,   // the same
    kSetIncomplete,   // the same, made
    kSetWithoutPods,  // the same
    kSeveralSets,     // count
    kNvidiasDriver,   // name: the DaemonSet, release
    kAgentsOfUp,
    kNoGpusOfUp,
    kNotInstalled,
    kNotByChart,    // names: nodes that offer GPUs
    kNoAgent,       // taint, or names: the label and its value that the DaemonSet wants, or affinity; none: not known why
    kImage,         // reason, name: the image, message, pod
    kAgentEnded,    // reason, exit_code, message, trouble, pod, release
    kAgentUnready,  // message, error: why the log cannot be seen; trouble, pod, release
    kAgentStarts,   // message, pod

    // kPermissions
    kRightsOk,        // name: the user
    kLacksRights,     // name, names: the rights, release
    kLacksOwnRights,  // the same, and resource: the namespace

    // kNodes
    kNodeNotReady,  // message
    kNodeCordoned,
    kNoGpus,       // release
    kNotShared,    // count
    kGpusOk,       // count, total: shared ones
    kNoGpuAtAll,   // release
    kRuntimeOk,    // version
    kRuntimeOfUp,  // version
    kNoRuntime,
    kRuntimeTooOld,      // version, name: "containerd" or "cri-o": it knows no CDI
    kRuntimeCdiOff,      // version: containerd, where CDI is off by default
    kRuntimeOldDevices,  // version: CRI-O, which takes CDI devices by annotations only
    kRuntimeIsDocker,    // version
    kRuntimeNotKnown,    // version
    kPluginToo,          // name: the amount of nvidia.com/gpu
    kPoolIncomplete,     // count, total: slices
    kUnhealthy,          // taint, uuid

    // kPods
    kNoCdiDevice,    // message
    kNotRegistered,  // message, name: the node
    kNotPrepared,    // message, trouble, release
    kPodsOk,

    // kClaims
    kUnreadable,     // reason: the kind of the object, name, message
    kOvercommitted,  // device, count: held MiB, total: MiB of the device, names: the claims
    kGone,           // device, names
    kClaimsOk,
  };

  Check check = Check::kServer;
  Verdict verdict = Verdict::kOk;
  Kind kind = Kind::kServerOk;
  std::vector<std::string> subjects{};  // nodes, devices or Pods that have the same finding; empty: it is about the cluster
  std::string name{}, message{}, error{}, reason{}, verb{}, resource{}, version{}, claim{}, exit_code{};
  std::vector<std::string> names{};
  int minor = 0;
  int64_t count = 0, total = 0, made = 0;
  bool forbidden = false, affinity = false;
  Release release{};
  Trouble trouble = Trouble::kOther;
  std::optional<DeviceTaint> taint{};
  std::string device{}, node{};        // of kOvercommitted and kGone: "n1/gpu-0", and its node
  std::string pod_namespace{}, pod{};  // of an agent
  std::string uuid{};
};
using Findings = std::vector<Finding>;

// Findings about several nodes, devices or Pods. Equal ones become one, which has all subjects.
class FindingGroups {
 public:
  void Add(std::string_view subject, Finding finding);
  void Take(Findings& findings);

 private:
  Findings groups_;
};

}  // namespace allot::view
