#pragma once
// The settings of a node agent that do not depend on a vendor.

#include <chrono>
#include <functional>
#include <string>

#include "node/bulletin.h"
#include "node/kubelet/sockets.h"

namespace allot::node {

struct AgentOptions {
  std::string node_name;
  PodName pod;                              // the agent's own; without a name: it runs in none
  bool kubelet = true;                      // false: no sockets
  SocketPlaces sockets;                     // the agent sets the driver
  std::string cdi_folder = "/var/run/cdi";  // for our CDI files
  std::string hook_program;                 // allot-cdi-hook, as the agent sees it; empty: none
  std::string proc = "/proc";
  std::string http_address;    // "0.0.0.0:8080" for metrics; empty: none
  std::string health_address;  // "0.0.0.0:51516" for gRPC health, with kubelet; empty: none
  std::chrono::seconds sweep_every{600}, sweep_grace{120};
  // Whether processes still use the claim, even if the API server no longer has it allocated. Kubelet keeps such claims itself.
  std::function<bool(const std::string& claim_uid)> in_use = [](const std::string&) { return false; };
};

}  // namespace allot::node
