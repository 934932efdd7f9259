#pragma once
// The embedded API in this process with nodes that exist on paper, a client of it, and a scheduler. Included by *_test.cc only.

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "apiserver/server.h"
#include "base/test_util.h"
#include "control/scheduler.h"
#include "control/test_relay.h"
#include "json/editor.h"
#include "json/json.h"
#include "json/yaml.h"

namespace allot::control {

class Everybody final : public apiserver::Access {
 public:
  std::optional<apiserver::Identity> Identify(const http::RequestContext&) const override {
    return apiserver::Identity{"system:admin", "", {"system:authenticated", "system:masters"}};
  }
  Status Allow(const apiserver::Identity&, const apiserver::Ask&) const override { return Status(); }
};

// Lets a test refuse or change what is written to the store.
class Gatekeeper final : public apiserver::Admission {
 public:
  using Check = std::function<Status(const apiserver::AdmissionRequest&, const json::Value& object)>;
  using Change = std::function<json::Value(const apiserver::AdmissionRequest&, json::Editor&, const json::Value& object)>;

  // The cluster calls it until it ends: declare what it captures before the cluster.
  void Set(Check check) {
    const std::lock_guard lock(mutex_);
    check_ = std::move(check);
  }
  void SetChange(Change change) {
    const std::lock_guard lock(mutex_);
    change_ = std::move(change);
  }
  Result<json::Value> Mutate(const apiserver::AdmissionRequest& request, json::Editor& edit, const json::Value& object) const override {
    Change change;
    {
      const std::lock_guard lock(mutex_);
      change = change_;
    }
    return change ? change(request, edit, object) : object;
  }
  Status Validate(const apiserver::AdmissionRequest& request, const json::Value& object) const override {
    Check check;
    {
      const std::lock_guard lock(mutex_);
      check = check_;
    }
    return check ? check(request, object) : Status();
  }

 private:
  mutable std::mutex mutex_;
  Check check_;
  Change change_;
};

// The system's clock, which a test can move forward.
class HastyClock final : public Clock {
 public:
  void Pass(std::chrono::nanoseconds time) { passed_ += time.count(); }
  WallTime Now() const override { return system_.Now() + std::chrono::duration_cast<WallTime::duration>(passed()); }
  MonotonicTime MonotonicNow() const override { return system_.MonotonicNow() + passed(); }

 private:
  std::chrono::nanoseconds passed() const { return std::chrono::nanoseconds(passed_.load()); }

