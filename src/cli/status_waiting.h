#pragma once
// Pods that wait for devices: those that no node has taken yet, and those whose devices could not be prepared.

#include <string>
#include <string_view>
#include <vector>

#include "cli/listing.h"
#include "cli/session.h"

namespace allot::cli {

struct WaitingPod {
  std::string namespace_name, name;
  std::string node;               // empty: not placed yet
  std::string since;              // when it was made
  std::vector<std::string> asks;  // "1 x gpu.nvidia.com, 6144 MiB"
  std::string reason, message;    // of the scheduler, of kubelet, or of the runtime
  std::string why{};              // what its claims find no room for, in short: "no GPU has 8192 MiB free"; empty: not known
  bool for_gpus = false;          // it asks for, or holds, devices of gpu.nvidia.com; where that cannot be seen, the message speaks of them
};

// What is asked of the API for it. Events only where a Pod is placed and does not run.
struct WaitingFacts {
  Listing pods;     // that are Pending
  Listing claims;   // of all namespaces
  Listing classes;  // for extended resources
  Listing events;   // of failed preparations
};
Listing PendingPods(Session& session);
Listing FailedPreparations(Session& session, const Listing& pods);

// Those that use devices: placed ones first, then the others in the order of allot's queue (sched/queue.h). Asks for templates of claims
// that are not made yet.
std::vector<WaitingPod> WaitingPods(Session& session, const WaitingFacts& facts);

// Whether a text is about CDI: the container runtime could not put the devices in.
bool SpeaksOfCdi(std::string_view text);

}  // namespace allot::cli
