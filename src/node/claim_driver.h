#pragma once
// How a vendor prepares claims: what an allocation holds, what has to be made before a container can use it, and what the container gets.
// A part of Driver (driver.h).

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "http/dial.h"
#include "model/claim.h"
#include "node/prepare/container_edits.h"
#include "node/prepare/holding.h"

namespace allot::node {

// The part of a Share that only the driver can tell. The agent adds names and amounts.
struct HeldDevice {
  std::string uuid;       // does not change while the device can be allocated
  std::string parent;     // as in Share; equal to uuid for a whole device
  int64_t whole_mib = 0;  // the device's memory; 0: unknown
  std::string state;      // as in Share
};

// One step of a claim that the driver makes or unmakes now.
struct StepCall {
  const Holding& holding;
  const Step& step;
  // Returns the holdings of all other claims at the time of the call, without claims that are being unprepared. A driver whose claims share
  // a setting of a device holds one lock from this call until it has changed the setting, and takes the same lock in Make. Then every claim
  // that is added after this call makes the setting after it was changed.
  const std::function<Result<Holdings>()>& others;
  const Patience& patience;
};

// Steps are journalled. The agent writes them down with the holding, synced, before it makes the first one, and writes each step's record
// before it makes the next one. The agent can crash at any instruction, so
//   1. Make is called again for a step that was made before, and returns the same record if the result still stands;
//   2. Unmake is called for steps that were never made, half made or already unmade, and returns ok for them. The record of a step may be
//      missing or be that of an earlier Make.
//
// Thread-safe. The agent makes one call at a time for each claim.
class ClaimDriver {
 public:
  virtual ~ClaimDriver() = default;

  // The driver's name in ResourceSlices: "gpu.nvidia.com".
  virtual std::string_view name() const = 0;

  // Ok if the driver sees its devices. kUnavailable says why it does not at the moment; claims that were prepared before stay as they are.
  virtual Status Present() = 0;

  // Returns what each of `results` holds, in their order. `results` are all results of `allocation` that belong to this driver. kNotFound:
  // the node has no such device. kInvalid: the device cannot have the settings that the claim asks for.
  virtual Result<std::vector<HeldDevice>> Hold(const model::Allocation& allocation,
                                               std::span<const model::DeviceResult* const> results) = 0;

  // Ok if the settings of two claims allow both to use one device at the same time. The agent adds up the amounts. An error ends the
  // sentence "the settings differ: ". Called while the journal is locked, so it must not wait for a lock that is held around
  // StepCall::others.
  virtual Status CheckTogether(const Share& theirs, const Share& ours) const = 0;

  // Returns the steps that have to be made before a container can use the shares, in order, without records. Depends on the shares alone;
  // a later version of the driver still returns the steps that an older one returned for them.
  virtual std::vector<Step> Steps(const Holding& holding) const = 0;

  // Makes the step and returns its record: what the driver needs to find again what it made. Edits finds the record in the holding.
  // kUnavailable: trying again may help.
  virtual Result<std::string> Make(const StepCall& call) = 0;
  // Unmakes the step. The claim stays held until this returns ok.
  virtual Status Unmake(const StepCall& call) = 0;

  // Returns devices of other CDI specs that the container needs besides ours: "nvidia.com/gpu=GPU-...".
  virtual std::vector<std::string> OtherCdiDevices(const Share& share) const = 0;

  // Returns what containers get. All steps are made. `hook` is the path of allot-cdi-hook on the host; empty: there is none. kUnavailable:
  // something is missing on the machine that may come back.
  virtual Result<ClaimEdits> Edits(const Holding& holding, const std::string& hook) = 0;

  // Returns the variables that restrict a process, which can open all devices of the machine, to the devices with these UUIDs, in this
  // order. Without UUIDs the process finds no device.
  virtual Environment VisibleDevices(std::span<const std::string> uuids) const = 0;
};

}  // namespace allot::node
