#pragma once
// Carries out a decision: writes the claims of a Pod, then binds it.
//
// Promises:
//   1. a Pod is bound only when all its claims are allocated and reserved for it, and their devices are ready (binding_conditions.h);
//   2. what was written is taken back only where the server refused the rest and the Pod is bound nowhere. Where it is not known whether a
//      write arrived, all stays as after a crash: the claims are the Pod's, until the same decision is tried again, or undone;
//   3. where a binding that nobody knew of arrives while its claims are taken back, the Pod gets them again: its place is kept until then.
// One that arrives later still, when all was taken back and looked at once more, leaves a Pod without its devices, which its node refuses
// to prepare: a Binding could carry the version of the Pod, but then every write into the Pod's status would have it refused.
// Thread-safe; jobs of the same claim must come one after the other.

#include <optional>
#include <string>
#include <vector>

#include "control/claim_writer.h"
#include "sched/queue.h"

namespace allot::control {

class Binder {
 public:
  // All must outlive it.
  Binder(kube::Client& client, kube::MutationCache& claims, const Clock& clock)
      : client_(client), clock_(clock), known_(claims), claims_(client, claims, clock) {}

  // kUnavailable: not known whether it was written, or not yet possible; try the same again later. Else it was refused, and taken back:
  // what claims still have, `claims` knows. `again`: an earlier try may have written something that nobody knows of.
  Status Bind(const sched::Placed& placed, bool again, const http::Patience& patience);
  // Of a decision that ended with kUnavailable, and is not wanted any more. Ok: the Pod was bound there all the same. kConflict: nothing of
  // it is written, nor will be of its claims, or the Pod is bound elsewhere and keeps what its claims have. kUnavailable: not known; try
  // again later.
  Status Undo(const sched::Placed& placed, const http::Patience& patience);
  // Takes the allocation of a claim back that keeps the Pod, which is bound nowhere, from going where it could. Does nothing where the
  // claim is for others too, or the Pod is bound.
  Status Free(const sched::Pod& pod, const ClaimName& claim, const http::Patience& patience);

 private:
  struct Done {
    ClaimName claim;
    Written wrote;
  };
  struct PodState {
    bool there = false;  // the same one
    std::string node;    // empty: bound nowhere
  };

  Status WriteClaims(const sched::Placed& placed, std::vector<Done>& written, const http::Patience& patience);
  Status CheckReady(const sched::Placed& placed, std::vector<Done>& written);
  Status UndoClaims(const sched::Placed& placed, const http::Patience& patience);
  Status PostBinding(const sched::Placed& placed, const http::Patience& patience);
  // What the decision has come to where the Pod is bound: Ok, or kConflict with the other node. Nothing: it is bound nowhere.
  static std::optional<Status> AsBound(const sched::Placed& placed, const PodState& state);
  // The same after a try of which nobody knows what arrived: what the claims have stays, and is known from then on. Where it is bound as
  // decided, what of that they do not have is written.
  std::optional<Status> SettleBound(const sched::Placed& placed, const PodState& state, const http::Patience& patience);
  // `refusal`, where it is bound nowhere.
  Status LookAfterUndo(const sched::Placed& placed, Status refusal, const http::Patience& patience);
  Result<PodState> Look(const sched::Pod& pod, const http::Patience& patience);

  kube::Client& client_;
  const Clock& clock_;
  kube::MutationCache& known_;
  ClaimWriter claims_;
};

// "gpu-0 6144 MiB, gpu-1": the devices that the Pod gets; empty: none.
std::string DevicesOf(const sched::Placed& placed);

}  // namespace allot::control
