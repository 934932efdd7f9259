#pragma once
// For tests: an agent that serves two drivers at once, the embedded API, and the calls that kubelet makes. NVIDIA's driver runs on a fake
// NVML library; the devices of the other driver have to be made.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "apiserver/server.h"
#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"
#include "http/test_client.h"
#include "json/json.h"
#include "node/agent.h"
#include "node/nvidia/driver.h"
#include "node/prepare/made_device_driver.h"
#include "node/rpc/test_kubelet.h"

namespace allot::node {

inline constexpr std::string_view kNvidia = "gpu.nvidia.com";
inline constexpr std::string_view kMade = MadeDeviceDriver::kName;

class Everybody final : public apiserver::Access {
 public:
  std::optional<apiserver::Identity> Identify(const http::RequestContext&) const override {
    return apiserver::Identity{"system:admin", "", {"system:authenticated", "system:masters"}};
  }
  Status Allow(const apiserver::Identity&, const apiserver::Ask&) const override { return Status(); }
};

class AgentFixture : public testing::Test {
 protected:
  AgentFixture() {
    std::string name = std::filesystem::temp_directory_path() / "allot-agent-XXXXXX";
    CHECK(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    hardware_.folder = folder_ + "/hardware";
    apiserver::ServerOptions options;
    options.store = folder_ + "/store.db";
    api_ = *apiserver::Server::Start(options, access_, clock_, random_);
    kube::Config config;
    config.server = api_->url();
    client_ = *kube::Client::Make(std::move(config));
    EXPECT_OK(client_->Create(kube::types::kNodes, "", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})"));
    EXPECT_OK(client_->Create(kube::types::kNamespaces, "", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"lab"}})"));
    // What containers of NVIDIA's driver need besides the library.
    const std::string root = machine_.driver_root().path();
    std::filesystem::create_directories(root + "/dev");
    for (const std::string path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/usr/lib64/libcuda.so.580.105.08"}) {
      std::ofstream(root + path) << "";
    }
  }
  ~AgentFixture() override {
    Stop();
    api_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Both drivers and the agent, as a process has them.
  struct Process {
    explicit Process(AgentFixture& test)
        : nvidia({.node_name = "n1",
                  .driver_root = {"/", test.machine_.driver_root().path()},
                  .toolkit_folders = {},
                  .sys = test.machine_.sysfs()},
                 test.files_, test.clock_, test.log_),
          made(test.files_, test.hardware_),
          agent(OptionsOf(test), {{nvidia}, {made}}, *test.client_, test.files_, test.clock_, test.random_, test.log_) {}
    static AgentOptions OptionsOf(const AgentFixture& test) {
      AgentOptions options;
      options.node_name = "n1";
      options.sockets.plugins_dir = test.folder_ + "/plugins";
      options.sockets.registry_dir = test.folder_ + "/registry";
      options.cdi_folder = test.folder_ + "/cdi";
      return options;
    }

    node::nvidia::Driver nvidia;
    MadeDeviceDriver made;
    Agent agent;
    Cancel stop;
    Status ended;
    std::thread thread;
  };

  void Start() {
    process_ = std::make_unique<Process>(*this);
    process_->thread = std::thread([this] { process_->ended = process_->agent.Run(process_->stop); });
  }
  void Stop() {
    if (!process_) return;
    process_->stop.Request();
    process_->thread.join();
    EXPECT_OK(process_->ended);
    process_.reset();
  }

  std::string SocketOf(std::string_view driver) const { return StrCat(folder_, "/plugins/", driver, "/dra.sock"); }
  std::string JournalOf(std::string_view driver) const { return StrCat(folder_, "/plugins/", driver, "/journal"); }
  std::string SpecOf(std::string_view driver, const ClaimRef& claim) const {
    return StrCat(folder_, "/cdi/k8s.", driver, "-claim_", claim.uid, ".yaml");
  }
  // Whether kubelet would find the driver.
  bool AwaitServing(std::string_view driver) const {
    return http::test::Eventually([&] { return files_.Exists(StrCat(folder_, "/registry/", driver, "-reg.sock")); });
  }
  // Does what kubelet does when it finds the registration socket.
  void Register(std::string_view driver) const {
    ASSERT_TRUE(AwaitServing(driver));
    const rpc::PluginInfo info = rpc::test::Register(StrCat(folder_, "/registry/", driver, "-reg.sock"));
    EXPECT_EQ(info.name, driver);
    EXPECT_EQ(info.endpoint, SocketOf(driver));
  }
  bool AwaitReady() {
    return http::test::Eventually([&] { return process_->agent.state().ok(); });
  }
  // Waits, since the agent knows only later than the API server what it has published.
  void ExpectState(Code code, const std::string& message) {
    const auto is_so = [&] { return process_->agent.state().code() == code && process_->agent.state().message() == message; };
    EXPECT_TRUE(http::test::Eventually(is_so)) << process_->agent.state().ToString();
  }

  std::vector<std::string> Published(std::string_view driver) const {
    std::vector<std::string> names;
    const auto add = [&](const kube::ObjectPtr& slice) {
      const json::Value& spec = slice->json()["spec"];
      if (spec["driver"].AsString() != driver || !spec["devices"].IsArray()) return;
      for (const json::Value& device : spec["devices"].Items()) names.emplace_back(device["name"].AsString());
    };
    EXPECT_OK(client_->List(kube::types::kResourceSlices, "", {}, add));
    return names;
  }
  bool AwaitPublished(std::string_view driver, const std::vector<std::string>& devices) const {
    return http::test::Eventually([&] { return Published(driver) == devices; });
  }

  // A claim that has these devices.
  ClaimRef Allocate(const std::string& name, const std::vector<std::pair<std::string_view, std::string>>& devices) const {
    std::string requests, results;
    for (const auto& [driver, device] : devices) {
      const std::string_view comma = requests.empty() ? "" : ",";
      requests += StrCat(comma, R"({"name":")", device, R"(","exactly":{"deviceClassName":"any"}})");
      results += StrCat(comma, R"({"request":")", device, R"(","driver":")", driver, R"(","pool":"n1","device":")", device, R"("})");
    }
    const std::string head = StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"namespace":"lab","name":")",
                                    name, R"("},"spec":{"devices":{"requests":[)", requests, "]}}");
    const auto made = client_->Create(kube::types::kResourceClaims, "lab", head + "}");
    EXPECT_OK(made);
    const std::string status = StrCat(head, R"(,"status":{"allocation":{"devices":{"results":[)", results, "]}}}}");
    EXPECT_OK(client_->Update(kube::types::kResourceClaims, "lab", name, status, "status"));
    return {"lab", name, std::string((*made)->uid())};
  }