  const SystemClock system_;
  std::atomic<int64_t> passed_ = 0;
};

// The claim of a Pod that uses template "half".
inline constexpr std::string_view kHalf = "resourceClaimTemplateName: half";

inline bool IsBinding(const apiserver::AdmissionRequest& request) {
  return request.kind.type.plural == "pods" && request.subresource == "binding";
}
// Whether a client, not a controller of the API, updates the claim.
inline bool IsClaim(const apiserver::AdmissionRequest& request, std::string_view subresource) {
  return request.user == "system:admin" && request.kind.type.plural == "resourceclaims" &&
         request.operation == apiserver::Operation::kUpdate && request.subresource == subresource;
}

inline SchedulerOptions ShortPauses() {
  SchedulerOptions options;
  options.pauses = {std::chrono::milliseconds(50), std::chrono::milliseconds(200)};
  return options;
}

class TestCluster {
 public:
  // With node n1, which has `gpus` GPUs of `gib` GiB.
  TestCluster(int gpus, int gib) : TestCluster() { AddNode("n1", gpus, gib); }
  TestCluster()
      : folder_(std::filesystem::path(testing::TempDir()) / StrCat("allot-control-", ::getpid())),
        log_(clock_, Log::Format::kText, [this](std::string_view line) {
          const std::lock_guard lock(log_mutex_);
          log_text_ += line;
        }) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    apiserver::ServerOptions options;
    options.store = (folder_ / "store.db").string();
    options.admission = {gatekeeper_};
    options.log = &log_;
    auto server = apiserver::Server::Start(options, access_, clock_, random_);
    EXPECT_OK(server);
    server_ = *std::move(server);
    client_ = ClientOf(server_->url());
    Create("{kind: Namespace, apiVersion: v1, metadata: {name: lab}}");
    Create("{kind: DeviceClass, apiVersion: resource.k8s.io/v1, metadata: {name: gpu}, spec: {}}");
  }
  ~TestCluster() {
    scheduler_.reset();
    relayed_.reset();
    relay_.reset();
    client_.reset();
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  // A node with `gpus` GPUs of `gib` GiB, each shareable by memory. `more` of each device begins with ", ".
  void AddNode(const std::string& name, int gpus, int gib, std::string_view more = "") {
    Create(StrCat("{kind: Node, apiVersion: v1, metadata: {name: ", name, "}, spec: {}",
                  ", status: {allocatable: {cpu: '256', memory: 512Gi, pods: '1000'}, capacity: {cpu: '256', memory: 512Gi, pods: '1000'}, "
                  "conditions: [{type: Ready, status: 'True'}]}}"));
    std::string slice = StrCat("kind: ResourceSlice\napiVersion: resource.k8s.io/v1\nmetadata: {name: ", name,
                               "-gpus}\nspec:\n  driver: gpu.nvidia.com\n  nodeName: ", name, "\n  pool: {name: ", name,
                               ", generation: 1, resourceSliceCount: 1}\n  devices:\n");
    for (int i = 0; i < gpus; ++i) {
      slice += StrCat("  - {name: gpu-", i, more, ", allowMultipleAllocations: true, capacity: {memory: {value: ", gib,
                      "Gi, requestPolicy: {default: ", gib, "Gi, validRange: {min: 1Mi, step: 1Mi}}}}}\n");
    }
    Create(slice);
    // A new Node has the taint not-ready until a controller has seen it.
    ASSERT_TRUE(Await([&] { return json::ItemsOf(Get(kube::types::kNodes, name)->json()["spec"]["taints"]).empty(); }));
  }
  // The spec of a claim for this much memory of one GPU.
  static std::string ClaimSpec(std::string_view memory) {
    return StrCat("{devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, capacity: {requests: {memory: ", memory, "}}}}]}}");
  }
  void AddTemplate(std::string_view name, std::string_view memory) {
    Create(StrCat("{kind: ResourceClaimTemplate, apiVersion: resource.k8s.io/v1, metadata: {name: ", name,
                  ", namespace: lab}, spec: {spec: ", ClaimSpec(memory), "}}"));
  }
  void AddClaim(std::string_view name, std::string_view memory) {
    Create(StrCat("{kind: ResourceClaim, apiVersion: resource.k8s.io/v1, metadata: {name: ", name,
                  ", namespace: lab}, spec: ", ClaimSpec(memory), "}"));
  }
  // `claim`: "resourceClaimTemplateName: half"; empty: none. `more` of the spec begins with ", ".
  void AddPod(std::string_view name, std::string_view claim, std::string_view more = "") {
    Create(StrCat("{kind: Pod, apiVersion: v1, metadata: {name: ", name, ", namespace: lab}, spec: {containers: [{name: c, image: x",
                  claim.empty() ? "" : ", resources: {claims: [{name: gpu}]}", "}]",
                  claim.empty() ? "" : StrCat(", resourceClaims: [{name: gpu, ", claim, "}]"), more, "}}"));
  }
  void DeletePod(std::string_view name) { EXPECT_OK(client_->Delete(kube::types::kPods, "lab", name, {.grace_seconds = 0})); }

  void Create(std::string_view yaml) {
    const auto documents = json::ParseYaml(yaml);
    ASSERT_OK(documents);
    const json::Value& object = documents->at(0).root();
    const kube::ResourceType& type = TypeOf(json::TextOf(object["kind"]));
    ASSERT_OK(client_->Create(type, type.namespaced ? "lab" : "", json::Write(object)));
  }

  // Puts a relay between the API and the schedulers that are started from now on.
  Relay& UseRelay() {
    relay_ = std::make_unique<Relay>(server_->url());
    relayed_ = ClientOf(relay_->url());
    return *relay_;
  }
  Scheduler& StartScheduler(SchedulerOptions options = {}) {
    kube::Client& client = relayed_ == nullptr ? *client_ : *relayed_;
    scheduler_ = std::make_unique<Scheduler>(std::move(options), client, clock_, random_, log_);
    scheduler_->Start();
    EXPECT_OK(scheduler_->AwaitSync({std::chrono::steady_clock::now() + std::chrono::seconds(30), nullptr})) << log();
    return *scheduler_;
  }
  void StopScheduler() { scheduler_.reset(); }

  // nullptr: the object does not exist.
  kube::ObjectPtr Get(const kube::ResourceType& type, std::string_view name) {
    auto object = client_->Get(type, type.namespaced ? "lab" : "", name);
    return object.ok() ? *object : nullptr;
  }
  std::vector<kube::ObjectPtr> List(const kube::ResourceType& type) {
    std::vector<kube::ObjectPtr> all;
    EXPECT_OK(client_->List(type, "", {}, [&](kube::ObjectPtr object) { all.push_back(std::move(object)); }));
    return all;
  }
  std::string NodeOf(std::string_view pod) {
    const kube::ObjectPtr object = Get(kube::types::kPods, pod);
    return object == nullptr ? "" : std::string(json::TextOf(object->json()["spec"]["nodeName"]));
  }
  // The first claim that the Pod's status or spec names.
  kube::ObjectPtr ClaimOf(std::string_view pod) {
    const kube::ObjectPtr object = Get(kube::types::kPods, pod);
    if (object == nullptr) return nullptr;
    for (const json::Value& one : json::ItemsOf(object->json()["status"]["resourceClaimStatuses"])) {
      return Get(kube::types::kResourceClaims, json::TextOf(one["resourceClaimName"]));
    }
    for (const json::Value& one : json::ItemsOf(object->json()["spec"]["resourceClaims"])) {
      return Get(kube::types::kResourceClaims, json::TextOf(one["resourceClaimName"]));
    }
    return nullptr;
  }
  // "gpu-0 6Gi for a, b": the claim's devices and the Pods that it is reserved for; empty: neither.
  static std::string Held(const kube::ObjectPtr& claim) {
    if (claim == nullptr) return "no claim";
    std::string text;
    for (const json::Value& one : json::ItemsOf(claim->json()["status"]["allocation"]["devices"]["results"])) {
      text += StrCat(text.empty() ? "" : ", ", json::TextOf(one["device"]), " ", json::TextOf(one["consumedCapacity"]["memory"]));
    }
    std::vector<std::string> users;
    for (const json::Value& one : json::ItemsOf(claim->json()["status"]["reservedFor"])) users.emplace_back(json::TextOf(one["name"]));
    return users.empty() ? text : StrCat(text, " for ", Join(users, ", "));
  }
  // "False Unschedulable: 0/1 nodes ..."
  std::string Scheduled(std::string_view pod) {
    const kube::ObjectPtr object = Get(kube::types::kPods, pod);
    if (object == nullptr) return "no Pod";
    for (const json::Value& one : json::ItemsOf(object->json()["status"]["conditions"])) {
      if (json::TextOf(one["type"]) != "PodScheduled") continue;
      return StrCat(json::TextOf(one["status"]), " ", json::TextOf(one["reason"]), ": ", json::TextOf(one["message"]));
    }
    return "";
  }
  // "Scheduled: Successfully ...", of all Events about the Pod, sorted.
  std::string EventsOf(std::string_view pod) {
    std::set<std::string> lines;
    for (const kube::ObjectPtr& event : List(kube::types::kEvents)) {
      if (json::TextOf(event->json()["involvedObject"]["name"]) != pod) continue;
      lines.insert(StrCat(json::TextOf(event->json()["reason"]), ": ", json::TextOf(event->json()["message"])));
    }
    return Join(std::vector<std::string>(lines.begin(), lines.end()), "\n");
  }

  static bool Await(const std::function<bool()>& condition, std::chrono::seconds most = std::chrono::seconds(30)) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    return true;
  }
  bool AwaitBound(std::string_view pod) {
    return Await([&] { return !NodeOf(pod).empty(); });
  }

