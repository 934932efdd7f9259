#include "node/agent.h"

#include <malloc.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "base/rest.h"
#include "node/bulletin.h"
#include "node/driver_side.h"
#include "node/kube_world.h"
#include "node/monitor.h"
#include "node/told.h"

namespace allot::node {

namespace {

using std::chrono::seconds;

constexpr seconds kTick{1};
constexpr seconds kIdle{10};  // after the last call, before memory goes back to the system
constexpr seconds kDrain{10};
constexpr seconds kOpenAgain{5};   // after an error that may pass
constexpr size_t kMaxCalls = 256;  // of kubelet at once; each may wait for another one to end

}  // namespace

class Agent::Parts {
 public:
  Parts(AgentOptions options, std::vector<AgentDriver> drivers, kube::Client& client, FileSystem& files, const Clock& clock, Random& random,
        Log& log)
      : options_(std::move(options)), clock_(clock), log_(log), world_(client), bulletin_(client, options_.pod, options_.node_name, clock) {
    CHECK(!drivers.empty());
    for (AgentDriver& each : drivers) {
      sides_.push_back(std::make_unique<Side>(each.driver, std::move(each.state_folder),
                                              DriverSide::Shared{options_, client, world_, files, clock, random, log}));
    }
  }

  Status Open() {
    opened_ = true;
    if (options_.kubelet && options_.hook_program.empty()) {
      log_.Warning("there is no allot-cdi-hook beside this program: containers must find the driver's libraries by themselves");
    }
    for (const auto& each : sides_) each->ended = each->side.Open();
    return FirstError();
  }

  Status Run(const Cancel& stop) {
    if (!opened_) TRY(Open());
    TRY(StartServers());
    for (const auto& each : sides_) each->thread = std::thread([this, &stop, &side = *each] { Live(side, stop); });
    Watch(stop);
    for (const auto& each : sides_) each->thread.join();
    if (server_) {
      log_.Info("stopping");
      server_->Drain(std::chrono::steady_clock::now() + kDrain);
    }
    for (const auto& each : sides_) each->side.Stop();
    return stop.requested() ? Status() : FirstError();
  }

  Preparer& preparer(std::string_view driver) {
    const auto found = std::find_if(sides_.begin(), sides_.end(), [&](const auto& each) { return each->side.name() == driver; });
    CHECK(found != sides_.end());
    return (*found)->side.preparer();
  }

  Status state() { return StateOf(Sides::kAll); }

 private:
  enum class Sides { kAll, kSettled };

  Status StateOf(Sides which) {
    std::string faults;
    Code code = Code::kOk;
    for (const auto& each : sides_) {
      const Status state = StateOf(*each);
      if (state.ok() || (which == Sides::kSettled && !IsSettled(*each))) continue;
      if (sides_.size() == 1) return state;
      if (faults.empty()) code = state.code();
      faults += StrCat(faults.empty() ? "" : "; ", "driver ", each->side.name(), ": ", state.message());
    }
    return faults.empty() ? Status() : Status(code, std::move(faults));
  }

  struct Side {
    Side(Driver& driver, std::string state_folder, const DriverSide::Shared& shared) : side(driver, std::move(state_folder), shared) {}

    DriverSide side;
    // Under the mutex once threads run.
    Status ended;       // not ok: why the driver does not work
    bool done = false;  // the driver does not try again
    Told told;          // of `ended`
    std::thread thread;
  };

  // The life of one driver, in its own thread.
  void Live(Side& side, const Cancel& stop) {
    Work(side, stop);
    const std::lock_guard lock(mutex_);
    side.done = true;
  }

  void Work(Side& side, const Cancel& stop) {
    for (Status opened = EndOf(side); !opened.ok();) {
      SetEnd(side, opened);
      if (opened.code() == Code::kInvalid || !Rest(kOpenAgain, stop)) return;
      opened = side.side.Open();
      if (opened.ok()) SetEnd(side, opened);
    }
    SetEnd(side, side.side.Run(server_.get(), stop));
  }

  void SetEnd(Side& side, Status ended) {
    const std::lock_guard lock(mutex_);
    side.ended = std::move(ended);
    // Run returns the error of the only driver.
    if (!side.told.IsNew(side.ended) || side.ended.ok() || sides_.size() == 1) return;
    log_.Error("this driver does not work", {{"driver", std::string(side.side.name())}, {"error", side.ended.message()}});
  }

