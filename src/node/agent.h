#pragma once
// The node agent: offers the devices of this machine to the cluster, and prepares the claims that were allocated to it.
//
//   Agent ── for each driver: DriverSide (slices, journal, CDI files, sockets), with a thread of its own
//         └─ for all: the API client, the server for kubelet's calls, metrics and readiness, events
//
// A fault of one driver does not disturb the others: its claims wait and the agent is not ready, and everything else goes on.
//
// `allot up` has no kubelet; its runtime calls the same Preparer in this process.
//
// Crash-only: stopping lets calls end and removes the sockets, and everything else is as after a kill. Slices stay; kubelet removes them if
// the driver does not come back.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"
#include "node/agent_options.h"
#include "node/driver.h"
#include "node/prepare/prepare.h"

namespace allot::node {

struct AgentDriver {
  Driver& driver;
  std::string state_folder = {};  // for the journal; empty: the driver's folder among kubelet's plugins
};

class Agent {
 public:
  // At least one driver, each with a name of its own. All references must outlive it.
  Agent(AgentOptions options, std::vector<AgentDriver> drivers, kube::Client& client, FileSystem& files, const Clock& clock, Random& random,
        Log& log);
  ~Agent();

  // Opens the drivers' journals and installs the hook. An error says why no driver can ever work here. Called at most once.
  Status Open();
  // Works until `stop` is requested. Calls Open if that was not done. Returns an error only if no driver can ever work here.
  Status Run(const Cancel& stop);

  // For a runtime in this process. REQUIRES that Open was ok, and that there is a driver of this name.
  Preparer& preparer(std::string_view driver);
  // Ok if every driver looked at its devices, offers what it should and can be reached by kubelet. Otherwise says what is in the way.
  Status state();

 private:
  class Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace allot::node
