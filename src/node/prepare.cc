#include "node/prepare.h"

#include <poll.h>

#include <algorithm>

#include "kube/error.h"
#include "model/claim.h"
#include "node/devices.h"
#include "node/fit.h"
#include "node/gpu_config.h"

namespace allot::node {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongest{40};      // kubelet waits 45 s for an answer
constexpr seconds kForTheAnswer{3};  // of the caller's patience
constexpr int64_t kMiB = 1 << 20;

// Until the time is over or the caller has gone.
void Pause(milliseconds time, const http::Patience& patience) {
  pollfd cancelled = {patience.cancel != nullptr ? patience.cancel->fd() : -1, POLLIN, 0};
  poll(&cancelled, 1, static_cast<int>(time.count()));
}

int64_t MiBRoundedUp(const model::Quantity& bytes) {
  const int64_t value = std::max<int64_t>(0, bytes.Value().value_or(INT64_MAX - kMiB));
  return (value + kMiB - 1) / kMiB;
}

// What the result takes of a device with `whole_mib`.
int64_t MemoryOf(const model::DeviceResult& result, int64_t whole_mib) {
  for (const model::NamedQuantity& amount : result.consumed_capacity) {
    if (amount.name == "memory" || amount.name == "gpu.nvidia.com/memory") return whole_mib == 0 ? 0 : MiBRoundedUp(amount.amount);
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
  share.memory_mib = MemoryOf(result, share.whole_mib);
  share.admin = result.admin_access;
  share.minor = found->gpu->minor;
  if (found->mig != nullptr) {
    share.gpu_instance = found->mig->gpu_instance;
    share.compute_instance = found->mig->compute_instance;
  }
  return share;
}

}  // namespace

// One call at a time for each claim.
class Preparer::Turn {
 public:
  Turn(Preparer& owner, const std::string& uid) : owner_(owner), uid_(uid) {
    std::unique_lock lock(owner_.mutex_);
    owner_.changed_.wait(lock, [&] { return owner_.busy_.insert(uid_).second; });
  }
  ~Turn() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.busy_.erase(uid_);
    owner_.changed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Preparer& owner_;
  const std::string uid_;
};

Result<std::vector<PreparedDevice>> Preparer::Prepare(const ClaimRef& claim, const http::Patience& patience) {
  const Turn turn(*this, claim.uid);
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read().Context(claim.ToString()));
  if (const auto found = held.find(claim.uid); found != held.end()) {
    const Holding& holding = *found->second;
    TRY(Insist(claim, patience, [&] { return Make(holding); }));
    return Answer(holding);
  }
  Holding wanted;
  TRY(Insist(claim, patience, [&] {
    ASSIGN_OR_RETURN(wanted, Resolve(claim, patience));
    return Status();
  }));
  Status made = Insist(claim, patience, [&] { return Reserve(wanted, patience); });
  if (made.ok()) made = Insist(claim, patience, [&] { return Make(wanted); });
  if (!made.ok()) {
    // A holding that cannot be taken back is let go by Unprepare or Sweep.
    if (const Status undone = Undo(wanted); !undone.ok()) parts_.log(StrCat(claim.ToString(), ": undo: ", undone.message()));
    return made;
  }
  return Answer(wanted);
}

Status Preparer::Unprepare(const ClaimRef& claim, const http::Patience&) {
  const Turn turn(*this, claim.uid);
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read().Context(claim.ToString()));
  const auto found = held.find(claim.uid);
  if (found == held.end()) return parts_.cdi.Remove(claim.uid).Context(claim.ToString());
  return Undo(*found->second).Context(claim.ToString());
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
    ASSIGN_OR_RETURN(share.sharing, SharingOf(*read.allocation, kDriver, *results[i], share.gpu_instance >= 0, share.uuid, uuids));
    share.toolkit = parts_.toolkit.Has(share.uuid);
  }
  return holding;
}

Status Preparer::Reserve(const Holding& wanted, const http::Patience& patience) {
  std::vector<std::shared_ptr<const Holding>> in_the_way;
  Status added = parts_.journal.Add(wanted, [&](const Holdings& others) { return CheckFits(wanted, others, in_the_way); });
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
  if (!claim.ok()) return true;  // gone, or nobody can tell
  return (*claim)->uid() != holder.uid || (*claim)->json()["status"]["allocation"].IsNull();
}

