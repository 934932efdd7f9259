#include "control/claim_writer.h"

#include <algorithm>

#include "json/editor.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::control {
namespace {

using kube::ObjectPtr;

constexpr int kTries = 8;  // for one write that conflicts with other writers

bool IsThis(const json::Value& stored, const model::Allocation& allocation) {
  const Result<model::Allocation> read = model::Allocation::Read(stored);
  return read.ok() && model::SameDevices(*read, allocation);
}

bool IsAllocated(const kube::Object& claim) { return !claim.json()["status"]["allocation"].IsNull(); }

bool IsFor(const json::Value& reservation, const ClaimUser& user) { return json::TextOf(reservation["uid"]) == user.uid; }

bool IsReservedFor(const kube::Object& claim, const ClaimUser& user) {
  const auto reserved = json::ItemsOf(claim.json()["status"]["reservedFor"]);
  return std::any_of(reserved.begin(), reserved.end(), [&](const json::Value& one) { return IsFor(one, user); });
}

bool HasFinalizer(const kube::Object& claim) {
  const auto finalizers = json::ItemsOf(claim.json()["metadata"]["finalizers"]);
  return std::any_of(finalizers.begin(), finalizers.end(), [](const json::Value& one) { return json::TextOf(one) == kClaimFinalizer; });
}

json::Value WithFinalizer(json::Editor& edit, const json::Value& claim) {
  return edit.SetAt(claim, {"metadata", "finalizers"}, edit.Append(claim["metadata"]["finalizers"], edit.Literal(kClaimFinalizer)));
}

json::Value WithoutFinalizer(json::Editor& edit, const json::Value& claim) {
  std::vector<json::Value> others;
  for (const json::Value& one : json::ItemsOf(claim["metadata"]["finalizers"])) {
    if (json::TextOf(one) != kClaimFinalizer) others.push_back(one);
  }
  return others.empty() ? edit.WithoutAt(claim, {"metadata", "finalizers"})
                        : edit.SetAt(claim, {"metadata", "finalizers"}, edit.Array(others));
}

// Removes the user, and with `allocation_too` the allocation when no user is left. One write does both: otherwise another scheduler could
// see an allocation without users and reserve it for a Pod of its own.
json::Value WithoutUser(json::Editor& edit, const json::Value& claim, const ClaimUser& user, bool allocation_too) {
  std::vector<json::Value> others;
  for (const json::Value& one : json::ItemsOf(claim["status"]["reservedFor"])) {
    if (!IsFor(one, user)) others.push_back(one);
  }
  if (!others.empty()) return edit.SetAt(claim, {"status", "reservedFor"}, edit.Array(others));
  const json::Value free = edit.WithoutAt(claim, {"status", "reservedFor"});
  return allocation_too ? edit.WithoutAt(free, {"status", "allocation"}) : free;
}

json::Value WithUser(json::Editor& edit, const json::Value& claim, const ClaimUser& user) {
  const json::Value entry =
      edit.Object({{"resource", edit.Literal("pods")}, {"name", edit.String(user.name)}, {"uid", edit.String(user.uid)}});
  return edit.SetAt(claim, {"status", "reservedFor"}, edit.Append(claim["status"]["reservedFor"], entry));
}

json::Value WithAllocation(json::Editor& edit, const json::Value& claim, const model::Allocation& allocation, WallTime now) {
  json::Builder builder(edit.arena());
  allocation.Write(builder);
  const json::Value written = edit.Set(builder.Finish(), "allocationTimestamp", edit.String(kube::WriteTime(now)));
  return edit.SetAt(claim, {"status", "allocation"}, written);
}

std::string FullName(const ClaimName& claim) { return StrCat("claim ", claim.name_space, "/", claim.name); }
std::string GaveUp(const ClaimName& claim) {
  return StrCat(FullName(claim), ": other writers keep changing it; gave up after ", kTries, " tries");
}

Status CheckUsable(const ClaimName& claim, const kube::Object& object) {
  if (!object.json()["metadata"]["deletionTimestamp"].IsNull()) return Conflict(FullName(claim), " is being deleted");
  return Status();
}

}  // namespace

