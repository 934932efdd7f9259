// The work of a Preparer that kubelet does not ask for.
#include "model/claim.h"
#include "node/prepare/prepare.h"
#include "node/prepare/turn.h"

namespace allot::node {

bool Preparer::IsAllocatedHere(const kube::Object& claim) const {
  const Result<model::ResourceClaim> read = model::ResourceClaim::Read(claim.json());
  if (!read.ok()) return true;
  if (!read->allocation) return false;
  for (const model::DeviceResult& result : read->allocation->results) {
    if (result.driver == parts_.driver.name() && result.pool == parts_.node_name) return true;
  }
  return false;
}

bool Preparer::NeedsRepair(const Holdings& holdings) const {
  for (const auto& [uid, holding] : holdings) {
    if (holding->ending || !parts_.cdi.Has(uid)) return true;
  }
  return !CheckSpecs(holdings).ok();
}

Status Preparer::CheckSpecs(const Holdings& holdings) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> specs, parts_.cdi.Uids());
  for (const std::string& uid : specs) {
    if (holdings.contains(uid)) continue;
    const Result<ClaimRef> claim = parts_.cdi.ClaimOf(uid);
    return Unavailable(claim.ok() ? claim->ToString() : StrCat("claim ", uid),
                       " has a CDI spec on this node and is not in its journal: the API has to say what it holds first");
  }
  return {};
}

Status Preparer::Recover(const std::string& uid, const Patience& patience) {
  const auto add = [&](const Holding& holding) { return parts_.journal.Add(holding, [](const Holdings&) { return Status(); }); };
  if (Result<Holding> kept = parts_.cdi.HoldingOf(uid); kept.ok()) {
    const Result<kube::ObjectPtr> object = parts_.world.Claim(kept->name_space, kept->name, patience);
    const bool gone = object.ok() ? (*object)->uid() != uid || !IsAllocatedHere(**object) : object.status().code() == Code::kNotFound;
    kept->ending = kept->ending || (gone && !parts_.in_use(uid));
    parts_.log(
        StrCat("claim ", kept->ClaimName(), " was missing in the journal; ",
               kept->ending ? "it is not allocated to this node any more, and is unprepared" : "it is added as its CDI spec has it"));
    TRY(add(*kept));
    return kept->ending ? Undo(*std::move(kept), patience) : Status();
  }
  if (const Result<ClaimRef> claim = parts_.cdi.ClaimOf(uid); claim.ok()) {
    const Result<kube::ObjectPtr> object = parts_.world.Claim(claim->name_space, claim->name, patience);
    if (!object.ok() && object.status().code() != Code::kNotFound) return object.status();
    // Only the API can say that the claim is not in use. A device that the driver does not see now may still be in use.
    if (object.ok() && (*object)->uid() == uid && IsAllocatedHere(**object)) {
      ASSIGN_OR_RETURN(const Holding holding, Resolve(*claim, patience).Context(claim->ToString()));
      parts_.log(StrCat(claim->ToString(), " was missing in the journal; it is added as the API has it"));
      return add(holding);
    }
  }
  // Under the journal's lock, since a claim's holding is written before its spec.
  return parts_.journal.Inspect([&](const Holdings& held) {
    if (held.contains(uid)) return Status();
    parts_.log(StrCat("removing the CDI spec of claim ", uid, ", which holds nothing"));
    return parts_.cdi.Remove(uid);
  });
}

Status Preparer::Repair(const Patience& patience) {
  ASSIGN_OR_RETURN(const std::vector<std::string> specs, parts_.cdi.Uids());
  Status first_error;
  for (const std::string& uid : specs) {
    const Turn turn(*this, uid, Turn::kTry);
    if (!turn.mine()) continue;
    ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read());
    if (held.contains(uid)) continue;
    if (Status recovered = Recover(uid, patience); !recovered.ok() && first_error.ok()) first_error = std::move(recovered);
  }
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read());
  for (const auto& [uid, holding] : held) {
    const Turn turn(*this, uid, Turn::kTry);
    if (!turn.mine()) continue;
    ASSIGN_OR_RETURN(const Holdings now, parts_.journal.Read());
    const auto same = now.find(uid);
    if (same == now.end()) continue;
    Holding wanted = *same->second;
    Status done = wanted.ending ? Undo(wanted, patience) : Make(wanted, patience);
    if (!done.ok() && first_error.ok()) first_error = std::move(done).Context("claim ", wanted.ClaimName());
  }
  return first_error;
}

Status Preparer::LetGo(std::chrono::seconds grace, const Patience& patience) {
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read());
  std::erase_if(missing_, [&](const auto& entry) { return !held.contains(entry.first); });
  Status first_error;
  for (const auto& [uid, holding] : held) {
    const ClaimRef ref{holding->name_space, holding->name, uid};
    const Result<kube::ObjectPtr> claim = parts_.world.Claim(ref.name_space, ref.name, patience);
    const bool gone = claim.ok() ? (*claim)->uid() != uid || !IsAllocatedHere(**claim) : claim.status().code() == Code::kNotFound;
    if (!gone || parts_.in_use(uid)) {
      missing_.erase(uid);
      continue;
    }
    const MonotonicTime time = parts_.clock.MonotonicNow();
    const auto [since, first_seen] = missing_.try_emplace(uid, time);
    if (first_seen || time - since->second < grace) continue;
    const Turn turn(*this, uid, Turn::kTry);
    if (!turn.mine()) continue;
    // Meanwhile kubelet may have prepared the claim with a new allocation.
    ASSIGN_OR_RETURN(const Holdings now, parts_.journal.Read());
    if (const auto same = now.find(uid); same == now.end() || *same->second != *holding) continue;
    parts_.log(StrCat("let go of ", ref.ToString(), ", which is not allocated to this node any more"));
    if (Status done = Undo(*holding, patience); !done.ok() && first_error.ok()) first_error = std::move(done).Context(ref.ToString());
  }
  return first_error;
}

}  // namespace allot::node
