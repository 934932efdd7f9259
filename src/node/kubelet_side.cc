#include "node/kubelet_side.h"

#include "node/devices.h"
#include "node/monitor.h"
#include "node/rest.h"

namespace allot::node {

namespace {

using std::chrono::seconds;

constexpr seconds kRivalEvery{5};
constexpr seconds kDrain{10};
constexpr size_t kMaxCalls = 256;  // of kubelet at once; each may wait for another one to end

}  // namespace

KubeletSide::KubeletSide(const SocketPlaces& places, std::string state_folder, FileSystem& files, Log& log)
    : registry_(places.registry_dir), state_folder_(std::move(state_folder)), paths_(PathsOf(places)), files_(files), log_(log) {}

Status KubeletSide::Start(const std::string& health_address, std::function<Status()> ready) {
  registration_.emplace(Registration::DraPlugin(std::string(kDriver), paths_->service), [this](const rpc::RegistrationStatus& status) {
    if (status.registered) return log_.Info("registered with kubelet");
    log_.Error("not registered with kubelet", {{"error", status.error}});
  });
  ASSIGN_OR_RETURN(server_, rpc::Server::Start({.workers = {.max_threads = kMaxCalls}}));
  if (health_address.empty()) return {};
  auto checks = std::make_shared<rpc::Services>();
  AddHealthCheck(*checks, std::move(ready));
  ASSIGN_OR_RETURN(http::Listener listener, ListenTcp(health_address).Context("gRPC health"));
  // Anybody on the network may ask, and asks for little.
  server_->Serve(std::move(listener), checks, {.limits = {.max_message = 1 << 10, .max_requests = 16 << 10, .max_streams = 8}});
  return {};
}

bool KubeletSide::AwaitAlone(const Cancel& stop, const std::function<void(const Status&)>& on_wait) {
  for (;;) {
    const Status alone = CheckDraDriver(files_, registry_, state_folder_);
    if (rival_told_.IsNew(alone) && !alone.ok()) log_.Error("not serving", {{"error", std::string(alone.message())}});
    Set(waiting_, alone);
    on_wait(alone);
    if (alone.ok()) return !stop.requested();
    if (!Rest(kRivalEvery, stop)) return false;
  }
}

Status KubeletSide::Serve(Preparer& preparer) {
  RemoveDeadSockets(files_, registry_, state_folder_);
  dra_.emplace(preparer, calls_, log_);
  dra_->AddTo(*services_);
  health_.AddTo(*services_);
  registration_->AddTo(*registration_services_);
  return Listen();
}

Status KubeletSide::Listen() {
  ASSIGN_OR_RETURN(http::Listener service, ListenAt(paths_->service));
  server_->Serve(std::move(service), services_);
  ASSIGN_OR_RETURN(http::Listener registrar, ListenAt(paths_->registration));
  ASSIGN_OR_RETURN(mark_, MarkSocket(files_, state_folder_, paths_->registration));
  server_->Serve(std::move(registrar), registration_services_);
  return {};
}

Status KubeletSide::CheckSockets() {
  if (IsSocketMarked(files_, mark_, paths_->registration) && files_.Exists(paths_->service)) return {};
  TRY(CheckSocketFree(paths_->registration));
  log_.Warning("the sockets were gone; they are made again", {{"socket", paths_->registration}});
  return Listen();
}

void KubeletSide::Keep() {
  const Status serving = CheckSockets();
  Set(sockets_, serving);
  if (sockets_told_.IsNew(serving) && !serving.ok()) log_.Error("kubelet cannot reach this agent", {{"error", serving.message()}});
}

void KubeletSide::Stop() {
  server_->Drain(std::chrono::steady_clock::now() + kDrain);
  UnmarkSocket(files_, mark_);
}

void KubeletSide::Set(Status& place, Status status) {
  const std::lock_guard lock(mutex_);
  place = std::move(status);
}

Status KubeletSide::state() {
  {
    const std::lock_guard lock(mutex_);
    TRY(Status(waiting_));
    TRY(Status(sockets_));
  }
  return registration_->state();
}

}  // namespace allot::node