bool IsRefused(const Status& status) {
  if (status.code() == Code::kConflict || status.code() == Code::kNotFound) return true;
  return status.code() == Code::kInvalid && kube::ApiErrorOf(status) != nullptr;
}

Result<ObjectPtr> ClaimWriter::Find(const ClaimName& claim, bool fresh, const Patience& patience) {
  ObjectPtr object = fresh ? nullptr : claims_.Get(claim.name_space, claim.name);
  const bool asked = object == nullptr;
  if (asked) {
    ASSIGN_OR_RETURN(object, client_.Get(kube::types::kResourceClaims, claim.name_space, claim.name, patience));
  }
  if (object->uid() != claim.uid) return NotFound(FullName(claim), " is gone; another one has its name");
  if (asked) claims_.Assume(object);
  return object;
}

Result<ObjectPtr> ClaimWriter::Put(const ClaimName& claim, const json::Value& object, std::string_view subresource,
                                   const Patience& patience) {
  ASSIGN_OR_RETURN(ObjectPtr written, client_.Update(kube::types::kResourceClaims, claim.name_space, claim.name, json::Write(object),
                                                     subresource, {}, patience));
  claims_.Assume(written);
  return written;
}

Status ClaimWriter::PutBack(const ClaimName& claim, const json::Value& object, const Patience& patience) {
  const Status status = Put(claim, object, "status", patience).status();
  const std::lock_guard lock(mutex_);
  if (status.ok() || IsRefused(status)) {
    late_.erase(claim.uid);
  } else {
    late_.insert_or_assign(claim.uid, Late{std::string(json::TextOf(object["metadata"]["resourceVersion"])), json::Write(object)});
  }
  return status;
}

Status ClaimWriter::FinishLate(const ClaimName& claim, const Patience& patience) {
  Late late;
  {
    const std::lock_guard lock(mutex_);
    const auto at = late_.find(claim.uid);
    if (at == late_.end()) return Status();
    late = at->second;
  }
  const Result<ObjectPtr> now = Find(claim, true, patience);
  Status status = now.status();
  if (now.ok() && (*now)->resource_version() == late.version) {
    const Result<ObjectPtr> written =
        client_.Update(kube::types::kResourceClaims, claim.name_space, claim.name, late.body, "status", {}, patience);
    status = written.status();
    if (written.ok()) claims_.Assume(*written);
  }
  if (!status.ok() && !IsRefused(status)) return status;
  const std::lock_guard lock(mutex_);
  late_.erase(claim.uid);
  return Status();
}

Result<Written> ClaimWriter::Allocate(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user,
                                      const Patience& patience) {
  TRY(FinishLate(claim, patience));
  Status status;
  for (int tries = 0; tries < kTries; ++tries) {
    ASSIGN_OR_RETURN(ObjectPtr object, Find(claim, tries > 0, patience));
    TRY(CheckUsable(claim, *object));
    if (IsAllocated(*object)) {
      // The answer to our own write may have been lost.
      if (IsThis(object->json()["status"]["allocation"], allocation)) {
        TRY(Reserve(claim, allocation, user, patience).status());
        return Written::kAllocation;
      }
      return Conflict(FullName(claim), " was allocated by another scheduler meanwhile");
    }
    json::Arena arena;
    json::Editor edit(arena);
    if (!HasFinalizer(*object)) {
      const Result<ObjectPtr> protecting = Put(claim, WithFinalizer(edit, object->json()), "", patience);
      status = protecting.status();
      if (protecting.ok()) object = *protecting;
    }
    if (status.ok()) {
      const json::Value reserved = WithUser(edit, object->json(), user);
      status = Put(claim, WithAllocation(edit, reserved, allocation, clock_.Now()), "status", patience).status();
      if (status.ok()) return Written::kAllocation;
    }
    if (!kube::HasReason(status, "Conflict")) return status;
    status = Status();
  }
  return Conflict(GaveUp(claim));
}