Status Preparer::Make(const Holding& holding) {
  std::string driver_version;
  if (const Result<std::vector<device::Gpu>> gpus = parts_.world.Gpus(); gpus.ok() && !gpus->empty()) {
    driver_version = gpus->front().raw_driver_version;
  } else {
    return gpus.ok() ? Unavailable("the GPUs of this node are gone") : gpus.status();
  }
  for (const HeldShare& share : holding.shares) {
    if (share.sharing.strategy == "TimeSlicing" && share.gpu_instance < 0) TRY(parts_.time_slice.Set(share.uuid, share.sharing.interval));
    if (share.sharing.strategy == "MPS" && !parts_.files.Exists(parts_.mps_pipes + "/control")) {
      return Unavailable("the claim wants MPS, but no MPS daemon runs on this node (", parts_.mps_pipes, "/control is missing); start ",
                         "nvidia-cuda-mps-control -d");
    }
  }
  return parts_.cdi.Write(holding, driver_version);
}

Status Preparer::Undo(const Holding& holding) {
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read());
  for (const HeldShare& share : holding.shares) {
    if (share.sharing.strategy != "TimeSlicing" || share.gpu_instance >= 0) continue;
    const bool needed = std::any_of(held.begin(), held.end(), [&](const auto& entry) {
      const auto uses = [&](const HeldShare& other) { return other.uuid == share.uuid && other.sharing.strategy == "TimeSlicing"; };
      return entry.first != holding.uid && std::any_of(entry.second->shares.begin(), entry.second->shares.end(), uses);
    });
    // Best effort: a GPU that has failed must not keep its claims for ever.
    if (needed) continue;
    if (const Status reset = parts_.time_slice.Set(share.uuid, "Default"); !reset.ok()) parts_.log(reset.message());
  }
  TRY(parts_.cdi.Remove(holding.uid));
  return parts_.journal.Remove(holding.uid);
}

std::vector<PreparedDevice> Preparer::Answer(const Holding& holding) const {
  std::vector<PreparedDevice> devices;
  for (size_t i = 0; i < holding.shares.size(); ++i) {
    const HeldShare& share = holding.shares[i];
    devices.push_back({{share.request}, share.pool, share.device, share.share_id, parts_.cdi.DeviceIds(holding, i)});
  }
  return devices;
}

Status Preparer::Insist(const ClaimRef& claim, const http::Patience& patience, const std::function<Status()>& attempt) {
  const MonotonicTime began = parts_.clock.MonotonicNow();
  MonotonicTime end = began + kLongest;
  if (patience.deadline) end = std::min(end, *patience.deadline - kForTheAnswer);
  for (milliseconds pause(50);; pause = std::min(pause * 2, milliseconds(1000))) {
    Status status = attempt();
    if (status.ok()) return status;
    const bool over = parts_.clock.MonotonicNow() + pause > end || (patience.cancel != nullptr && patience.cancel->requested());
    if (status.code() != Code::kUnavailable || over) return std::move(status).Context(claim.ToString());
    if (pause == milliseconds(50)) parts_.log(StrCat(claim.ToString(), ": trying again: ", status.message()));
    Pause(pause, patience);
  }
}

Status Preparer::Sweep(seconds grace, const http::Patience& patience) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files, parts_.cdi.Uids());
  for (const std::string& uid : files) {
    const Turn turn(*this, uid);
    // Under the journal's lock: who holds a claim has written that down before its file.
    TRY(parts_.journal.Inspect([&](const Holdings& held) {
      if (held.contains(uid)) return Status();
      parts_.log(StrCat("remove the CDI spec of claim ", uid, ", which holds nothing"));
      return parts_.cdi.Remove(uid);
    }));
  }
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read());
  std::erase_if(missing_, [&](const auto& entry) { return !held.contains(entry.first); });
  Status first_error;
  for (const auto& [uid, holding] : held) {
    const ClaimRef ref{holding->name_space, holding->name, uid};
    const Result<kube::ObjectPtr> claim = parts_.world.Claim(ref.name_space, ref.name, patience);
    const bool gone = claim.ok() ? (*claim)->uid() != uid : claim.status().code() == Code::kNotFound;
    if (!gone) {
      missing_.erase(uid);
      const Turn turn(*this, uid);
      ASSIGN_OR_RETURN(const Holdings now, parts_.journal.Read());
      if (!now.contains(uid)) continue;
      if (Status made = Make(*holding); !made.ok() && first_error.ok()) first_error = std::move(made).Context(ref.ToString());
      continue;
    }
    const MonotonicTime time = parts_.clock.MonotonicNow();
    const auto [since, first_seen] = missing_.try_emplace(uid, time);
    if (first_seen || time - since->second < grace) continue;
    parts_.log(StrCat("let go of ", ref.ToString(), ", which is gone from the API"));
    if (Status done = Unprepare(ref, patience); !done.ok() && first_error.ok()) first_error = std::move(done);
  }
  return first_error;
}

}  // namespace allot::node
