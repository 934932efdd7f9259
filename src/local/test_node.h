#pragma once
// For tests: an API server in this process, the Pods of one node, and fake devices.

#include <condition_variable>
#include <map>
#include <mutex>

#include "apiserver/server.h"
#include "base/random.h"
#include "json/editor.h"
#include "json/json.h"
#include "local/pods/pod_admission.h"
#include "local/pods/pod_logs.h"
#include "local/pods/pods.h"
#include "local/test_folder.h"

namespace allot::local {

class AllAreAdmins final : public apiserver::Access {
 public:
  std::optional<apiserver::Identity> Identify(const http::RequestContext&) const override {
    apiserver::Identity admin;
    admin.user = "system:admin";
    admin.groups = {"system:authenticated", "system:masters"};
    return admin;
  }
  Status Allow(const apiserver::Identity&, const apiserver::Ask&) const override { return Status(); }
};

class FakeDevices final : public Devices {
 public:
  Result<DeviceAccess> Prepare(const node::ClaimRef& claim, std::span<const std::string> requests, const Patience&) override {
    std::unique_lock lock(mutex_);
    calls_.push_back(StrCat("prepare ", claim.name));
    changed_.wait(lock, [this] { return !held_up_; });
    if (!failure_.ok()) return failure_;
    prepared_.insert(claim.uid);
    DeviceAccess access;
    access.environment = {{"PATH", "/opt/gpu/bin"}, {"CUDA_VISIBLE_DEVICES", claim.name}};
    access.environment["REQUESTS_" + claim.name] = Join(std::vector<std::string>(requests.begin(), requests.end()), "+");
    return access;
  }
  Environment NoDevices() const override { return {{"CUDA_VISIBLE_DEVICES", "-1"}}; }
  void Keep(const std::string&) override {}
  Status Unprepare(const node::ClaimRef& claim, const Patience&) override {
    const std::lock_guard lock(mutex_);
    calls_.push_back(StrCat("unprepare ", claim.name));
    prepared_.erase(claim.uid);
    return Status();
  }

