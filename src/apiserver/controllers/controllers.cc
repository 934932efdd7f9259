#include "apiserver/controllers/controllers.h"

#include "apiserver/controllers/bootstrap.h"
#include "apiserver/controllers/claim_release.h"
#include "apiserver/controllers/definitions.h"
#include "apiserver/controllers/events.h"
#include "apiserver/controllers/garbage.h"
#include "apiserver/controllers/namespaces.h"
#include "apiserver/controllers/nodes.h"
#include "apiserver/controllers/pod_claims.h"
#include "apiserver/controllers/pod_garbage.h"
#include "apiserver/controllers/service_accounts.h"
#include "apiserver/controllers/workloads/deployments.h"
#include "apiserver/controllers/workloads/jobs.h"
#include "apiserver/controllers/workloads/replica_sets.h"
#include "apiserver/kinds/custom/kind.h"

namespace allot::apiserver {

Controllers::Controllers(Api& api, WatchHub& hub, const Clock& clock, Log* log) : api_(api), clock_(clock), loop_(api, clock, log) {
  World& world = loop_.world();
  auto definitions =
      std::make_unique<Definitions>(world, Definitions::Parts{KindsOf, [&hub](const std::string& resource) { hub.End(resource); }});
  definitions_ = definitions.get();
  loop_.Add(std::move(definitions));
  loop_.Add(std::make_unique<Namespaces>(world));
  loop_.Add(std::make_unique<ServiceAccounts>(world));
  loop_.Add(std::make_unique<Garbage>(world));
  loop_.Add(std::make_unique<PodClaims>(world));
  loop_.Add(std::make_unique<ClaimRelease>(world));
  loop_.Add(std::make_unique<Nodes>(world));
  loop_.Add(std::make_unique<ReplicaSets>(world));
  loop_.Add(std::make_unique<Deployments>(world));
  loop_.Add(std::make_unique<Jobs>(world));
  loop_.Add(std::make_unique<JobOrphans>(world));
  loop_.Add(std::make_unique<PodGarbage>(world));
  loop_.Add(std::make_unique<Events>(world));
  // The loop reads the changes from the store; the hub only signals that there are some.
  hub.Listen([bell = bell_](const ChangePtr&) {
    const std::lock_guard lock(bell->mutex);
    bell->changed = true;
    bell->rung.notify_one();
  });
}

Controllers::~Controllers() {
  {
    const std::lock_guard lock(bell_->mutex);
    bell_->stop = true;
    bell_->rung.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

Status Controllers::Start() {
  definitions_->ServeStored();
  TRY(MakeSystemObjects(api_));
  thread_ = std::thread([this] { Run(); });
  return Status();
}

void Controllers::Run() {
  loop_.LookAtEverything();
  for (;;) {
    {
      const std::lock_guard lock(bell_->mutex);
      if (bell_->stop) return;
      bell_->changed = false;
    }
    if (loop_.Step()) continue;
    std::unique_lock lock(bell_->mutex);
    const auto awake = [&] { return bell_->changed || bell_->stop; };
    if (const std::optional<MonotonicTime> due = loop_.next_due()) {
      bell_->rung.wait_for(lock, *due - clock_.MonotonicNow(), awake);
    } else {
      bell_->rung.wait(lock, awake);
    }
  }
}

}  // namespace allot::apiserver
