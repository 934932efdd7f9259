#pragma once
// The Node object of a node that this process runs, and its heartbeat, as kubelet writes them.
//
// Like kubelet, it renews the Lease in kube-node-lease often and the conditions seldom, so that watches of nodes see few events.

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "local/machine.h"
#include "view/nodes.h"

namespace allot::local {

using view::kLocalLabel;
inline constexpr char kSimulatedLabel[] = "allot.dev/simulated";  // "true": its GPUs are not there

inline constexpr std::chrono::seconds kHeartbeatEvery{10};

class NodeObject {
 public:
  struct Facts {
    std::string name;
    Machine machine;
    bool simulated = false;
    std::string runtime;  // containerRuntimeVersion
  };

  // `client` and `clock` must outlive this object.
  NodeObject(Facts facts, kube::Client& client, const Clock& clock) : facts_(std::move(facts)), client_(client), clock_(clock) {}

  // Creates the Node, or updates that of an earlier start: ready, with the machine's capacity.
  Status Write(const Patience& patience);
  // Renews the heartbeat; called every kHeartbeatEvery. Creates a deleted Node again.
  Status RenewHeartbeat(const Patience& patience);

 private:
  Status Make(const Patience& patience);
  Status RenewLease(const Patience& patience);

  const Facts facts_;
  kube::Client& client_;
  const Clock& clock_;
  MonotonicTime written_{};  // when the conditions were last written
};

// Marks the node of that name as not ready, so that it gets no new Pods.
Status MarkNotReady(kube::Client& client, const std::string& name, std::string_view why, WallTime now, const Patience& patience);

}  // namespace allot::local
