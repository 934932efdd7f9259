#pragma once
// The node agent's side towards kubelet: it registers, serves claims and the health of devices, and stays reachable.
//
//   kubelet ──► sockets ──► Registration, DraService (claims), HealthService (devices)
//
// Driven by one thread; state() and the rpc calls come from others.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/status.h"
#include "node/dra_service.h"
#include "node/health_service.h"
#include "node/metrics.h"
#include "node/prepare.h"
#include "node/registration.h"
#include "node/rivals.h"
#include "node/rpc/server.h"
#include "node/sockets.h"
#include "node/told.h"

namespace allot::node {

class KubeletSide {
 public:
  // All must outlive it. `state_folder` has the marks of our sockets.
  KubeletSide(const SocketPlaces& places, std::string state_folder, FileSystem& files, Log& log);

  // kInvalid: a path is too long (sockets.h).
  Status CheckPaths() const { return paths_.status(); }
  // Health by gRPC at `health_address`, empty: none, also while nobody is served yet. `ready` is asked for it. REQUIRES CheckPaths().
  Status Start(const std::string& health_address, std::function<Status()> ready);
  // Waits until no other driver serves this node; `on_wait` hears how it is. False: asked to stop.
  bool AwaitAlone(const Cancel& stop, const std::function<void(const Status&)>& on_wait);
  // Serves kubelet from now on.
  Status Serve(Preparer& preparer);
  // To be called now and then: a socket whose file is gone, or that another agent left behind, is made anew.
  void Keep();
  void TellHealth(std::vector<rpc::DeviceHealth> devices) { health_.Update(std::move(devices)); }
  // Calls under way end, sockets go.
  void Stop();

  const std::string& socket() const { return paths_->service; }
  const CallMetrics& metrics() const { return calls_; }
  uint64_t calls() const { return server_->stats().calls; }
  // Ok: kubelet has us, and finds us.
  Status state();

 private:
  Status Listen();
  Status CheckSockets();
  void Set(Status& place, Status status);

  const std::string registry_, state_folder_;
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
  Status waiting_, sockets_;  // what is in the way
  const std::shared_ptr<rpc::Services> services_ = std::make_shared<rpc::Services>();
  const std::shared_ptr<rpc::Services> registration_services_ = std::make_shared<rpc::Services>();
  std::unique_ptr<rpc::Server> server_;
};

}  // namespace allot::node
