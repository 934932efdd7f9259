#pragma once
// The Node object of a node that this process runs, and its heartbeat: what kubelet would write.
//
// As kubelet does it, the Lease in kube-node-lease is renewed often and the conditions seldom: whoever watches nodes is not woken for
// nothing.

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "local/machine.h"

namespace allot::local {

inline constexpr char kLocalLabel[] = "allot.dev/local";          // "true": an `allot up` made the node
inline constexpr char kSimulatedLabel[] = "allot.dev/simulated";  // "true": its GPUs are not there

inline constexpr std::chrono::seconds kBeatEvery{10};

class NodeObject {
 public:
  struct Facts {
    std::string name;
    Machine machine;
    bool simulated = false;
    std::string runtime;  // of its Pods, as containerRuntimeVersion says it
  };

  // Both must outlive it.
  NodeObject(Facts facts, kube::Client& client, const Clock& clock) : facts_(std::move(facts)), client_(client), clock_(clock) {}

  // Makes the Node, or brings one of an earlier start up to date: ready, with the machine's capacity.
  Status Write(const http::Patience& patience);
  // Says that the node lives, every kBeatEvery. A Node that somebody deleted is made again.
  Status Beat(const http::Patience& patience);

 private:
  Status Make(const http::Patience& patience);
  Status RenewLease(const http::Patience& patience);

  const Facts facts_;
  kube::Client& client_;
  const Clock& clock_;
  MonotonicTime written_{};  // the conditions
};

// Says that the node of that name does not work: nothing new comes to it.
Status MarkNotReady(kube::Client& client, const std::string& name, std::string_view why, WallTime now, const http::Patience& patience);

}  // namespace allot::local
