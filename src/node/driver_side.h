#pragma once
// All that the agent has for one driver: the journal, CDI files, preparation, slices, and the side towards kubelet.
//
//   Offering ──► ResourceSlices
//   KubeletSide ──► Preparer ──► journal, the driver's steps, CDI files
//
// Each driver has a thread of its own, so that a driver that waits for its hardware does not hold up another one.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"
#include "node/agent_options.h"
#include "node/driver.h"
#include "node/kubelet/kubelet_side.h"
#include "node/metrics_text.h"
#include "node/prepare/cdi.h"
#include "node/prepare/journal.h"
#include "node/prepare/prepare.h"
#include "node/publish/offering.h"
#include "node/rpc/server.h"
#include "node/told.h"

namespace allot::node {

class DriverSide {
 public:
  // What all drivers of an agent share.
  struct Shared {
    const AgentOptions& options;
    kube::Client& client;
    World& world;
    FileSystem& files;
    const Clock& clock;
    Random& random;
    Log& log;
  };

  // `state_folder` has the journal; empty: the driver's folder among kubelet's plugins. All references must outlive it.
  DriverSide(Driver& driver, std::string state_folder, const Shared& shared);

  // Reads the journal and installs the hook. Can be called again after an error; kInvalid: the driver can never work here.
  Status Open();
  // Works until `stop` is requested. An error says why the driver can never work here. `server` is for kubelet; null: there is none.
  // REQUIRES that Open returned ok, as everything below does.
  Status Run(rpc::Server* server, const Cancel& stop);
  // Ends what goes on after Run. The server was drained.
  void Stop();

  std::string_view name() const { return driver_.name(); }
  Preparer& preparer() {
    CHECK(preparer_.has_value());
    return *preparer_;
  }
  Result<Holdings> holdings() { return journal_->Read(); }
  // Whether state() is worth telling to people: the driver has looked at its devices, or waits for another program to go.
  bool settled();
  // Ok if everything that should be offered is, and kubelet can reach the driver. Otherwise says what is in the way.
  Status state();
  void AddMetrics(MetricsText& text);

 private:
  enum Fault { kJournal, kRepair };

  // When periodic work is due.
  struct Schedule {
    MonotonicTime health{}, repair{}, repair_again{}, leftovers{}, sweep{}, swept_at{};
    uint64_t changes = 0;  // of the devices when kubelet heard of them
  };

  Status InstallHook();
  void Work(const Cancel& stop);
  void TellHealth(Schedule& due);
  // Makes the journal, CDI files and the API agree.
  void Mend(const Result<Holdings>& holdings, const Cancel& stop, Schedule& due);
  void SetFault(Fault fault, Status status);

  Driver& driver_;
  const Shared shared_;
  const std::string state_folder_;
  Cdi cdi_;
  Offering offering_;
  std::optional<KubeletSide> kubelet_;
  std::unique_ptr<Journal> journal_;
  std::optional<Preparer> preparer_;
  Told repair_told_, sweep_told_, journal_told_;
  std::mutex mutex_;
  std::map<Fault, Status> faults_;
};

}  // namespace allot::node
