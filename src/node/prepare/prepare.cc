#include "node/prepare/prepare.h"

#include <poll.h>

#include <algorithm>

#include "model/claim.h"
#include "model/memory.h"
#include "node/prepare/fit.h"
#include "node/prepare/turn.h"

namespace allot::node {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLongest{40};      // kubelet waits 45 s for an answer
constexpr seconds kForTheAnswer{3};  // of the caller's patience, kept for the answer
constexpr seconds kGlance{2};        // to read a claim that is held already

// Waits for `time`, or until the caller gives up.
void Pause(milliseconds time, const Patience& patience) {
  pollfd cancelled = {patience.cancel != nullptr ? patience.cancel->fd() : -1, POLLIN, 0};
  poll(&cancelled, 1, static_cast<int>(time.count()));
}

// Returns how much of a device with `whole_mib` the result may use, in whole MiB. With adminAccess that is all of it, beside other claims
// (Share::admin). kInvalid: it takes nothing.
Result<int64_t> MemoryOf(const model::DeviceResult& result, int64_t whole_mib) {
  if (whole_mib == 0 || result.admin_access) return whole_mib;
  const model::MiB taken = model::MemoryTaken(result, model::MiB(whole_mib));
  if (taken == model::MiB(0))
    return Invalid("request ", Quoted(result.request), ": consumedCapacity.memory: expected an amount, not ",
                   model::MemoryOf(result.consumed_capacity)->amount.ToString());
  return taken.count();
}

Result<Share> ShareOf(const model::DeviceResult& result, HeldDevice device) {
  Share share;
  share.request = result.request.substr(0, result.request.find('/'));
  share.pool = result.pool;
  share.device = result.device;
  share.share_id = result.share_id;
  share.whole_mib = device.whole_mib;
  ASSIGN_OR_RETURN(share.memory_mib, MemoryOf(result, share.whole_mib));
  share.admin = result.admin_access;
  share.uuid = std::move(device.uuid);
  share.parent = std::move(device.parent);
  share.state = std::move(device.state);
  return share;
}

// Whether two allocations of a claim give a container the same.
bool SameShares(const Holding& a, const Holding& b) {
  return std::equal(a.shares.begin(), a.shares.end(), b.shares.begin(), b.shares.end(), [](const Share& x, const Share& y) {
    return x.request == y.request && x.device == y.device && x.share_id == y.share_id && x.uuid == y.uuid && x.memory_mib == y.memory_mib;
  });
}

}  // namespace

Result<std::vector<PreparedDevice>> Preparer::Prepare(const ClaimRef& claim, const Patience& patience) {
  const Turn turn(*this, claim.uid);
  ASSIGN_OR_RETURN(const Holding holding, Hold(claim, patience));
  return Answer(holding);
}

Result<PreparedClaim> Preparer::PrepareWithEdits(const ClaimRef& claim, const Patience& patience) {
  const Turn turn(*this, claim.uid);
  ASSIGN_OR_RETURN(const Holding holding, Hold(claim, patience));
  ASSIGN_OR_RETURN(ClaimEdits edits, parts_.cdi.EditsOf(holding).Context(claim.ToString()));
  return PreparedClaim{Answer(holding), std::move(edits)};
}

Result<Holding> Preparer::Hold(const ClaimRef& claim, const Patience& patience) {
  TRY(http::Check(patience).Context(claim.ToString()));
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read().Context(claim.ToString()));
  Holding wanted;
  if (const auto found = held.find(claim.uid); found != held.end()) {
    wanted = *found->second;
    if (!wanted.ending && IsCurrent(wanted, claim, patience)) {
      TRY(Insist(claim, patience, [&](const Patience& within) { return Make(wanted, within); }));
      return wanted;
    }
    parts_.log(StrCat(claim.ToString(), wanted.ending ? ": finishing an earlier unprepare first"
                                                      : ": it was allocated again; what it held before is given back"));
    TRY(Insist(claim, patience, [&](const Patience& within) { return Undo(wanted, within); }));
  }
  TRY(Insist(claim, patience, [&](const Patience& within) {
    ASSIGN_OR_RETURN(wanted, Resolve(claim, within));
    return Status();
  }));
  TRY(Insist(claim, patience, [&](const Patience& within) { return Reserve(wanted, within); }));
  TRY(Insist(claim, patience, [&](const Patience& within) { return Make(wanted, within); }));
  return wanted;
}