  Result<std::vector<std::string>> Prepare(std::string_view driver, const ClaimRef& claim) const {
    return rpc::test::Prepare(SocketOf(driver), claim);
  }
  Status Unprepare(std::string_view driver, const ClaimRef& claim) const { return rpc::test::Unprepare(SocketOf(driver), claim); }
  std::string HealthOf(std::string_view driver) const { return rpc::test::Health(SocketOf(driver)); }

  std::string Read(const std::string& path) const {
    const Result<std::string> text = files_.ReadFile(path, 1 << 20);
    return text.ok() ? *text : std::string();
  }
  std::vector<std::string> Made() const {
    const Result<std::vector<std::string>> names = files_.List(hardware_.folder);
    return names.ok() ? *names : std::vector<std::string>();
  }
  std::string Logged() {
    const std::lock_guard lock(log_mutex_);
    return log_text_;
  }

  std::string folder_;
  device::nvidia::FakeMachine machine_{"gpus: [{model: rtx3090, uuid: GPU-0}]"};
  PosixFileSystem files_;
  // Real time, which a test can set forward.
  class ForwardClock final : public Clock {
   public:
    WallTime Now() const override { return SystemClock().Now(); }
    MonotonicTime MonotonicNow() const override { return SystemClock().MonotonicNow() + std::chrono::seconds(ahead_.load()); }
    void Forward(std::chrono::seconds time) { ahead_ += time.count(); }

   private:
    std::atomic<int64_t> ahead_{0};
  };
  // Waits for an event "REASON: MESSAGE" that begins with this text. Errors that last are recorded, so time passes meanwhile.
  bool AwaitEvent(std::string_view text) {
    return http::test::Eventually([&] {
      clock_.Forward(std::chrono::seconds(11));
      bool found = false;
      const auto look = [&](const kube::ObjectPtr& event) {
        const json::Value& json = event->json();
        found = found || StrCat(json["reason"].AsString(), ": ", json["message"].AsString()).starts_with(text);
      };
      EXPECT_OK(client_->List(kube::types::kEvents, "", {}, look));
      return found;
    });
  }

  ForwardClock clock_;
  SystemRandom random_;
  std::mutex log_mutex_;
  std::string log_text_;
  Log log_{clock_, Log::Format::kText, [this](std::string_view line) {
             const std::lock_guard lock(log_mutex_);
             log_text_ += line;
           }};
  Everybody access_;
  std::unique_ptr<apiserver::Server> api_;
  std::unique_ptr<kube::Client> client_;
  MadeDeviceDriver::Hardware hardware_{.folder = "", .devices = {"card-1", "card-2"}};
  std::unique_ptr<Process> process_;
};

}  // namespace allot::node