  kube::Client& client() { return *client_; }
  Gatekeeper& gatekeeper() { return *gatekeeper_; }
  const Clock& clock() { return clock_; }
  // Moves the clock forward.
  void PassTime(std::chrono::nanoseconds time) { clock_.Pass(time); }
  std::string log() {
    const std::lock_guard lock(log_mutex_);
    return log_text_;
  }

 private:
  static std::unique_ptr<kube::Client> ClientOf(const std::string& url) {
    kube::Config config;
    config.server = url;
    auto client = kube::Client::Make(config, {.qps = 0});
    EXPECT_OK(client);
    return *std::move(client);
  }
  static const kube::ResourceType& TypeOf(std::string_view kind) {
    for (const kube::ResourceType* type :
         {&kube::types::kPods, &kube::types::kNodes, &kube::types::kNamespaces, &kube::types::kResourceClaims,
          &kube::types::kResourceClaimTemplates, &kube::types::kResourceSlices, &kube::types::kDeviceClasses}) {
      if (type->kind == kind) return *type;
    }
    ADD_FAILURE() << kind;
    return kube::types::kPods;
  }

  const std::filesystem::path folder_;
  HastyClock clock_;
  SystemRandom random_;
  std::mutex log_mutex_;
  std::string log_text_;
  Log log_;
  const Everybody access_;
  const std::shared_ptr<Gatekeeper> gatekeeper_ = std::make_shared<Gatekeeper>();
  std::unique_ptr<apiserver::Server> server_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<Relay> relay_;           // null: none
  std::unique_ptr<kube::Client> relayed_;  // by way of it
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace allot::control
