#include "node/prepare.h"

#include <poll.h>

#include <algorithm>

#include "model/claim.h"
#include "node/devices.h"
#include "node/fit.h"
#include "node/gpu_config.h"
#include "node/turn.h"

namespace allot::node {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongest{40};      // kubelet waits 45 s for an answer
constexpr seconds kForTheAnswer{3};  // of the caller's patience
constexpr seconds kGlance{2};        // at a claim that is held already
constexpr int64_t kMiB = 1 << 20;

// Until the time is over or the caller has gone.
void Pause(milliseconds time, const http::Patience& patience) {
  pollfd cancelled = {patience.cancel != nullptr ? patience.cancel->fd() : -1, POLLIN, 0};
  poll(&cancelled, 1, static_cast<int>(time.count()));
}

// What the result takes of a device with `whole_mib`, in whole MiB. kInvalid where that is nothing.
Result<int64_t> MemoryOf(const model::DeviceResult& result, int64_t whole_mib) {
  if (whole_mib == 0) return 0;
  for (const model::NamedQuantity& amount : result.consumed_capacity) {
    if (amount.name != "memory" && amount.name != "gpu.nvidia.com/memory") continue;
    const int64_t bytes = amount.amount.Sign() < 0 ? 0 : amount.amount.Value().value_or(INT64_MAX);
    if (bytes == 0)
      return Invalid("request ", Quoted(result.request), ": consumedCapacity.memory: expected an amount, not ", amount.amount.ToString());
    return bytes / kMiB + (bytes % kMiB != 0);
  }
  return whole_mib;
}

Result<HeldShare> ShareOf(const model::DeviceResult& result, std::span<const device::Gpu> gpus) {
  const auto found = FindDevice(gpus, result.device);
  if (!found) {
    std::string known;
    for (const device::Gpu& gpu : gpus)
      known += StrCat(known.empty() ? "" : ", ", DeviceName(gpu), gpu.mig_enabled ? " (in MIG mode)" : "");
    return NotFound("request ", Quoted(result.request), ": device ", result.device, " is not on this node (",
                    known.empty() ? "it has no GPU" : known, ")");
  }
  HeldShare share;
  share.request = result.request.substr(0, result.request.find('/'));
  share.pool = result.pool;
  share.device = result.device;
  share.share_id = result.share_id;
  share.uuid = found->uuid();
  share.whole_mib = found->memory_mib().value_or(0);
  ASSIGN_OR_RETURN(share.memory_mib, MemoryOf(result, share.whole_mib));
  share.admin = result.admin_access;
  share.parent = found->gpu->uuid;
  return share;
}

bool UsesTimeSlices(const HeldShare& share) { return share.sharing.strategy == "TimeSlicing" && !share.is_mig(); }

// Whether two allocations of a claim are the same, as far as its holder can tell.
bool SameShares(const Holding& a, const Holding& b) {
  return std::equal(a.shares.begin(), a.shares.end(), b.shares.begin(), b.shares.end(), [](const HeldShare& x, const HeldShare& y) {
    return x.request == y.request && x.device == y.device && x.share_id == y.share_id && x.uuid == y.uuid && x.memory_mib == y.memory_mib;
  });
}

}  // namespace

Result<std::vector<PreparedDevice>> Preparer::Prepare(const ClaimRef& claim, const http::Patience& patience) {
  const Turn turn(*this, claim.uid);
  TRY(http::Check(patience).Context(claim.ToString()));
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read().Context(claim.ToString()));
  Holding wanted;
  if (const auto found = held.find(claim.uid); found != held.end()) {
    wanted = *found->second;
    // The same claim may have been allocated anew while nobody told us. Without the API what is held counts.
    const MonotonicTime soon = std::chrono::steady_clock::now() + kGlance;
    const Result<Holding> now = Resolve(claim, {patience.deadline ? std::min(*patience.deadline, soon) : soon, patience.cancel});
    if (!now.ok() || SameShares(*now, wanted)) {
      TRY(Insist(claim, patience, [&](const http::Patience& within) { return Make(wanted, within); }));
      return Answer(wanted);
    }
    parts_.log(StrCat(claim.ToString(), ": it was allocated anew; what it held is let go"));
    TRY(Undo(wanted, patience).Context(claim.ToString()));
  }
  TRY(Insist(claim, patience, [&](const http::Patience& within) {
    ASSIGN_OR_RETURN(wanted, Resolve(claim, within));
    return Status();
  }));
  TRY(Insist(claim, patience, [&](const http::Patience& within) { return Reserve(wanted, within); }));
  TRY(Insist(claim, patience, [&](const http::Patience& within) { return Make(wanted, within); }));
  return Answer(wanted);
}

