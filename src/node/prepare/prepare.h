#pragma once
// Prepares claims of one driver: turns the allocation in the API into devices that a container can be started with, and takes that back.
//
//   1. look in the journal: a claim that is held is repaired and answered again;
//   2. read the claim from the API: which devices, how much of them;
//   3. pass the fit check and write the holding to the journal, in one step;
//   4. make what is derived from the holding: the driver's steps, each journalled, then the CDI spec;
//   5. answer.
//
// Promises:
//   1. if the agent is killed at any instruction, the claim is held or not held, and the next Prepare, Unprepare or Repair makes everything
//      agree. An unprepare that began is finished, never reverted;
//   2. a claim that does not pass the fit check leaves nothing behind. A claim that passes it stays held even if a later step fails: it is
//      allocated to this node, and kubelet unprepares it;
//   3. an error that may pass (kUnavailable) is retried as long as the caller's patience leaves time for an answer;
//   4. calls for the same claim take turns; calls for different claims do not wait for each other.
// Thread-safe, except LetGo.

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/object.h"
#include "node/claim_driver.h"
#include "node/prepare/cdi.h"
#include "node/prepare/journal.h"

namespace allot::node {

// A device as kubelet wants it.
struct PreparedDevice {
  std::vector<std::string> requests;
  std::string pool, device, share_id;
  std::vector<std::string> cdi_ids;
  std::string uuid;  // of the device, for callers without a container runtime

  friend bool operator==(const PreparedDevice&, const PreparedDevice&) = default;
};

struct PreparedClaim {
  std::vector<PreparedDevice> devices;
  ClaimEdits edits;  // the shares are in the order of the devices
};

struct PodRef {
  std::string name, uid;
};
// By the claim's UID.
using PodsOfClaims = std::map<std::string, std::vector<PodRef>, std::less<>>;

// What the agent sees of the world outside its own files.
class World {
 public:
  virtual ~World() = default;
  // Reads a ResourceClaim. kNotFound: there is none of that name.
  virtual Result<kube::ObjectPtr> Claim(const std::string& name_space, const std::string& name, const Patience& patience) = 0;
  // Returns the Pods that use the claims that were read, as they were then. Claims may be missing.
  virtual PodsOfClaims Pods() const = 0;
};

class Preparer {
 public:
  struct Parts {
    ClaimDriver& driver;
    Journal& journal;
    Cdi& cdi;
    World& world;
    const Clock& clock;
    std::string node_name;  // the pool of our devices
    std::string hook;       // allot-cdi-hook by its path on the host; empty: none
    std::function<void(std::string_view)> log = [](std::string_view) {};
    std::function<bool(const std::string& claim_uid)> in_use = [](const std::string&) { return false; };  // see AgentOptions
  };

  explicit Preparer(Parts parts) : parts_(std::move(parts)) {}

  // The error names the claim.
  Result<std::vector<PreparedDevice>> Prepare(const ClaimRef& claim, const Patience& patience);
  // The same for callers without a container runtime, with what containers get. While the hardware is away, that is what they got before.
  Result<PreparedClaim> PrepareWithEdits(const ClaimRef& claim, const Patience& patience);
  // As in ClaimDriver.
  Environment VisibleDevices(std::span<const std::string> uuids) const { return parts_.driver.VisibleDevices(uuids); }
  // Ok if the claim holds nothing.
  Status Unprepare(const ClaimRef& claim, const Patience& patience);

  // Whether the CDI spec of a holding is missing, or a claim is only half unprepared, so that Repair has work to do.
  bool NeedsRepair(const Holdings& holdings) const;
  // Whether a claim waits for a holder that may be gone, so that LetGo should be called soon.
  bool WantsSweep() { return wants_sweep_.exchange(false) || !missing_.empty(); }
  // Makes again what is derived from the holdings, finishes unprepares that were interrupted, and removes what belongs to no holding. Asks
  // the API server only about CDI specs that have no holding. Skips claims that another call works on.
  Status Repair(const Patience& patience);
  // Removes holdings that kubelet has forgotten: for two calls and the time `grace`, the API server had no such claim, or the claim was not
  // allocated to this node. Keeps holdings that are in use. One thread at a time.
  Status LetGo(std::chrono::seconds grace, const Patience& patience);

 private:
  class Turn;

  // What Prepare does. REQUIRES the claim's Turn.
  Result<Holding> Hold(const ClaimRef& claim, const Patience& patience);
  Result<Holding> Resolve(const ClaimRef& claim, const Patience& patience);
  // Whether the claim still has the allocation that it held. It may have been deallocated and allocated again. If the API server does not
  // answer, the journal counts.
  bool IsCurrent(const Holding& held, const ClaimRef& claim, const Patience& patience);
  Status Reserve(const Holding& wanted, const Patience& patience);
  // `holding` is as the journal has it, and stays so: it gets the records of the steps that were journalled, even if a later step fails.
  Status Make(Holding& holding, const Patience& patience);
  Status MakeSteps(Holding& holding, const Patience& patience);
  // Can be called again after an error or a crash.
  Status Undo(Holding holding, const Patience& patience);
  // Adds the steps that the holding lacks. A holding that the first release wrote has none. Returns whether any were added.
  bool AddSteps(Holding& holding) const;
  // Returns what all other claims hold that are not being unprepared.
  Result<Holdings> Others(const std::string& uid);
  // Ok if every CDI spec belongs to a holding. Otherwise a claim that is not in the journal may be in use.
  Status CheckSpecs(const Holdings& holdings) const;
  // Handles a CDI spec without a holding, after the journal was damaged or lost. Restores the holding from the spec, and unprepares the
  // claim if the API no longer has it allocated to this node. An older release wrote no holding into the spec: adds the one that the API
  // has, or removes the spec.
  Status Recover(const std::string& uid, const Patience& patience);
  // Whether the claim is still allocated to this node. A claim that cannot be read counts as allocated.
  bool IsAllocatedHere(const kube::Object& claim) const;
  bool IsGoing(const Holding& holder, const Patience& patience);
  std::vector<PreparedDevice> Answer(const Holding& holding) const;
  // Repeats `attempt` while it returns kUnavailable, until the patience is nearly over.
  Status Insist(const ClaimRef& claim, const Patience& patience, const std::function<Status(const Patience&)>& attempt);

  const Parts parts_;
  std::atomic<bool> wants_sweep_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> busy_;                                 // claims that a call works on
  std::map<std::string, MonotonicTime, std::less<>> missing_;  // by claim: since when it is gone from the API
};

}  // namespace allot::node
