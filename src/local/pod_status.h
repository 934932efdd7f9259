#pragma once
// The status of a Pod as the API has it, made of what is known of its containers. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "local/container_files.h"

namespace allot::local {

// One run of a container.
struct Instance {
  int attempt = 0;                     // 0: the first one
  std::optional<WallTime> started_at;  // nothing: it could not be started
  std::optional<ContainerExit> exit;   // nothing: it runs
  std::string message;                 // of its end, for people
};

struct ContainerView {
  std::string name, image;
  bool init = false, sidecar = false;  // a sidecar is an init container that goes on
  std::optional<Instance> current;     // nothing: it has never run
  std::optional<Instance> last;        // the one before
  // Why it does not run, though it will. Empty: it runs, or has ended for good.
  std::string waiting_reason, waiting_message;

  bool running() const { return current && !current->exit; }
  bool succeeded() const { return current && current->exit && current->exit->exit_code == 0; }
  // Has run and will not again.
  bool ended() const { return current && current->exit && waiting_reason.empty(); }
};

struct PodView {
  std::vector<ContainerView> init, main;
  bool prepared = false;                        // its claims
  bool finished = false;                        // all containers have ended for good
  std::string failure_reason, failure_message;  // why the Pod failed as a whole; empty: it did not
  std::optional<WallTime> started_at;           // when the node took it; nothing: as the status says, or now
  std::string address = "127.0.0.1";
};

// "Pending", "Running", "Succeeded", "Failed"
std::string PhaseOf(const PodView& view);

// A strategic merge patch of the status of `pod`, or nothing where it says all of that already.
std::optional<std::string> StatusPatch(const json::Value& pod, const PodView& view, WallTime now);

// "process://UID/NAME/ATTEMPT"
std::string ContainerId(std::string_view pod_uid, std::string_view container, int attempt);

}  // namespace allot::local