Status Preparer::Unprepare(const ClaimRef& claim, const http::Patience& patience) {
  const Turn turn(*this, claim.uid);
  // Who has given up may have asked again and been answered: the claim may be in use anew.
  TRY(http::Check(patience).Context(claim.ToString()));
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read().Context(claim.ToString()));
  const auto found = held.find(claim.uid);
  if (found != held.end()) return Undo(*found->second, patience).Context(claim.ToString());
  TRY(parts_.cdi.Remove(claim.uid).Context(claim.ToString()));
  return parts_.journal.Remove(claim.uid).Context(claim.ToString());
}

Result<Holding> Preparer::Resolve(const ClaimRef& claim, const http::Patience& patience) {
  ASSIGN_OR_RETURN(const kube::ObjectPtr object, parts_.world.Claim(claim.name_space, claim.name, patience));
  if (object->uid() != claim.uid) {
    return Invalid("it was replaced: kubelet speaks of UID ", claim.uid, ", the API has ", object->uid());
  }
  ASSIGN_OR_RETURN(const model::ResourceClaim read, model::ResourceClaim::Read(object->json()));
  if (!read.allocation) return Invalid("it is not allocated");
  ASSIGN_OR_RETURN(const std::vector<device::Gpu> gpus, parts_.world.Gpus());

  Holding holding{claim.uid, claim.name_space, claim.name, {}};
  std::vector<const model::DeviceResult*> results;
  std::vector<std::string> uuids;
  for (const model::DeviceResult& result : read.allocation->results) {
    if (result.driver != kDriver) continue;
    if (result.pool != parts_.node_name) {
      return Invalid("request ", Quoted(result.request), ": device ", result.device, " is of pool ", Quoted(result.pool),
                     ", and this is node ", Quoted(parts_.node_name));
    }
    ASSIGN_OR_RETURN(HeldShare share, ShareOf(result, gpus));
    uuids.push_back(share.uuid);
    holding.shares.push_back(std::move(share));
    results.push_back(&result);
  }
  if (holding.shares.empty()) return Invalid("its allocation has no device of driver ", kDriver);
  std::sort(uuids.begin(), uuids.end());
  uuids.erase(std::unique(uuids.begin(), uuids.end()), uuids.end());
  for (size_t i = 0; i < results.size(); ++i) {
    HeldShare& share = holding.shares[i];
    // Who only looks on changes nothing for the others.
    if (!share.admin) {
      ASSIGN_OR_RETURN(share.sharing, SharingOf(*read.allocation, kDriver, *results[i], share.is_mig(), share.uuid, uuids));
    }
    share.toolkit = parts_.toolkit.Has(share.uuid);
  }
  return holding;
}

Status Preparer::Reserve(const Holding& wanted, const http::Patience& patience) {
  std::vector<std::shared_ptr<const Holding>> in_the_way;
  Status added = parts_.journal.Add(wanted, [&](const Holdings& others) {
    TRY(CheckSpecs(others));
    return CheckFits(wanted, others, in_the_way);
  });
  if (added.ok() || in_the_way.empty()) return added;
  const bool going = std::any_of(in_the_way.begin(), in_the_way.end(), [&](const auto& holder) { return IsGoing(*holder, patience); });
  // Only what is about to be let go is worth waiting for.
  return Status(going ? Code::kUnavailable : Code::kExhausted, added.message());
}

bool Preparer::IsGoing(const Holding& holder, const http::Patience& patience) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_.contains(holder.uid)) return true;
  }
  const Result<kube::ObjectPtr> claim = parts_.world.Claim(holder.name_space, holder.name, patience);
  if (claim.ok() && (*claim)->uid() == holder.uid && IsAllocatedHere(**claim)) return false;
  wants_sweep_ = true;
  return true;  // gone, or nobody can tell
}

