// A candidate for a Lease: leader_probe NAMESPACE LEASE IDENTITY (the server is that of KUBECONFIG).
//
// Prints a line for each callback: "SECONDS started", "SECONDS stopped", "SECONDS leader IDENTITY". The times are of CLOCK_MONOTONIC, which
// all processes of the machine share. Records an Event at the Lease when it starts to lead. On SIGTERM it releases the Lease and ends.

#include <csignal>
#include <cstdio>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/random.h"
#include "kube/client.h"
#include "kube/config/config.h"
#include "kube/events.h"
#include "kube/leader/leader.h"

namespace {

using namespace allot;

void Say(const std::string& what) {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  std::printf("%.3f %s\n", now.count(), what.c_str());
  std::fflush(stdout);
}

Status Run(const std::string& namespace_name, const std::string& lease_name, const std::string& identity) {
  const PosixFileSystem files;
  const SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(kube::Config config, kube::LoadConfig(kube::SystemConfigSources(files, clock)));
  ASSIGN_OR_RETURN(const auto client, kube::Client::Make(std::move(config), {.user_agent = "allot-leader-probe"}));
  kube::EventRecorder events(*client, {.component = "leader-probe"}, clock);
  const kube::ObjectReference about{kube::types::kLeases.ApiVersion(), kube::types::kLeases.kind, namespace_name, lease_name, "", ""};
  kube::KubeLease lease(*client, namespace_name, lease_name);
  const kube::LeaderElection::Callbacks callbacks = {
      [&] {
        Say("started");
        events.Record(about, kube::EventType::kNormal, "LeaderElection", StrCat(identity, " became leader"));
      },
      [] { Say("stopped"); }, [](const std::string& leader) { Say(StrCat("leader ", leader)); }};
  const kube::LeaderOptions options{.identity = identity};
  TRY(options.Check());
  kube::LeaderElection election(lease, options, random, callbacks);
  election.Start();
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  int signal = 0;
  sigwait(&signals, &signal);
  Say("asked to end");
  election.Stop();
  events.Flush({std::chrono::steady_clock::now() + std::chrono::seconds(2), nullptr});
  Say("ended");
  return Status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: leader_probe NAMESPACE LEASE IDENTITY\n", stderr);
    return 2;
  }
  // Block the signal for sigwait before there are threads, which inherit the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const allot::Status status = Run(argv[1], argv[2], argv[3]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}
