#pragma once
// What the claims of this node hold: the node's own ledger.
//
// A Holding is all that the agent needs to make, or make again, everything that a prepared claim has on the node, and the answer to
// kubelet. The journal has only the holdings (journal.h); everything else is derived and repaired from them.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"

namespace allot::node {

struct ClaimRef {
  std::string name_space, name, uid;

  std::string ToString() const { return StrCat("claim ", name_space, "/", name); }
};

// One device of an allocation, or a share of one.
struct Share {
  std::string request;  // of the claim, without the name of the subrequest
  std::string pool, device;
  std::string share_id;    // empty: the allocation has none
  std::string uuid;        // of the device; shares with the same UUID are added up
  int64_t memory_mib = 0;  // what the share takes; 0: the whole of a device with unknown memory
  int64_t whole_mib = 0;   // the device's memory when the share was taken
  bool admin = false;      // admin access, which takes nothing
  std::string parent;      // UUID of the device that this one is a part of; equal to uuid for a whole device
  // What the driver has to remember: a JSON object as json::Write writes it, which only the driver reads. Empty: nothing. The journal has
  // its members beside the agent's, so they must have other names (holding.cc).
  std::string state;

  bool is_part() const { return parent != uuid; }

  friend bool operator==(const Share&, const Share&) = default;
};

// Something that the driver makes for a claim and unmakes with it: a device, or a setting of one (claim_driver.h).
struct Step {
  std::string kind;    // the driver's word: "time-slice"
  std::string device;  // what the step works on; kind and device together name the step within the claim
  std::string record;  // what Make returned; empty: nothing to remember, or not made yet

  bool IsSame(const Step& other) const { return kind == other.kind && device == other.device; }
  friend bool operator==(const Step&, const Step&) = default;
};

struct Holding {
  std::string uid, name_space, name;  // of the claim
  std::vector<Share> shares;          // in the order of the allocation
  std::vector<Step> steps = {};       // in the order in which they are made
  bool ending = false;                // the claim is being unprepared: its steps are unmade and never made again

  // "lab/train-gpu-x7k2p"
  std::string ClaimName() const { return StrCat(name_space, "/", name); }

  std::string ToJson() const;
  static Result<Holding> FromJson(const json::Value& object);

  friend bool operator==(const Holding&, const Holding&) = default;
};

// By the claim's UID.
using Holdings = std::map<std::string, std::shared_ptr<const Holding>, std::less<>>;

}  // namespace allot::node