  Status EndOf(const Side& side) {
    const std::lock_guard lock(mutex_);
    return side.ended;
  }

  // Ok if a driver works. Otherwise the first driver's error.
  Status FirstError() {
    const std::lock_guard lock(mutex_);
    const bool all = std::none_of(sides_.begin(), sides_.end(), [](const auto& each) { return each->ended.ok(); });
    return all ? sides_.front()->ended : Status();
  }

  // Whether no driver works or tries to.
  bool AreDone() {
    const std::lock_guard lock(mutex_);
    return std::all_of(sides_.begin(), sides_.end(), [](const auto& each) { return each->done; });
  }

  bool IsSettled(Side& side) { return !EndOf(side).ok() || side.side.settled(); }

  Status StateOf(Side& side) {
    TRY(EndOf(side));
    return side.side.state();
  }

  // What all drivers share, and what shows how the agent is, even while a driver waits for something.
  Status StartServers() {
    const auto ready = [this] { return state(); };
    if (options_.kubelet) {
      ASSIGN_OR_RETURN(server_, rpc::Server::Start({.workers = {.max_threads = kMaxCalls}}));
      if (!options_.health_address.empty()) {
        auto checks = std::make_shared<rpc::Services>();
        AddHealthCheck(*checks, ready);
        ASSIGN_OR_RETURN(http::Listener listener, ListenTcp(options_.health_address).Context("gRPC health"));
        // Any program on the network can ask, and a question is short.
        server_->Serve(std::move(listener), checks, {.limits = {.max_message = 1 << 10, .max_requests = 16 << 10, .max_streams = 8}});
      }
    }
    if (options_.http_address.empty()) return {};
    ASSIGN_OR_RETURN(monitor_, StartMonitor(options_.http_address, {[this] { return Metrics(); }, ready}).Context("metrics"));
    return {};
  }

  // Until `stop` is requested or no driver is left.
  void Watch(const Cancel& stop) {
    std::optional<MonotonicTime> trim_at = clock_.MonotonicNow() + kIdle;
    uint64_t calls = 0;
    do {
      // A driver that waits for its hardware must not hide the fault of another one.
      const bool any = std::any_of(sides_.begin(), sides_.end(), [&](const auto& each) { return IsSettled(*each); });
      if (any) bulletin_.Tell(StateOf(Sides::kSettled));
      ForgetPods();
      const MonotonicTime now = clock_.MonotonicNow();
      const uint64_t calls_now = server_ ? server_->stats().calls : 0;
      if (std::exchange(calls, calls_now) != calls_now) trim_at = now + kIdle;
      if (trim_at && now >= *trim_at) {
        ::malloc_trim(0);
        trim_at.reset();
      }
    } while (Rest(kTick, stop) && !AreDone());
  }

  void ForgetPods() {
    if (!world_.IsCrowded()) return;
    std::set<std::string, std::less<>> held;
    for (const auto& each : sides_) {
      if (!EndOf(*each).ok()) continue;
      const Result<Holdings> holdings = each->side.holdings();
      if (!holdings.ok()) return;
      for (const auto& [uid, holding] : *holdings) held.insert(uid);
    }
    world_.KeepOnly(held);
  }

  std::string Metrics() {
    MetricsText text;
    for (const auto& each : sides_) {
      if (EndOf(*each).ok()) each->side.AddMetrics(text);
    }
    return text.ToString();
  }

  const AgentOptions options_;
  const Clock& clock_;
  Log& log_;
  KubeWorld world_;
  Bulletin bulletin_;
  bool opened_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Side>> sides_;
  // Behind the drivers' sides, which the services refer to.
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<http::Server> monitor_;
};

Agent::Agent(AgentOptions options, std::vector<AgentDriver> drivers, kube::Client& client, FileSystem& files, const Clock& clock,
             Random& random, Log& log)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(drivers), client, files, clock, random, log)) {}

Agent::~Agent() = default;

Status Agent::Open() { return parts_->Open(); }
Status Agent::Run(const Cancel& stop) { return parts_->Run(stop); }
Preparer& Agent::preparer(std::string_view driver) { return parts_->preparer(driver); }
Status Agent::state() { return parts_->state(); }

}  // namespace allot::node