Status Preparer::Make(const Holding& holding, const http::Patience& patience) {
  const Result<std::vector<device::Gpu>> gpus = parts_.world.Gpus();
  if (!gpus.ok() || gpus->empty()) {
    // The driver is away (an update, a reset): what was made before it went is still right for those who run.
    if (parts_.cdi.Has(holding.uid)) return {};
    return gpus.ok() ? Unavailable("the GPUs of this node are gone") : gpus.status();
  }
  for (const HeldShare& share : holding.shares) {
    if (UsesTimeSlices(share)) {
      ASSIGN_OR_RETURN(const auto lock, LockTimeSlices(patience));
      TRY(parts_.time_slice.Set(share.uuid, share.sharing.interval, patience));
    }
    if (share.sharing.strategy == "MPS" && !parts_.files.Exists(parts_.mps_pipes + "/control")) {
      return Unavailable("the claim wants MPS, but no MPS daemon runs on this node (", parts_.mps_pipes, "/control is missing); start ",
                         "nvidia-cuda-mps-control -d");
    }
  }
  return parts_.cdi.Write(holding, *gpus);
}

Status Preparer::Undo(const Holding& holding, const http::Patience& patience) {
  TRY(parts_.cdi.Remove(holding.uid));
  for (const HeldShare& share : holding.shares) {
    if (!UsesTimeSlices(share)) continue;
    // Best effort: a GPU that has failed must not keep its claims for ever.
    if (const Status reset = ResetTimeSlice(holding.uid, share.uuid, patience); !reset.ok()) parts_.log(reset.message());
  }
  return parts_.journal.Remove(holding.uid);
}

Result<std::unique_lock<std::timed_mutex>> Preparer::LockTimeSlices(const http::Patience& patience) {
  std::unique_lock lock(time_slices_, std::defer_lock);
  if (!lock.try_lock_until(patience.deadline.value_or(std::chrono::steady_clock::now() + kLongest)))
    return Unavailable("the time slice of another GPU is still being set");
  return lock;
}

Status Preparer::ResetTimeSlice(const std::string& claim_uid, const std::string& gpu_uuid, const http::Patience& patience) {
  // A claim that comes now is in the journal, or sets its own after us.
  ASSIGN_OR_RETURN(const auto lock, LockTimeSlices(patience));
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read());
  std::string interval = "Default";
  for (const auto& [uid, other] : held) {
    if (uid == claim_uid) continue;
    for (const HeldShare& theirs : other->shares) {
      if (theirs.uuid == gpu_uuid && UsesTimeSlices(theirs)) interval = theirs.sharing.interval;
    }
  }
  return parts_.time_slice.Set(gpu_uuid, interval, patience);
}

std::vector<PreparedDevice> Preparer::Answer(const Holding& holding) const {
  std::vector<PreparedDevice> devices;
  for (size_t i = 0; i < holding.shares.size(); ++i) {
    const HeldShare& share = holding.shares[i];
    devices.push_back({{share.request}, share.pool, share.device, share.share_id, parts_.cdi.DeviceIds(holding, i), share.uuid});
  }
  return devices;
}

Status Preparer::Insist(const ClaimRef& claim, const http::Patience& patience,
                        const std::function<Status(const http::Patience&)>& attempt) {
  http::Patience within = patience;
  within.deadline = std::chrono::steady_clock::now() + kLongest;
  if (patience.deadline) within.deadline = std::min(*within.deadline, *patience.deadline - kForTheAnswer);
  for (milliseconds pause(50);; pause = std::min(pause * 2, milliseconds(1000))) {
    Status status = attempt(within);
    if (status.ok()) return status;
    const bool over = std::chrono::steady_clock::now() + pause > *within.deadline;
    if (status.code() != Code::kUnavailable || over) return std::move(status).Context(claim.ToString());
    if (pause == milliseconds(50)) parts_.log(StrCat(claim.ToString(), ": trying again: ", status.message()));
    Pause(pause, patience);
    if (patience.cancel != nullptr && patience.cancel->requested()) return std::move(status).Context(claim.ToString());
  }
}

}  // namespace allot::node