Status Preparer::Unprepare(const ClaimRef& claim, const Patience& patience) {
  const Turn turn(*this, claim.uid);
  // A caller that gave up may have called again and been answered, so that the claim is in use again.
  TRY(http::Check(patience).Context(claim.ToString()));
  ASSIGN_OR_RETURN(const Holdings held, parts_.journal.Read().Context(claim.ToString()));
  const auto found = held.find(claim.uid);
  if (found != held.end()) return Undo(*found->second, patience).Context(claim.ToString());
  TRY(parts_.cdi.Remove(claim.uid).Context(claim.ToString()));
  return parts_.journal.Remove(claim.uid).Context(claim.ToString());
}

bool Preparer::IsCurrent(const Holding& held, const ClaimRef& claim, const Patience& patience) {
  const MonotonicTime soon = std::chrono::steady_clock::now() + kGlance;
  const Result<Holding> now = Resolve(claim, {patience.deadline ? std::min(*patience.deadline, soon) : soon, patience.cancel});
  return !now.ok() || SameShares(*now, held);
}

Result<Holding> Preparer::Resolve(const ClaimRef& claim, const Patience& patience) {
  ASSIGN_OR_RETURN(const kube::ObjectPtr object, parts_.world.Claim(claim.name_space, claim.name, patience));
  if (object->uid() != claim.uid) {
    return Invalid("it was replaced: kubelet asks for UID ", claim.uid, ", and the API has ", object->uid());
  }
  ASSIGN_OR_RETURN(const model::ResourceClaim read, model::ResourceClaim::Read(object->json()));
  if (!read.allocation) return Invalid("it is not allocated");
  const std::string_view driver = parts_.driver.name();
  std::vector<const model::DeviceResult*> results;
  for (const model::DeviceResult& result : read.allocation->results) {
    if (result.driver != driver) continue;
    if (result.pool != parts_.node_name) {
      return Invalid("request ", Quoted(result.request), ": device ", result.device, " is of pool ", Quoted(result.pool),
                     ", and this is node ", Quoted(parts_.node_name));
    }
    results.push_back(&result);
  }
  if (results.empty()) return Invalid("its allocation has no device of driver ", driver);
  ASSIGN_OR_RETURN(std::vector<HeldDevice> devices, parts_.driver.Hold(*read.allocation, results));
  CHECK(devices.size() == results.size());
  Holding holding{claim.uid, claim.name_space, claim.name, {}};
  for (size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(Share share, ShareOf(*results[i], std::move(devices[i])));
    holding.shares.push_back(std::move(share));
  }
  AddSteps(holding);
  return holding;
}

Status Preparer::Reserve(const Holding& wanted, const Patience& patience) {
  std::vector<std::shared_ptr<const Holding>> in_the_way;
  Status added = parts_.journal.Add(wanted, [&](const Holdings& others) {
    TRY(CheckSpecs(others));
    return CheckFits(wanted, others, parts_.driver, in_the_way);
  });
  if (added.ok() || in_the_way.empty()) return added;
  const bool going = std::any_of(in_the_way.begin(), in_the_way.end(), [&](const auto& holder) { return IsGoing(*holder, patience); });
  // Waiting helps only if a holder is about to be unprepared.
  return Status(going ? Code::kUnavailable : Code::kExhausted, added.message());
}