Result<Written> ClaimWriter::Reserve(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user,
                                     const Patience& patience) {
  TRY(FinishLate(claim, patience));
  for (int tries = 0; tries < kTries; ++tries) {
    ASSIGN_OR_RETURN(const ObjectPtr object, Find(claim, tries > 0, patience));
    TRY(CheckUsable(claim, *object));
    // The known version may be older than the allocation.
    if (!IsAllocated(*object) && tries == 0) continue;
    if (!IsAllocated(*object)) return Conflict(FullName(claim), " is no longer allocated");
    if (!IsThis(object->json()["status"]["allocation"], allocation)) return Conflict(FullName(claim), " was allocated anew meanwhile");
    if (IsReservedFor(*object, user)) return Written::kNothing;
    json::Arena arena;
    json::Editor edit(arena);
    const Status status = Put(claim, WithUser(edit, object->json(), user), "status", patience).status();
    if (status.ok()) return Written::kUser;
    if (!kube::HasReason(status, "Conflict")) return status;
  }
  return Conflict(GaveUp(claim));
}

Status ClaimWriter::Release(const ClaimName& claim, const ClaimUser& user, bool allocated, const Patience& patience) {
  return TakeBack(claim, user, allocated ? Take::kUserAndAllocation : Take::kUser, patience);
}

Status ClaimWriter::Deallocate(const ClaimName& claim, const ClaimUser& user, const Patience& patience) {
  return TakeBack(claim, user, Take::kAllocation, patience);
}

Status ClaimWriter::TakeBack(const ClaimName& claim, const ClaimUser& user, Take take, const Patience& patience) {
  for (int tries = 0; tries < kTries; ++tries) {
    // The allocation may have been written without an answer, so the server is asked.
    const Result<ObjectPtr> object = Find(claim, true, patience);
    if (!object.ok()) return object.status().code() == Code::kNotFound ? Status() : object.status();
    if (!IsAllocated(**object)) return Status();
    if (take != Take::kAllocation && !IsReservedFor(**object, user)) return Status();
    json::Arena arena;
    json::Editor edit(arena);
    const auto users = json::ItemsOf((*object)->json()["status"]["reservedFor"]);
    const bool others = std::any_of(users.begin(), users.end(), [&](const json::Value& one) { return !IsFor(one, user); });
    if (others && take == Take::kAllocation) return Conflict(FullName(claim), " is used by others");
    const json::Value changed = WithoutUser(edit, (*object)->json(), user, take != Take::kUser);
    const Status status = PutBack(claim, changed, patience);
    if (status.ok() || status.code() == Code::kNotFound) return Status();
    if (!kube::HasReason(status, "Conflict")) return status;
  }
  return Conflict(GaveUp(claim));
}

Result<ObjectPtr> ClaimWriter::Settled(const ClaimName& claim, const Patience& patience) {
  for (int tries = 0; tries < kTries; ++tries) {
    Result<ObjectPtr> object = Find(claim, true, patience);
    if (!object.ok() && object.status().code() == Code::kNotFound) return ObjectPtr();
    if (!object.ok() || IsAllocated(**object) || !HasFinalizer(**object)) return object;
    json::Arena arena;
    json::Editor edit(arena);
    Result<ObjectPtr> unprotected = Put(claim, WithoutFinalizer(edit, (*object)->json()), "", patience);
    if (!unprotected.ok() && unprotected.status().code() == Code::kNotFound) return ObjectPtr();
    if (unprotected.ok() || !kube::HasReason(unprotected.status(), "Conflict")) return unprotected;
  }
  return Unavailable(GaveUp(claim));
}

Status ClaimWriter::Settle(const ClaimName& claim, const Patience& patience) { return Settled(claim, patience).status(); }

Status ClaimWriter::Undo(const ClaimName& claim, const model::Allocation& allocation, const ClaimUser& user, const Patience& patience) {
  for (int tries = 0; tries < kTries; ++tries) {
    ASSIGN_OR_RETURN(const ObjectPtr object, Settled(claim, patience));
    if (object == nullptr || !IsAllocated(*object) || !IsThis(object->json()["status"]["allocation"], allocation)) return Status();
    json::Arena arena;
    json::Editor edit(arena);
    const Status status = PutBack(claim, WithoutUser(edit, object->json(), user, true), patience);
    if (status.ok() || status.code() == Code::kNotFound) return Status();
    if (!kube::HasReason(status, "Conflict")) return status;
  }
  return Unavailable(GaveUp(claim));
}

}  // namespace allot::control
