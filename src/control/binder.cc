#include "control/binder.h"

#include "control/binding_conditions.h"
#include "json/builder.h"
#include "json/json.h"
#include "model/memory.h"

namespace allot::control {
namespace {

ClaimName NameOf(const sched::Claim& claim) {
  return {std::string(claim.claim.name_space), std::string(claim.claim.name), std::string(claim.claim.uid)};
}

ClaimUser UserOf(const sched::Pod& pod) { return {std::string(pod.pod.name), std::string(pod.pod.uid)}; }

std::string BindingJson(const sched::Pod& pod, std::string_view node) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  b.Key("apiVersion"), b.String("v1");
  b.Key("kind"), b.String("Binding");
  b.Key("metadata"), b.StartObject();
  b.Key("name"), b.String(pod.pod.name);
  b.Key("namespace"), b.String(pod.pod.name_space);
  b.Key("uid"), b.String(pod.pod.uid);
  b.EndObject();
  b.Key("target"), b.StartObject();
  b.Key("apiVersion"), b.String("v1");
  b.Key("kind"), b.String("Node");
  b.Key("name"), b.String(node);
  b.EndObject();
  b.EndObject();
  return json::Write(b.Finish());
}

// Any error becomes kUnavailable: the outcome of the decision is not known.
Status Unsure(const Status& status) { return status.ok() ? status : Unavailable(status.message()); }

std::string DeviceText(const model::DeviceResult& result) {
  std::string text(result.device);
  const std::optional<model::MiB> taken = model::MemoryTaken(result);
  if (taken && !result.admin_access) text += StrCat(" ", taken->ToString());
  return text;
}

}  // namespace

std::string DevicesOf(const sched::Placed& placed) {
  std::vector<std::string> devices;
  size_t next = 0;
  for (const sched::ClaimPtr& claim : placed.asking.claims) {
    const model::Allocation& allocation = claim->claim.allocation ? *claim->claim.allocation : placed.allocations[next++];
    for (const model::DeviceResult& result : allocation.results) devices.push_back(DeviceText(result));
  }
  return Join(devices, ", ");
}

Status Binder::WriteClaims(const sched::Placed& placed, std::vector<Done>& written, const Patience& patience) {
  const ClaimUser user = UserOf(*placed.asking.pod);
  size_t next = 0;
  for (const sched::ClaimPtr& claim : placed.asking.claims) {
    const ClaimName name = NameOf(*claim);
    ASSIGN_OR_RETURN(const Written wrote, claim->claim.allocation ? claims_.Reserve(name, *claim->claim.allocation, user, patience)
                                                                  : claims_.Allocate(name, placed.allocations[next++], user, patience));
    if (wrote != Written::kNothing) written.push_back({name, wrote});
  }
  return Status();
}

// Adds a claim whose devices failed to get ready to `written`, so that its allocation is taken back.
Status Binder::CheckReady(const sched::Placed& placed, std::vector<Done>& written) {
  size_t next = 0;
  for (const sched::ClaimPtr& claim : placed.asking.claims) {
    const model::Allocation& allocation = claim->claim.allocation ? *claim->claim.allocation : placed.allocations[next++];
    const kube::ObjectPtr object = known_.Get(claim->claim.name_space, claim->claim.name);
    if (object == nullptr) return Conflict("claim ", claim->key, " is gone");
    Status status = CheckBindingConditions(object->json(), allocation, clock_.Now()).Context("claim ", claim->key);
    if (IsRefused(status)) written.push_back({NameOf(*claim), Written::kAllocation});
    if (!status.ok()) return status;
  }
  return Status();
}

Status Binder::PostBinding(const sched::Placed& placed, const Patience& patience) {
  const sched::Pod& pod = *placed.asking.pod;
  http::Request request{"POST",
                        kube::types::kPods.ObjectPath(pod.pod.name_space, pod.pod.name, "binding"),
                        {{"Accept", "application/json"}, {"Content-Type", "application/json"}},
                        BindingJson(pod, placed.node)};
  return client_.Raw(std::move(request), StrCat("bind pods ", pod.key), patience).status();
}

Result<Binder::PodState> Binder::Look(const sched::Pod& pod, const Patience& patience) {
  const Result<kube::ObjectPtr> found = client_.Get(kube::types::kPods, pod.pod.name_space, pod.pod.name, patience);
  if (!found.ok() && found.status().code() == Code::kNotFound) return PodState();
  if (!found.ok()) return found.status();
  if ((*found)->uid() != pod.pod.uid) return PodState();
  return PodState{true, std::string(kube::Object::Text((*found)->json()["spec"]["nodeName"]))};
}

