#pragma once
// Why a Pod is where it is, or why it waits: the facts, from a world at one moment. Pure; explain_text.h has the words on the screen.
//
// Nothing is guessed: whether the Pod fits is asked of the scheduler's own code, and so is every change that would let it start.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explain_world.h"
#include "json/value.h"
#include "sched/remedy.h"

namespace allot::cli {

// One device of a node, and why the Pod does not get it.
struct DeviceRow {
  struct Part {
    std::string who;  // "lab/train-1", or "claim lab/x" where no Pod uses it
    int64_t mib = 0;
    bool own = false;  // it is the Pod in question

    bool operator==(const Part&) const = default;
  };

  std::string name, model;           // the model may be empty
  std::optional<int64_t> mib, free;  // memory; nothing: it has none
  std::vector<Part> held;
  std::string why;  // empty: it would do

  bool operator==(const DeviceRow&) const = default;
};

// Nodes that will not do, for the same reason.
struct NodeReason {
  std::vector<std::string> nodes;
  std::string text;
  std::vector<DeviceRow> devices;  // the same on all of them; empty: it is not about devices
  size_t would_do = 0;             // of a Pod that asks for several different devices: how many of these would do
};

// What is to be done for a Pod that nothing is decided about.
struct Fix {
  std::string text, command;  // the command may be empty
};

// Where a Pod that is placed could be, if it were placed today.
struct Option {
  std::string place;            // "n1/gpu-0", or "n1" of a Pod that has not exactly one device
  std::optional<int64_t> left;  // MiB that would be left of the device; nothing: it has no memory
  std::string why_not;          // empty: it fits
  bool here = false;            // it is there
};

struct ExplainAnswer {
  enum class State {
    kWaits,      // nowhere is room, now
    kNever,      // nor would there be if everybody else ended
    kHeld,       // nothing is decided: gates, a claim that is missing
    kUndecided,  // what it asks for makes no sense, or cannot be seen
    kFits,       // nothing is in the way that we can see, and yet it is not placed
    kPlaced,
    kEnded,
  };
  State state = State::kWaits;
  std::string pod;                   // "lab/late"
  std::string headline;              // "no GPU has 8192 MiB free"; a sentence behind "Pod lab/late waits: "
  std::vector<std::string> details;  // sentences: who is ahead, what the scheduler said

  // Of those that wait, its place in the order; 0: there is no order (not our scheduler).
  size_t place = 0, waiting = 0;
  std::vector<NodeReason> reasons;  // those with devices first
  std::vector<sched::Remedy> remedies;
  std::vector<Fix> fixes;

  // Of kPlaced:
  std::string node, phase;
  std::string since;               // when it started; may be empty
  std::vector<DeviceRow> devices;  // that it has a part of; `why` is empty
  std::vector<Option> options;     // fitting ones first, then by name
};

// REQUIRES that the world has the Pod. `cluster` is made of it.
ExplainAnswer Explain(const ExplainWorld& world, const sched::Cluster& cluster, std::string_view pod_key);

// Of Pods that are nowhere yet, by key: the headline of the answer above, and nobody is asked what would help. Without those for whom
// nothing is in the way.
std::map<std::string, std::string> WhyTheyWait(sched::Cluster cluster, const std::vector<std::string>& pod_keys);

// What is to be said with a remedy; may be empty.
std::string_view CaveatOf(const ExplainAnswer& answer, const sched::Remedy& remedy);

// docs/cli.md has the fields.
json::Document ExplainJson(const std::vector<ExplainAnswer>& answers, const std::vector<std::string>& notes);

}  // namespace allot::cli
