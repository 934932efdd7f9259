#pragma once
// One driver's side towards kubelet: it registers the driver, serves claims and the health of devices, and keeps the sockets reachable.
//
//   kubelet ──► sockets ──► Registration, DraService (claims), HealthService (devices)
//
// The server that moves the bytes is shared with other drivers. One thread calls these functions; state() and the rpc calls come from
// others.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/status.h"
#include "node/driver.h"
#include "node/kubelet/dra_service.h"
#include "node/kubelet/health_service.h"
#include "node/kubelet/registration.h"
#include "node/kubelet/rivals.h"
#include "node/kubelet/sockets.h"
#include "node/metrics.h"
#include "node/prepare/prepare.h"
#include "node/rpc/server.h"
#include "node/told.h"

namespace allot::node {

class KubeletSide {
 public:
  // The marks of our sockets are in `state_folder`. All references must outlive it, and it must outlive the server that Serve gets.
  KubeletSide(const SocketPlaces& places, std::string state_folder, const Driver& driver, FileSystem& files, Log& log);

  // kInvalid: a path is too long (sockets.h). Everything else requires ok.
  Status CheckPaths() const { return paths_.status(); }
  // Waits until no other program serves this driver's name on the node. False: `stop` was requested.
  bool AwaitAlone(const Cancel& stop);
  // Serves kubelet from now on. kInvalid: a path cannot be used. Other errors pass; state() shows them and Keep tries again.
  Status Serve(Preparer& preparer, rpc::Server& server);
  // To be called now and then: makes a socket again if its file is gone or belongs to an agent that ended.
  void Keep();
  // Tells kubelet how the devices are. To be called again before `timeout` has passed, since kubelet forgets.
  void TellHealth(std::span<const DeviceReport> devices, const std::string& node_name, WallTime now, std::chrono::seconds timeout);
  // The sockets are no longer ours. After the server was drained.
  void Stop();

  const std::string& socket() const { return paths_->service; }
  const CallMetrics& metrics() const { return calls_; }
  // Ok if kubelet has registered the driver and can reach it.
  Status state();
  // Whether the agent waits for another program to go.
  bool waiting();

 private:
  Status Listen();
  Status CheckSockets();
  void Set(Status& place, Status status);

  const DriverSockets sockets_at_;
  const std::string take_over_;
  const Result<SocketPaths> paths_;
  FileSystem& files_;
  Log& log_;
  CallMetrics calls_;
  HealthService health_;
  std::optional<DraService> dra_;
  std::optional<Registration> registration_;
  SocketMark mark_;
  Told rival_told_, sockets_told_;
  std::mutex mutex_;
  Status rival_, sockets_;  // what is in the way
  const std::shared_ptr<rpc::Services> services_ = std::make_shared<rpc::Services>();
  const std::shared_ptr<rpc::Services> registration_services_ = std::make_shared<rpc::Services>();
  rpc::Server* server_ = nullptr;
};

}  // namespace allot::node