bool Preparer::IsGoing(const Holding& holder, const Patience& patience) {
  if (holder.ending) return true;
  {
    const std::lock_guard lock(mutex_);
    if (busy_.contains(holder.uid)) return true;
  }
  const Result<kube::ObjectPtr> claim = parts_.world.Claim(holder.name_space, holder.name, patience);
  if (claim.ok() && (*claim)->uid() == holder.uid && IsAllocatedHere(**claim)) return false;
  wants_sweep_ = true;
  return true;  // gone, or unknown
}

Status Preparer::Make(Holding& holding, const Patience& patience) {
  // While the vendor's driver is away (an update, a reset), running containers keep what was made before.
  if (Status present = parts_.driver.Present(); !present.ok()) return parts_.cdi.Has(holding.uid) ? Status() : present;
  TRY(MakeSteps(holding, patience));
  ASSIGN_OR_RETURN(const ClaimEdits edits, parts_.driver.Edits(holding, parts_.hook));
  return parts_.cdi.Write(holding, edits);
}

bool Preparer::AddSteps(Holding& holding) const {
  const size_t before = holding.steps.size();
  for (Step& step : parts_.driver.Steps(holding)) {
    const bool known = std::any_of(holding.steps.begin(), holding.steps.end(), [&](const Step& each) { return each.IsSame(step); });
    if (!known) holding.steps.push_back(std::move(step));
  }
  return holding.steps.size() > before;
}

Status Preparer::MakeSteps(Holding& holding, const Patience& patience) {
  // The caller tries again with `holding`, so it changes only with the journal.
  Holding next = holding;
  if (AddSteps(next)) {
    TRY(parts_.journal.Replace(next));
    holding = next;
  }
  const std::function<Result<Holdings>()> others = [&] { return Others(holding.uid); };
  for (size_t i = 0; i < holding.steps.size(); ++i) {
    Step& step = holding.steps[i];
    ASSIGN_OR_RETURN(next.steps[i].record, parts_.driver.Make({holding, step, others, patience}));
    if (next.steps[i].record == step.record) continue;
    TRY(parts_.journal.Replace(next));
    step.record = next.steps[i].record;
  }
  return {};
}

Status Preparer::Undo(Holding holding, const Patience& patience) {
  AddSteps(holding);
  // From here on Repair unmakes what is left and makes nothing again, even if this call fails or the agent crashes. A claim without steps
  // does not need this: Repair makes its CDI spec again, until kubelet tries again.
  if (!holding.steps.empty() && !std::exchange(holding.ending, true)) {
    const Status journalled = parts_.journal.Replace(holding);
    // kNotFound: another agent has unprepared the claim meanwhile. Unmaking it again does no harm.
    if (!journalled.ok() && journalled.code() != Code::kNotFound) return journalled;
  }
  TRY(parts_.cdi.Remove(holding.uid));
  const std::function<Result<Holdings>()> others = [&] { return Others(holding.uid); };
  for (auto step = holding.steps.rbegin(); step != holding.steps.rend(); ++step) {
    TRY(parts_.driver.Unmake({holding, *step, others, patience}));
  }
  return parts_.journal.Remove(holding.uid);
}

Result<Holdings> Preparer::Others(const std::string& uid) {
  ASSIGN_OR_RETURN(Holdings held, parts_.journal.Read());
  // Two claims that end at the same time must not leave a shared setting to each other.
  std::erase_if(held, [&](const auto& entry) { return entry.first == uid || entry.second->ending; });
  return held;
}

std::vector<PreparedDevice> Preparer::Answer(const Holding& holding) const {
  std::vector<PreparedDevice> devices;
  for (size_t i = 0; i < holding.shares.size(); ++i) {
    const Share& share = holding.shares[i];
    std::vector<std::string> ids = parts_.driver.OtherCdiDevices(share);
    ids.push_back(parts_.cdi.DeviceId(holding, i));
    devices.push_back({{share.request}, share.pool, share.device, share.share_id, std::move(ids), share.uuid});
  }
  return devices;
}

Status Preparer::Insist(const ClaimRef& claim, const Patience& patience, const std::function<Status(const Patience&)>& attempt) {
  Patience within = patience;
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
