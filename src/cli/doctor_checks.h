#pragma once
// The checks of `allot doctor`. Each adds what it found, good or bad.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/listing.h"
#include "cli/session.h"
#include "cli/status_devices.h"

namespace allot::cli {

enum class Verdict { kOk, kWarning, kFailed, kUnknown };

struct Finding {
  std::string check;  // which one, for programs: "server", "gates", "agents", ...
  Verdict verdict = Verdict::kOk;
  std::string text;       // what was looked at, with what was found
  std::string advice{};   // what to do; empty where it is ok
  std::string command{};  // that does it, or says more; may be empty
};
using Findings = std::vector<Finding>;

inline constexpr std::string_view kChart = "nvidia-dra-driver-gpu";               // NVIDIA's has this name, too
inline constexpr std::string_view kOurLabel = "app.kubernetes.io/part-of=allot";  // of our DaemonSet and its Pods

// Where the chart is installed, as its DaemonSet says.
struct Release {
  std::string name{kChart}, namespace_name{kChart};
};
Release ReleaseOf(const kube::Object& daemon_set);
// The command; `more`: further flags.
std::string HelmUpgrade(const Release& release, std::string_view more = "");

// GPUs that a node offers; of them, those that are shared.
struct Offered {
  size_t gpus = 0, shared = 0;
};

// What several checks look at, read once.
struct ClusterFacts {
  int minor = 0;  // of Kubernetes 1.x; 0: not known
  Listing nodes, slices, claims, classes;
  Listing daemon_sets, agents;  // of the chart; agents are Pods that are not being deleted
  Listing nvidias_sets;         // of NVIDIA's own chart, asked for where there is none of ours
  Release release;              // of the first DaemonSet; the usual one where there is none
  Listing pending, events;      // Pods that do not run, and failed preparations
  std::vector<DeviceStatus> devices;
  std::map<std::string, Offered> offered;  // by node; those without memory are among them
};
// Agents are looked for in the namespace, or in all.
void ReadCluster(Session& session, std::string_view namespace_name, ClusterFacts& facts);

// False: there is nobody to ask the rest.
bool CheckServer(Session& session, ClusterFacts& facts, Findings& findings);
// False: there are no claims and slices to look at.
bool CheckResourceApi(Session& session, Findings& findings);
// Which fields the API server drops, seen by dry runs.
void CheckGates(Session& session, const ClusterFacts& facts, Findings& findings);
void CheckClass(const ClusterFacts& facts, Findings& findings);
// The DaemonSets: whose they are, whether they have their Pods.
void CheckSets(const ClusterFacts& facts, Findings& findings);
// Nodes that they leave out.
void CheckBareNodes(const ClusterFacts& facts, Findings& findings);
// Their Pods: are they ready, and if not, what do they say.
void CheckAgents(Session& session, const ClusterFacts& facts, Findings& findings);
// What the agents' service accounts may do.
void CheckPermissions(Session& session, const ClusterFacts& facts, Findings& findings);
// Their GPUs, runtime, faults, and rivals.
void CheckNodes(const ClusterFacts& facts, Findings& findings);
// Pods that do not start because of their devices.
void CheckPods(Session& session, const ClusterFacts& facts, Findings& findings);
// What is held of devices that are gone, or more than there is.
void CheckClaims(const ClusterFacts& facts, Findings& findings);

// "nodes: not seen, ...", with the right that is missing.
Finding CannotSee(std::string_view check, std::string_view verb, std::string_view resource, const Status& status);

// Findings of the same words become one, with the names that they are about: "n1, n2 and 3 more: 2 GPUs are offered".
class ByNode {
 public:
  void Add(std::string_view node, Finding finding);
  void Take(Findings& findings, std::string_view before = "");

 private:
  std::vector<std::pair<Finding, std::vector<std::string>>> groups_;
};

// The newest line of an agent's log (text or JSON) that is a warning or an error, without time and level; empty: there is none.
std::string LastTrouble(std::string_view log);
// Fills in what to do about something that an agent says. `pod`: "-n NAMESPACE NAME", for the command that shows more.
void Advise(std::string_view message, std::string_view pod, const Release& release, Finding& finding);

}  // namespace allot::cli
