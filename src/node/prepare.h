#pragma once
// Preparing a claim: from the allocation in the API to something that a container can be started with, and back.
//
//   1. look in the journal: what is held already is only made good and answered again;
//   2. read the claim from the API: whose devices, how much of them;
//   3. pass the gate and write the holding to the journal, in one step;
//   4. make what is derived from the holding: CDI spec, time slice;
//   5. answer.
//
// Promises:
//   1. killed at any instruction, the claim is held or not held, and the next Prepare, Unprepare or Repair makes everything agree;
//   2. a claim that does not pass the gate leaves nothing. One that does stays held, also where the rest fails: it is allocated to this
//      node, and kubelet unprepares it;
//   3. what time heals is waited out for as long as the caller's patience leaves room for an answer;
//   4. calls for the same claim take turns, all others do not wait for each other.
// Safe to use from several threads, but for LetGo.

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "device/gpu.h"
#include "http/dial.h"
#include "kube/object.h"
#include "node/cdi.h"
#include "node/journal.h"
#include "node/time_slice.h"
#include "node/toolkit_spec.h"

namespace allot::node {

// A device as kubelet wants it.
struct PreparedDevice {
  std::vector<std::string> requests;
  std::string pool, device, share_id;
  std::vector<std::string> cdi_ids;
  std::string uuid;  // of the GPU or MIG device, for who has no container runtime

  friend bool operator==(const PreparedDevice&, const PreparedDevice&) = default;
};

// What a Preparer sees of the world outside of its own files.
class World {
 public:
  virtual ~World() = default;
  // A ResourceClaim. kNotFound: there is none of that name.
  virtual Result<kube::ObjectPtr> Claim(const std::string& name_space, const std::string& name, const http::Patience& patience) = 0;
  // The GPUs of this machine, now. kUnavailable: they cannot be told at the moment.
  virtual Result<std::vector<device::Gpu>> Gpus() = 0;
};

class Preparer {
 public:
  struct Parts {
    FileSystem& files;
    Journal& journal;
    Cdi& cdi;
    ToolkitSpec& toolkit;
    TimeSlice& time_slice;
    World& world;
    const Clock& clock;
    std::string node_name;                      // the pool of our devices
    std::string mps_pipes = "/tmp/nvidia-mps";  // as we see it
    std::function<void(std::string_view)> log = [](std::string_view) {};
    std::function<bool(const std::string& claim_uid)> in_use = [](const std::string&) { return false; };  // see AgentOptions
  };

  explicit Preparer(Parts parts) : parts_(std::move(parts)) {}

  // The error names the claim.
  Result<std::vector<PreparedDevice>> Prepare(const ClaimRef& claim, const http::Patience& patience);
  // Ok where nothing is held.
  Status Unprepare(const ClaimRef& claim, const http::Patience& patience);

  // Whether a holding lacks its CDI spec, which somebody removed: worth a Repair.
  bool NeedsRepair(const Holdings& holdings) const;
  // Whether somebody waits for a holder whose claim is gone: LetGo soon.
  bool WantsSweep() { return wants_sweep_.exchange(false) || !missing_.empty(); }
  // Makes good what is derived from the holdings, and removes what belongs to none. Asks nobody outside of the node. Claims that are being
  // worked on are passed over.
  Status Repair(const http::Patience& patience);
  // Lets go of holdings whose claim the API has not had, or not as allocated to this node, for two calls and `grace`: kubelet has forgotten
  // them. Not of those that are in use. One thread at a time.
  Status LetGo(std::chrono::seconds grace, const http::Patience& patience);

 private:
  class Turn;

  Result<Holding> Resolve(const ClaimRef& claim, const http::Patience& patience);
  Status Reserve(const Holding& wanted, const http::Patience& patience);
  Status Make(const Holding& holding, const http::Patience& patience);
  Status Undo(const Holding& holding, const http::Patience& patience);
  // Not ok: a claim that is not in the journal may be in use.
  Status CheckSpecs(const Holdings& holdings) const;
  // A CDI spec without a holding: the journal was damaged or lost. Puts back what the API says, or removes the spec.
  Status Recover(const std::string& uid, const http::Patience& patience);
  // To what the other holders of the GPU want.
  Status ResetTimeSlice(const std::string& claim_uid, const std::string& gpu_uuid, const http::Patience& patience);
  Result<std::unique_lock<std::timed_mutex>> LockTimeSlices(const http::Patience& patience);
  // Whether the claim is still allocated to us. What cannot be read is.
  bool IsAllocatedHere(const kube::Object& claim) const;
  bool IsGoing(const Holding& holder, const http::Patience& patience);
  std::vector<PreparedDevice> Answer(const Holding& holding) const;
  // Repeats what is kUnavailable until the patience is nearly at its end.
  Status Insist(const ClaimRef& claim, const http::Patience& patience, const std::function<Status(const http::Patience&)>& attempt);

  const Parts parts_;
  std::atomic<bool> wants_sweep_ = false;
  std::timed_mutex time_slices_;  // held while one is set
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> busy_;                                 // claims whose turn it is
  std::map<std::string, MonotonicTime, std::less<>> missing_;  // since when the claim of a holding is gone
};

}  // namespace allot::node
