#pragma once
// Why a Pod's claims do not fit on a node, as values: a kind and its facts. alloc/words.h turns them into sentences.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cel/program.h"
#include "model/quantity.h"

namespace allot::alloc {

// A Pod or claim that holds a device or a part of it.
struct Holder {
  enum class Kind {
    kPod,      // "namespace/name"
    kClaim,    // "namespace/name" of a claim that no Pod uses
    kThisPod,  // another request of the Pod in question; the claim's name where the Pod has several claims, else empty
  };
  Kind kind = Kind::kPod;
  std::string name;

  auto operator<=>(const Holder&) const = default;
};

// The first thing that rules a device out. Each kind lists the members that it sets beside `alternative`. All others are empty.
struct Reason {
  enum class Kind {
    kSelectorFalse,      // selector, device_class, found
    kSelectorError,      // detail
    kBindingConditions,  // the device has some, and the feature gate is off
    kNotOnNode,
    kTakenWhole,        // holders
    kUnknownCapacity,   // name, asked, names
    kCapacityPolicy,    // name, asked, given
    kNotEnough,         // name, asked, free, whole, holders
    kCountersOff,       // the device consumes counters, and the feature gate is off
    kCounterShort,      // name, counter_set, asked, free, whole
    kCounterOverdrawn,  // a counter that the device does not consume is below zero
    kTainted,           // taint
    kAttributeMissing,  // name: a constraint needs it
    kAttributeDiffers,  // name: from the attribute of a device picked before
    kAttributeSame,     // name: as the attribute of a device picked before
    kAlreadyPicked,     // for the same request
    kNotTogether,       // the device fits by itself, but not together with the rest of the Pod's claims
    kPoolIncomplete,    // name, driver: about a pool, not about single devices
    kPoolInvalid,       // name, driver, detail: the same
  };
  struct Taint {
    std::string key, value, effect;

    auto operator<=>(const Taint&) const = default;
  };
  // The amounts of a capacity that a device gives: a range, or a list of values.
  struct Given {
    bool is_range = false;
    std::optional<model::Quantity> min, max, step;
    std::vector<model::Quantity> values;

    auto operator<=>(const Given&) const = default;
  };

  Kind kind = Kind::kNotTogether;
  std::string alternative;  // the request's alternative that came farthest; empty: the request has none
  std::string name;         // of the capacity, counter, attribute or pool
  std::string counter_set;
  std::string driver;        // of the pool
  std::string device_class;  // that the selector is of; empty: it is the request's own
  size_t selector = 0;       // its number in the list; the first is 1
  cel::NotTrue found;
  std::string detail;  // the error's message
  model::Quantity asked, free, whole;
  Given given;
  std::vector<std::string> names;  // the capacities that the device has
  std::vector<Holder> holders;     // each once
  Taint taint;

  auto operator<=>(const Reason&) const = default;

  // Whether the device could never give what is asked, even if it were free.
  bool IsTooSmall() const { return kind == Kind::kNotEnough && asked > whole; }
  // Whether another request of the same Pod is among the holders.
  bool IsHeldByThisPod() const {
    return std::any_of(holders.begin(), holders.end(), [](const Holder& holder) { return holder.kind == Holder::Kind::kThisPod; });
  }
};

// A reason, and the devices that it rules out.
struct RuledOut {
  Reason reason;
  std::vector<std::string> devices;  // in inventory order; empty: it is about a pool

  bool operator==(const RuledOut&) const = default;
};

// Why the devices of a node do not satisfy a request.
struct Reasons {
  enum class Kind {
    kNone,         // nothing is explained
    kNoDevices,    // the node has none
    kNoneFits,     // none of `devices` fits
    kNotTogether,  // `fit_alone` of `devices` fit, but not together with the rest of the Pod's claims
    kTooMany,      // the claim would get more devices than a claim may have
  };
  Kind kind = Kind::kNone;
  std::string claim;    // "default/train"
  std::string request;  // "gpu"
  bool all = false;     // all matching devices are asked for
  int64_t asked = 0;    // devices; of alternatives the least
  size_t devices = 0;   // of the node
  size_t fit_alone = 0;
  std::vector<RuledOut> ruled_out;  // each device with the first thing that ruled it out; then the pools

  bool empty() const { return kind == Kind::kNone && ruled_out.empty(); }
  bool operator==(const Reasons&) const = default;
};

}  // namespace allot::alloc
