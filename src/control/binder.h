#pragma once
// Carries out a decision: writes the claims of a Pod, then binds it.
//
// Promises:
//   1. a Pod is bound only when all its claims are allocated and reserved for it, and their devices are ready (binding_conditions.h);
//   2. claims are taken back only where the server refused the rest and the Pod is not bound. After a write without an answer, the claims
//      stay the Pod's, as after a crash, until the same decision is tried again or undone;
//   3. if an unacknowledged binding arrives while the claims are taken back, the Pod gets them again: the placement counts until then.
// A binding that arrives even later leaves a bound Pod without devices. Its node refuses to prepare it. (A Binding could carry the
// version of the Pod, but then every write into the Pod's status would make the server refuse it.)
// Thread-safe, but two jobs must not work on the same claim at the same time.

#include <optional>
#include <string>
#include <vector>

#include "control/claim_writer.h"
#include "sched/queue.h"

namespace allot::control {

class Binder {
 public:
  // All arguments must outlive the binder.
  Binder(kube::Client& client, kube::MutationCache& claims, const Clock& clock)
      : client_(client), clock_(clock), known_(claims), claims_(client, claims, clock) {}

  // kUnavailable: something may be written, or devices are not ready; try the same again later. Other errors: the server refused, and the
  // claims were taken back; `claims` has their versions. `again`: an earlier try may have written something.
  Status Bind(const sched::Placed& placed, bool again, const Patience& patience);
  // Takes back a decision that ended with kUnavailable and is not wanted any more. Ok: the Pod is bound as decided after all. kConflict:
  // nothing of it is in the claims, nor will be; or the Pod is bound elsewhere and keeps its claims. kUnavailable: not known; try again
  // later.
  Status Undo(const sched::Placed& placed, const Patience& patience);
  // Takes back the allocation of a claim that ties an unbound Pod to a node where it does not fit. Does nothing where the claim has other
  // users, or the Pod is bound.
  Status Free(const sched::Pod& pod, const ClaimName& claim, const Patience& patience);

 private:
  struct Done {
    ClaimName claim;
    Written wrote;
  };
  struct PodState {
    bool there = false;  // a Pod with the same uid exists
    std::string node;    // empty: not bound
  };

  Status WriteClaims(const sched::Placed& placed, std::vector<Done>& written, const Patience& patience);
  Status CheckReady(const sched::Placed& placed, std::vector<Done>& written);
  Status UndoClaims(const sched::Placed& placed, const Patience& patience);
  Status PostBinding(const sched::Placed& placed, const Patience& patience);
  // Ok where the Pod is bound as decided; kConflict, naming the other node, where it is bound elsewhere; nullopt where it is not bound.
  static std::optional<Status> AsBound(const sched::Placed& placed, const PodState& state);
  // The same after a try without an answer. The claims keep what they have and are read into `claims`. Where the Pod is bound as decided,
  // the missing part of its allocations is written.
  std::optional<Status> SettleBound(const sched::Placed& placed, const PodState& state, const Patience& patience);
  // Returns `refusal` where the Pod is not bound.
  Status LookAfterUndo(const sched::Placed& placed, Status refusal, const Patience& patience);
  Result<PodState> Look(const sched::Pod& pod, const Patience& patience);

  kube::Client& client_;
  const Clock& clock_;
  kube::MutationCache& known_;
  ClaimWriter claims_;
};

// "gpu-0 6144 MiB, gpu-1": the devices of the placement; empty: none.
std::string DevicesOf(const sched::Placed& placed);

}  // namespace allot::control
