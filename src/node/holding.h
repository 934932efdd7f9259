#pragma once
// What the claims of this node hold: the node's own ledger.
//
// A Holding is all that is needed to make, or make again, everything that a prepared claim has on the node (CDI spec, time slice) and the
// answer to kubelet. So it is the only thing that is written down (journal.h); the rest is derived from it and repaired from it.

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
  std::string request;  // of the claim, without the name of the alternative
  std::string pool, device;
  std::string share_id;    // empty: the allocation has none
  std::string uuid;        // of the GPU or MIG device: what the amounts are added up by
  int64_t memory_mib = 0;  // what it takes; 0: the whole of a device that does not tell its memory
  int64_t whole_mib = 0;   // the device's memory when the share was taken
  bool admin = false;      // only looks on: takes nothing
  bool toolkit = false;    // NVIDIA's own CDI device gives access to it (toolkit_spec.h)
  std::string parent;      // UUID of the GPU that a MIG device is a part of; the same as uuid: a whole GPU

  bool is_mig() const { return parent != uuid; }

  friend bool operator==(const Share&, const Share&) = default;
};

// The settings that a claim asked for with GpuConfig (gpu_config.h), as far as its neighbours on a GPU notice them.
struct Sharing {
  std::string strategy;           // TimeSlicing, MPS; empty: nothing was asked for
  std::string interval;           // of TimeSlicing: Default, Short, Medium, Long
  int thread_percentage = 0;      // of MPS; 0: no limit
  int64_t pinned_memory_mib = 0;  // of MPS, for each process; 0: no limit

  friend bool operator==(const Sharing&, const Sharing&) = default;
};

struct HeldShare : Share {
  Sharing sharing;

  friend bool operator==(const HeldShare&, const HeldShare&) = default;
};

struct Holding {
  std::string uid, name_space, name;  // of the claim
  std::vector<HeldShare> shares;      // in the order of the allocation

  // "lab/train-gpu-x7k2p"
  std::string ClaimName() const { return StrCat(name_space, "/", name); }

  std::string ToJson() const;
  static Result<Holding> FromJson(const json::Value& object);

  friend bool operator==(const Holding&, const Holding&) = default;
};

// By the claim's UID.
using Holdings = std::map<std::string, std::shared_ptr<const Holding>, std::less<>>;

}  // namespace allot::node