Status Binder::UndoClaims(const sched::Placed& placed, const Patience& patience) {
  const ClaimUser user = UserOf(*placed.asking.pod);
  size_t next = 0;
  for (const sched::ClaimPtr& claim : placed.asking.claims) {
    TRY(Unsure(claim->claim.allocation ? claims_.Release(NameOf(*claim), user, false, patience)
                                       : claims_.Undo(NameOf(*claim), placed.allocations[next++], user, patience)));
  }
  return Status();
}

std::optional<Status> Binder::AsBound(const sched::Placed& placed, const PodState& state) {
  if (state.node.empty()) return std::nullopt;
  if (state.node == placed.node) return Status();
  return Conflict("pod ", placed.asking.pod->key, " was bound to node ", state.node, " by another scheduler");
}

std::optional<Status> Binder::SettleBound(const sched::Placed& placed, const PodState& state, const Patience& patience) {
  const std::optional<Status> bound = AsBound(placed, state);
  if (!bound) return std::nullopt;
  const ClaimUser user = UserOf(*placed.asking.pod);
  size_t next = 0;
  for (const sched::ClaimPtr& claim : placed.asking.claims) {
    const model::Allocation* decided = claim->claim.allocation ? nullptr : &placed.allocations[next++];
    if (bound->ok()) {
      const Status written = (decided == nullptr ? claims_.Reserve(NameOf(*claim), *claim->claim.allocation, user, patience)
                                                 : claims_.Allocate(NameOf(*claim), *decided, user, patience))
                                 .status();
      if (!written.ok() && !IsRefused(written)) return Unsure(written);
    }
    if (const Status settled = claims_.Settle(NameOf(*claim), patience); !settled.ok()) return Unsure(settled);
  }
  return bound;
}

Status Binder::LookAfterUndo(const sched::Placed& placed, Status refusal, const Patience& patience) {
  const Result<PodState> state = Look(*placed.asking.pod, patience);
  if (!state.ok()) return Unsure(state.status());
  const std::optional<Status> bound = SettleBound(placed, *state, patience);
  return bound ? *bound : refusal;
}

Status Binder::Bind(const sched::Placed& placed, bool again, const Patience& patience) {
  const sched::Pod& pod = *placed.asking.pod;
  if (again) {
    const Result<PodState> state = Look(pod, patience);
    if (!state.ok()) return Unsure(state.status());
    if (const std::optional<Status> bound = SettleBound(placed, *state, patience)) return *bound;
  }
  std::vector<Done> written;
  Status status = WriteClaims(placed, written, patience);
  if (status.ok()) status = CheckReady(placed, written);
  const bool posted = status.ok();
  if (posted) status = PostBinding(placed, patience);
  if (!IsRefused(status)) return status;
  // A bound Pod keeps its claims, whether this binding, an earlier one or another scheduler bound it.
  if (posted || again) {
    const Result<PodState> now = Look(pod, patience);
    if (!now.ok()) return Unsure(now.status());
    if (const std::optional<Status> bound = AsBound(placed, *now)) return *bound;
  }
  for (const auto& [claim, wrote] : written) {
    if (!claims_.Release(claim, UserOf(pod), wrote == Written::kAllocation, patience).ok())
      return again ? Unavailable("pod ", pod.key, ": what was written could not be taken back") : status;
  }
  if (!again) return status;
  TRY(UndoClaims(placed, patience));
  return LookAfterUndo(placed, std::move(status), patience);
}

Status Binder::Undo(const sched::Placed& placed, const Patience& patience) {
  const sched::Pod& pod = *placed.asking.pod;
  const Result<PodState> state = Look(pod, patience);
  if (!state.ok()) return Unsure(state.status());
  if (const std::optional<Status> bound = SettleBound(placed, *state, patience)) return *bound;
  TRY(UndoClaims(placed, patience));
  Status refusal =
      Conflict("pod ", pod.key, state->there ? " was not bound to node " : " is gone, and was not bound to node ", placed.node);
  return state->there ? LookAfterUndo(placed, std::move(refusal), patience) : refusal;
}

Status Binder::Free(const sched::Pod& pod, const ClaimName& claim, const Patience& patience) {
  ASSIGN_OR_RETURN(const PodState state, Look(pod, patience));
  if (!state.there || !state.node.empty()) return Status();
  return claims_.Deallocate(claim, UserOf(pod), patience);
}

}  // namespace allot::control
