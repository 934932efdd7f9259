// The sockets of a node agent without the rest of it, for tests/node/rpc_peer.
//
//   rpc_server DIRECTORY
//
// Serves below DIRECTORY as a driver does below /var/lib/kubelet. The answer depends on the claim's name: "blocked" waits for the caller to
// give up, "exhausted" fails with RESOURCE_EXHAUSTED, and all others get a device. A health stream gets a new state every 10 ms. Prints the
// paths of its sockets. At the end of stdin it drains, prints what it used and ends.

#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "node/kubelet/registration.h"
#include "node/kubelet/sockets.h"
#include "node/rpc/server.h"

namespace allot::node {
namespace {

template <typename... Parts>
void Say(const Parts&... parts) {
  std::puts(StrCat(parts...).c_str());
  std::fflush(stdout);
}

Result<std::string> Prepare(rpc::DraVersion version, const rpc::Call& call, std::string_view request) {
  ASSIGN_OR_RETURN(const auto claims, rpc::DecodeClaims(request));
  std::vector<rpc::ClaimAnswer> answers;
  for (const ClaimRef& claim : claims) {
    if (claim.name == "exhausted") return Exhausted("no memory left: 100 % of 24 GiB \u2013 claim ", claim.uid);
    if (claim.name == "blocked") {
      Say("waits: ", claim.uid);
      pollfd cancelled{.fd = call.patience.cancel->fd(), .events = POLLIN, .revents = 0};
      poll(&cancelled, 1, 60'000);
      Say("gave up: ", claim.uid);
      return Unavailable("cancelled");
    }
    answers.push_back({.uid = claim.uid,
                       .devices = {{.requests = {"gpu"},
                                    .pool = "node-1",
                                    .device = "gpu-0",
                                    .share_id = "s-" + claim.uid,
                                    .cdi_ids = {"gpu.allot/claim=" + claim.uid}}},
                       .error = {}});
  }
  return rpc::EncodePrepared(version, answers);
}

Result<std::string> Unprepare(const rpc::Call&, std::string_view request) {
  ASSIGN_OR_RETURN(const auto claims, rpc::DecodeClaims(request));
  std::vector<rpc::ClaimAnswer> answers;
  for (const ClaimRef& claim : claims) answers.push_back({.uid = claim.uid, .devices = {}, .error = {}});
  return rpc::EncodeUnprepared(answers);
}

// The health of one device, with a growing number as its message.
class Health {
 public:
  Status Watch(std::shared_ptr<rpc::Stream> stream) {
    const std::lock_guard lock(mutex_);
    stream->Send(Message());
    streams_.push_back(std::move(stream));
    return Status();
  }
  void Advance() {
    const std::lock_guard lock(mutex_);
    ++round_;
    std::erase_if(streams_, [&](const auto& stream) { return !stream->Send(Message()); });
  }

 private:
  std::string Message() const {
    const auto state = round_ % 2 == 0 ? rpc::DeviceHealth::State::kHealthy : rpc::DeviceHealth::State::kUnhealthy;
    return rpc::EncodeHealth({{.pool = "node-1",
                               .device = "gpu-0",
                               .state = state,
                               .updated = SystemClock().Now(),
                               .timeout = std::chrono::seconds(30),
                               .message = StrCat("round ", round_)}});
  }

  std::mutex mutex_;
  int round_ = 0;
  std::vector<std::shared_ptr<rpc::Stream>> streams_;
};

std::string ProcessLine(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return line;
  }
  return name;
}

Status Run(const std::string& directory) {
  ASSIGN_OR_RETURN(
      const SocketPaths paths,
      PathsOf(
          {.plugins_dir = directory + "/plugins", .registry_dir = directory + "/plugins_registry", .driver = "gpu.allot", .pod_uid = {}}));
  Health health;
  auto services = std::make_shared<rpc::Services>();
  for (const auto version : {rpc::DraVersion::kV1, rpc::DraVersion::kV1beta1}) {
    services->Add(rpc::DraPath(version, "NodePrepareResources"),
                  [version](const rpc::Call& call, std::string_view request) { return Prepare(version, call, request); });
    services->Add(rpc::DraPath(version, "NodeUnprepareResources"), Unprepare);
  }
  for (const char* const version : {"v1", "v1alpha1"}) {
    services->AddStream(
        StrCat("/", version, ".DRAResourceHealth/NodeWatchResources"),
        [&](const rpc::Call&, std::string_view, std::shared_ptr<rpc::Stream> stream) { return health.Watch(std::move(stream)); });
  }
  Registration registration(Registration::DraPlugin("gpu.allot", paths.service), [](const rpc::RegistrationStatus& status) {
    Say("registered: ", status.registered ? "yes" : "no ", status.error);
  });
  auto registration_services = std::make_shared<rpc::Services>();
  registration.AddTo(*registration_services);

  ASSIGN_OR_RETURN(const auto server, rpc::Server::Start({}));
  ASSIGN_OR_RETURN(auto service_socket, ListenAt(paths.service));
  server->Serve(std::move(service_socket), services);
  ASSIGN_OR_RETURN(auto registration_socket, ListenAt(paths.registration));
  server->Serve(std::move(registration_socket), registration_services);
  Say("service: ", paths.service, "\nregistration: ", paths.registration);

  for (;;) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, 10) > 0) break;
    health.Advance();
  }
  server->Drain(SystemClock().MonotonicNow() + std::chrono::seconds(5));
  Say("calls: ", server->stats().calls, "\n", ProcessLine("VmRSS"), "\n", ProcessLine("RssAnon"));
  return registration.state();
}

}  // namespace
}  // namespace allot::node

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: rpc_server DIRECTORY\n");
    return 2;
  }
  mallopt(M_ARENA_MAX, 1);  // as the agent does: rpc/server.h
  const allot::Status status = allot::node::Run(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
