#include "apiserver/controllers/claim_release.h"

#include "apiserver/controllers/pods.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kClaims = "resourceclaims.resource.k8s.io";
constexpr std::string_view kFinalizer = "resource.kubernetes.io/delete-protection";

bool IsOfPod(const json::Value& reservation) {
  return json::TextOf(reservation["apiGroup"]).empty() && json::TextOf(reservation["resource"]) == "pods";
}

bool IsReserved(const json::Value& claim) { return !json::ItemsOf(claim["status"]["reservedFor"]).empty(); }
bool IsAllocated(const json::Value& claim) { return !claim["status"]["allocation"].IsNull(); }

}  // namespace

void ClaimRelease::Notice(const Sight& sight) {
  if (sight.Is(kClaims)) {
    std::vector<std::string> pods;
    if (!sight.deleted()) {
      pods = OwnersOf(sight.json());
      for (const json::Value& one : json::ItemsOf(sight.json()["status"]["reservedFor"])) pods.emplace_back(json::TextOf(one["uid"]));
      Add(sight.key());
    }
    users_.Set(sight.key(), std::move(pods));
  } else if (sight.Is("pods") && users_.Any(sight.uid())) {
    if (!sight.deleted() && !IsDone(sight.json())) return;
    for (const Key& claim : users_.Of(sight.uid())) Add(claim);
  }
}

Result<Again> ClaimRelease::Reconcile(const Key& key) {
  std::optional<Stored> claim = Read(store(), key);
  if (!claim) return Again();
  if (IsReserved(claim->json()) || IsDeleting(claim->json())) TRY(DropReservations(*claim));
  claim = Read(store(), key);
  if (!claim || IsReserved(claim->json())) return Again();
  TRY(DropFinalizer(*claim));
  TRY(DeleteIfPodIsDone(*claim));
  return Again();
}

// Keeps a reservation for anything other than a Pod, because its state is unknown.
bool ClaimRelease::IsUsed(const std::string& space, const json::Value& reservation) const {
  if (!IsOfPod(reservation)) return true;
  const std::optional<Stored> pod = Read(store(), {"pods", space, std::string(json::TextOf(reservation["name"]))});
  return pod && pod->uid() == json::TextOf(reservation["uid"]) && !IsDone(pod->json());
}

// Removes reservations and allocation in one write: otherwise the scheduler could give the devices to another claim while the allocation is
// still stored.
Status ClaimRelease::DropReservations(const Stored& claim) {
  bool deallocated = false;
  TRY(Change(TargetOf(claim.key(), "status"), claim.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    const auto reserved = json::ItemsOf(stored["status"]["reservedFor"]);
    std::vector<json::Value> used;
    for (const json::Value& one : reserved) {
      if (IsUsed(claim.key().space, one)) used.push_back(one);
    }
    const bool unused_now = used.empty() && (!reserved.empty() || IsDeleting(stored));
    deallocated = unused_now && HasFinalizer(stored, kFinalizer);
    json::Value changed = stored;
    if (used.size() < reserved.size()) {
      changed = used.empty() ? edit.WithoutAt(changed, {"status", "reservedFor"})
                             : edit.SetAt(changed, {"status", "reservedFor"}, edit.Array(used));
    }
    if (deallocated && IsAllocated(stored)) changed = edit.WithoutAt(changed, {"status", "allocation"});
    return changed;
  }));
  if (!deallocated) return Status();
  return Change(TargetOf(claim.key()), claim.uid(), [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    // The scheduler may have allocated the claim again meanwhile.
    return IsAllocated(stored) || IsReserved(stored) ? stored : WithoutFinalizer(edit, stored, kFinalizer);
  });
}

Status ClaimRelease::DropFinalizer(const Stored& claim) {
  if (!IsDeleting(claim.json()) || !HasFinalizer(claim.json(), kFinalizer)) return Status();
  return Change(TargetOf(claim.key()), claim.uid(), [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    return IsAllocated(stored) || IsReserved(stored) ? stored : WithoutFinalizer(edit, stored, kFinalizer);
  });
}

// If the Pod is gone, the garbage collector deletes the claim.
Status ClaimRelease::DeleteIfPodIsDone(const Stored& claim) {
  const json::Value* owner = ControllerOf(claim.json());
  if (owner == nullptr || IsDeleting(claim.json())) return Status();
  if (json::TextOf((*owner)["apiVersion"]) != "v1" || json::TextOf((*owner)["kind"]) != "Pod") return Status();
  const std::optional<Stored> pod = Read(store(), {"pods", claim.key().space, std::string(json::TextOf((*owner)["name"]))});
  if (!pod || (pod->uid() == json::TextOf((*owner)["uid"]) && !IsDone(pod->json()))) return Status();
  return Delete(TargetOf(claim.key()), claim.uid());
}

}  // namespace allot::apiserver
