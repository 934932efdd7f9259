#include "node/kubelet/kubelet_side.h"

#include "base/rest.h"

namespace allot::node {

namespace {

constexpr std::chrono::seconds kRivalEvery{5};

rpc::DeviceHealth::State StateOf(DeviceReport::Health health) {
  switch (health) {
    case DeviceReport::Health::kUnknown: return rpc::DeviceHealth::State::kUnknown;
    case DeviceReport::Health::kHealthy: return rpc::DeviceHealth::State::kHealthy;
    case DeviceReport::Health::kUnhealthy: return rpc::DeviceHealth::State::kUnhealthy;
  }
  return rpc::DeviceHealth::State::kUnknown;
}

}  // namespace

KubeletSide::KubeletSide(const SocketPlaces& places, std::string state_folder, const Driver& driver, FileSystem& files, Log& log)
    : sockets_at_{places.driver, places.registry_dir, std::move(state_folder)},
      take_over_(driver.take_over()),
      paths_(PathsOf(places)),
      files_(files),
      log_(log),
      calls_(places.driver, driver.metric_names().prefix) {
  if (!paths_.ok()) return;
  registration_.emplace(Registration::DraPlugin(sockets_at_.driver, paths_->service), [this](const rpc::RegistrationStatus& status) {
    if (status.registered) return log_.Info("registered with kubelet", {{"driver", sockets_at_.driver}});
    log_.Error("not registered with kubelet", {{"error", status.error}, {"driver", sockets_at_.driver}});
  });
}

bool KubeletSide::AwaitAlone(const Cancel& stop) {
  for (;;) {
    const Status alone = CheckDraDriver(files_, sockets_at_, take_over_);
    if (rival_told_.IsNew(alone) && !alone.ok()) log_.Error("not serving", {{"error", std::string(alone.message())}});
    Set(rival_, alone);
    if (alone.ok()) return !stop.requested();
    if (!Rest(kRivalEvery, stop)) return false;
  }
}

Status KubeletSide::Serve(Preparer& preparer, rpc::Server& server) {
  RemoveDeadSockets(files_, sockets_at_);
  server_ = &server;
  dra_.emplace(preparer, calls_, log_);
  dra_->AddTo(*services_);
  health_.AddTo(*services_);
  registration_->AddTo(*registration_services_);
  Status listening = Listen();
  if (listening.code() == Code::kInvalid) return listening;
  if (!listening.ok()) log_.Error("kubelet cannot reach this agent", {{"error", listening.message()}, {"driver", sockets_at_.driver}});
  Set(sockets_, std::move(listening));
  return {};
}

Status KubeletSide::Listen() {
  // The server gets both sockets or none, since Keep calls this every second until it returns ok.
  ASSIGN_OR_RETURN(http::Listener service, ListenAt(paths_->service));
  ASSIGN_OR_RETURN(http::Listener registrar, ListenAt(paths_->registration));
  ASSIGN_OR_RETURN(mark_, MarkSocket(files_, sockets_at_.state, paths_->registration));
  server_->Serve(std::move(service), services_);
  server_->Serve(std::move(registrar), registration_services_);
  return {};
}

Status KubeletSide::CheckSockets() {
  const bool ours = IsSocketMarked(files_, mark_, paths_->registration);
  if (ours && files_.Exists(paths_->service)) return {};
  if (!ours) TRY(CheckSocketFree(paths_->registration));
  log_.Warning("the sockets were missing; making them again", {{"socket", paths_->registration}});
  return Listen();
}

void KubeletSide::Keep() {
  const Status serving = CheckSockets();
  Set(sockets_, serving);
  if (sockets_told_.IsNew(serving) && !serving.ok()) {
    log_.Error("kubelet cannot reach this agent", {{"error", serving.message()}, {"driver", sockets_at_.driver}});
  }
}

void KubeletSide::TellHealth(std::span<const DeviceReport> devices, const std::string& node_name, WallTime now,
                             std::chrono::seconds timeout) {
  std::vector<rpc::DeviceHealth> health;
  for (const DeviceReport& device : devices) {
    health.push_back({node_name, device.device, StateOf(device.health), now, timeout, device.message});
  }
  health_.Update(health);
}

void KubeletSide::Stop() { UnmarkSocket(files_, mark_); }

void KubeletSide::Set(Status& place, Status status) {
  const std::lock_guard lock(mutex_);
  place = std::move(status);
}

Status KubeletSide::state() {
  {
    const std::lock_guard lock(mutex_);
    TRY(Status(rival_));
    TRY(Status(sockets_));
  }
  return registration_->state();
}

bool KubeletSide::waiting() {
  const std::lock_guard lock(mutex_);
  return !rival_.ok();
}

}  // namespace allot::node