  void Fail(Status status) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(status);
  }
  // While held up, Prepare blocks.
  void HoldUp(bool held_up) {
    const std::lock_guard lock(mutex_);
    held_up_ = held_up;
    changed_.notify_all();
  }
  size_t prepared() const {
    const std::lock_guard lock(mutex_);
    return prepared_.size();
  }
  size_t Count(const std::string& call) const {
    const std::lock_guard lock(mutex_);
    return static_cast<size_t>(std::count(calls_.begin(), calls_.end(), call));
  }
  size_t CountStarting(std::string_view start) const {
    const std::lock_guard lock(mutex_);
    return static_cast<size_t>(
        std::count_if(calls_.begin(), calls_.end(), [&](const std::string& call) { return call.starts_with(start); }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> calls_;
  std::set<std::string> prepared_;
  Status failure_;
  bool held_up_ = false;
  std::condition_variable changed_;
};

class NodeTest : public testing::Test {
 protected:
  static constexpr const char* kNode = "n1";

  NodeTest() {
    apiserver::ServerOptions options;
    options.store = folder / "store.db";
    options.logs = &logs;
    options.admission.push_back(std::make_shared<PodAdmission>());
    auto started = apiserver::Server::Start(options, access, clock, random);
    EXPECT_OK(started);
    server = *std::move(started);
    client = MakeClient();
    // Without its Node the Pod garbage collector would delete the Pods.
    EXPECT_OK(client->Create(kube::types::kNodes, "", StrCat(R"({"metadata":{"name":")", kNode, R"("}})")));
    limits.first_backoff = std::chrono::milliseconds(300);
    limits.longest_backoff = std::chrono::milliseconds(2000);
    limits.first_retry = std::chrono::milliseconds(50);
    limits.longest_retry = std::chrono::milliseconds(200);
  }
  ~NodeTest() override {
    pods.reset();
    // Kill containers that a failed test left behind.
    Containers containers({}, files, clock, random, [](const std::string&) {});
    for (const std::string& run : FindContainers(files, folder / "pods")) {
      EXPECT_OK(containers.Signal(run, SIGKILL));
      EXPECT_TRUE(Eventually([&] {
        const auto state = containers.Look(run);
        return state.ok() && state->phase != ContainerState::Phase::kRunning && state->phase != ContainerState::Phase::kStarting;
      }));
    }
  }

  std::unique_ptr<kube::Client> MakeClient() {
    kube::Config config;
    config.server = server->url();
    kube::ClientOptions options;
    options.qps = 0;
    auto made = kube::Client::Make(config, options);
    EXPECT_OK(made);
    return *std::move(made);
  }

  void StartPods() {
    PodsOptions options;
    options.node = kNode;
    options.root = folder / "pods";
    options.limits = limits;
    options.containers = shims;
    pods = std::make_unique<Pods>(options, *client, devices, files, clock, random, log);
    ASSERT_OK(pods->Start({std::chrono::steady_clock::now() + std::chrono::seconds(30), nullptr}));
  }

  static std::string Escaped(std::string_view text) { return Quoted(text, 100'000); }

  // A Pod with one container, c, that runs a script. `more` is added to the spec, `more_container` to the container.
  static std::string PodJson(const std::string& name, const std::string& script, const std::string& more = "",
                             const std::string& more_container = "") {
    return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")", name, R"(","namespace":"default"},"spec":{"nodeName":"n1",)",
                  R"("restartPolicy":"Never",)", more.empty() ? "" : more + ",", R"("containers":[)",
                  ContainerJson("c", script, more_container), "]}}");
  }
  static std::string ContainerJson(const std::string& name, const std::string& script, const std::string& more = "") {
    return StrCat(R"({"name":")", name, R"(","image":"example.com/none:1","command":["/bin/sh","-c",)", Escaped(script), "]",
                  more.empty() ? "" : "," + more, "}");
  }

  void Create(const std::string& object_json, const kube::ResourceType& type = kube::types::kPods) {
    ASSERT_OK(client->Create(type, type.namespaced ? "default" : "", object_json));
  }

  kube::ObjectPtr Get(const std::string& name) {
    auto pod = client->Get(kube::types::kPods, "default", name);
    return pod.ok() ? *pod : nullptr;
  }
  std::string Phase(const std::string& name) {
    const auto pod = Get(name);
    return pod == nullptr ? "gone" : std::string(json::TextOf(pod->json()["status"]["phase"]));
  }
  bool AwaitPhase(const std::string& name, const std::string& phase) {
    return Eventually([&] { return Phase(name) == phase; });
  }
  // "c": "terminated 3 Error restarts 0"
  std::string ContainerText(const std::string& name, const std::string& container = "c", std::string_view list = "containerStatuses") {
    const auto pod = Get(name);
    if (pod == nullptr) return "gone";
    for (const json::Value& status : json::ItemsOf(pod->json()["status"][list])) {
      if (json::TextOf(status["name"]) != container) continue;
      const std::string restarts = StrCat(" restarts ", status["restartCount"].NumberText());
      const json::Value& state = status["state"];
      if (!state["running"].IsNull()) return "running" + restarts;
      if (!state["waiting"].IsNull()) return StrCat("waiting ", json::TextOf(state["waiting"]["reason"]), restarts);
      const json::Value& ended = state["terminated"];
      return StrCat("terminated ", ended["exitCode"].NumberText(), " ", json::TextOf(ended["reason"]), restarts);
    }
    return "";
  }
  std::string Condition(const std::string& name, std::string_view type) {
    const auto pod = Get(name);
    if (pod == nullptr) return "gone";
    for (const json::Value& one : json::ItemsOf(pod->json()["status"]["conditions"])) {
      if (json::TextOf(one["type"]) == type) return StrCat(json::TextOf(one["status"]), " ", json::TextOf(one["reason"]));
    }
    return "";
  }
  std::string RunFolder(const std::string& pod, const std::string& container = "c", int attempt = 0) {
    const auto object = Get(pod);
    if (object == nullptr) return "";
    return StrCat(folder.path(), "/pods/n1/default/", pod, "/", object->uid(), "/", container, "/", attempt);
  }
  // The log that the API returns, or the message of its error.
  std::string Logs(const std::string& pod, const std::string& query = "") {
    http::Request request;
    request.target = StrCat("/api/v1/namespaces/default/pods/", pod, "/log", query.empty() ? "" : "?" + query);
    const auto response = client->Raw(request, "logs");
    return response.ok() ? response->body : response.status().message();
  }

  const TestFolder folder;
  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  AllAreAdmins access;
  std::mutex lines_mutex;
  std::string lines;
  Log log{clock, Log::Format::kText, [this](std::string_view line) {
            const std::lock_guard lock(lines_mutex);
            lines += line;
          }};
  LocalPodLogs logs{files, folder / "pods"};
  std::unique_ptr<apiserver::Server> server;
  std::unique_ptr<kube::Client> client;
  FakeDevices devices;
  Containers::Options shims;
  PodLimits limits;
  std::unique_ptr<Pods> pods;
};

}  // namespace allot::local
