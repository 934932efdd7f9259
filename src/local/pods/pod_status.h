#pragma once
// Computes a Pod's status from the state of its containers. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "local/containers/container_files.h"

namespace allot::local {

// One run of a container.
struct Instance {
  int attempt = 0;                     // 0: the first run
  std::optional<WallTime> started_at;  // nullopt: it could not be started
  std::optional<ContainerExit> exit;   // nullopt: it runs
  std::string message;                 // the termination message
};

struct ContainerView {
  std::string name, image;
  bool init = false, sidecar = false;  // a sidecar is an init container with restartPolicy Always
  std::optional<Instance> current;     // the newest run; nullopt: it has never run
  std::optional<Instance> last;        // the run before
  // Why the container does not run yet, or not again yet. Empty: it runs, or has ended for good.
  std::string waiting_reason, waiting_message;

  bool running() const { return current && !current->exit; }
  bool succeeded() const { return current && current->exit && current->exit->exit_code == 0; }
  // Whether the container has run and will not run again.
  bool ended() const { return current && current->exit && waiting_reason.empty(); }
};

struct PodView {
  std::vector<ContainerView> init, main;
  bool prepared = false;                        // all claims are prepared
  bool finished = false;                        // all containers have ended for good
  std::string failure_reason, failure_message;  // why the Pod failed as a whole; empty: it did not
  std::optional<WallTime> started_at;           // when the node accepted the Pod; nullopt: the status's startTime, or now
  std::string address = "127.0.0.1";
};

// "Pending", "Running", "Succeeded", "Failed"
std::string PhaseOf(const PodView& view);

// The strategic merge patch for the status of `pod`; nullopt if it would change nothing.
std::optional<std::string> StatusPatch(const json::Value& pod, const PodView& view, WallTime now);

// "process://UID/NAME/ATTEMPT"
std::string ContainerId(std::string_view pod_uid, std::string_view container, int attempt);

}  // namespace allot::local
