#include "local/up.h"

#include "base/test_util.h"
#include "device/nvidia/fake_driver.h"
#include "kube/error.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

using kube::types::kNodes;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class UpTest : public ::testing::Test {
 protected:
  static NodeGpus Simulated(std::vector<std::string> models) { return {false, std::move(models)}; }

  Result<std::unique_ptr<Up>> Start(std::vector<NodeGpus> nodes, std::vector<PartMaker> parts = {}) {
    UpOptions options;
    ASSIGN_OR_RETURN(options.data, apiserver::OpenDataFolder(place_.path()));
    options.nodes = std::move(nodes);
    // The fake driver is looked for beside the program.
    options.program = device::nvidia::FakeDriverFolder() / "allot";
    options.parts = std::move(parts);
    options.gpu_names = StrCat("allot-up-test-", ::getpid());  // an `allot up` of this machine may offer its GPUs
    options.heartbeat_every = std::chrono::milliseconds(10);
    return Up::Start(std::move(options), files_, clock_, random_, log_, stop_);
  }
  static std::unique_ptr<kube::Client> ClientOf(Up& up) { return *kube::Client::Make(up.api().ClientConfig()); }
  static std::vector<std::string> Names(kube::Client& client, const kube::ResourceType& type) {
    std::vector<std::string> names;
    EXPECT_OK(client.List(type, "", {}, [&](const kube::ObjectPtr& object) { names.emplace_back(object->name()); }));
    return names;
  }
  static Patience Soon() { return {.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30)}; }
  // Creates a claim that is allocated 6Gi of the node's first GPU.
  static node::ClaimRef Allocate(kube::Client& client, const std::string& node) {
    const std::string claim =
        R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c1"}, "spec": {"devices": {"requests": [
            {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "capacity": {"requests": {"memory": "6Gi"}}}}]}}})";
    const Result<kube::ObjectPtr> made = client.Create(kube::types::kResourceClaims, "default", claim);
    EXPECT_OK(made);
    const std::string status =
        StrCat(R"({"status": {"allocation": {"devices": {"results": [{"request": "gpu", "driver": "gpu.nvidia.com", "pool": ")", node,
               R"(", "device": "gpu-0", "shareID": "a671734a-e8e5-11e4-8fde-42010af09327", "consumedCapacity": {"memory": "6Gi"}}]}}}})");
    EXPECT_OK(client.Patch(kube::types::kResourceClaims, "default", "c1", kube::PatchType::kMerge, status, "status"));
    return {"default", "c1", made.ok() ? std::string((*made)->uid()) : ""};
  }
  std::string LogText() {
    const std::lock_guard lock(mutex_);
    return logged_;
  }

  TestFolder place_;
  PosixFileSystem files_;
  SystemClock clock_;
  SystemRandom random_;
  Cancel stop_;
  std::mutex mutex_;
  std::string logged_;
  Log log_{clock_, Log::Format::kText, [this](std::string_view line) {
             const std::lock_guard lock(mutex_);
             logged_ += line;
           }};
};

TEST_F(UpTest, ANodeIsReadyAndOffersItsGpusWhenItHasStarted) {
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({"rtx3090", "rtx3060"})}));
  const auto client = ClientOf(*up);
  const std::string name = up->nodes()[0]->name();
  ASSERT_OK_AND_ASSIGN(const kube::ObjectPtr node, client->Get(kNodes, "", name));
  EXPECT_EQ(node->Label("kubernetes.io/hostname"), name);
  EXPECT_EQ(node->Label("kubernetes.io/os"), "linux");
  EXPECT_EQ(node->Label(kSimulatedLabel), "true");
  const json::Value& status = node->json()["status"];
  for (const char* list : {"capacity", "allocatable"}) {
    EXPECT_EQ(kube::Object::Text(status[list]["pods"]), "110");
    for (const char* amount : {"cpu", "memory", "ephemeral-storage"}) EXPECT_NE(kube::Object::Text(status[list][amount]), "") << amount;
  }
  EXPECT_EQ(kube::Object::Text(status["conditions"].Items()[0]["type"]), "Ready");
  EXPECT_EQ(kube::Object::Text(status["conditions"].Items()[0]["status"]), "True");
  EXPECT_OK(client->Get(kube::types::kLeases, "kube-node-lease", name));
  EXPECT_THAT(Names(*client, kube::types::kDeviceClasses), ElementsAre("gpu.nvidia.com", "mig.nvidia.com"));
  EXPECT_THAT(Names(*client, kube::types::kResourceSlices), SizeIs(1));
  EXPECT_THAT(up->Greeting(), AllOf(HasSubstr("export KUBECONFIG=" + place_.path()), HasSubstr("2 GPUs, simulated"),
                                    HasSubstr("gpu-1  NVIDIA GeForce RTX 3060  12288 MiB  GPU-"), HasSubstr("allot status")));
}

TEST_F(UpTest, AProcessSeesItsShareAloneAndKeepsItThroughARestart) {
  DeviceAccess before;
  node::ClaimRef claim;
  {
    ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({"rtx3090", "rtx3060"})}));
    const auto client = ClientOf(*up);
    LocalNode& node = *up->nodes()[0];
    claim = Allocate(*client, node.name());
    ASSERT_OK_AND_ASSIGN(before, node.devices().Prepare(claim, {}, Soon()));
    ASSERT_OK_AND_ASSIGN(
        const ProcessOutput smi,
        RunProcess({.argv = {"nvidia-smi", "--query-gpu=uuid,memory.total", "--format=csv,noheader"}, .environment = before.environment}));
    EXPECT_EQ(smi.stdout_text, StrCat(node.gpus()->gpus[0].uuid, ", 6144 MiB\n"));
  }
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({"rtx3090", "rtx3060"})}));
  EXPECT_THAT(up->nodes()[0]->devices().Prepare(claim, {}, Soon()), IsOkAndHolds(before));
  EXPECT_OK(up->nodes()[0]->devices().Unprepare(claim, Soon()));
}

TEST_F(UpTest, NodesThatAreNoMoreGoUnlessTheyAreInUse) {
  const std::string host = NodeNames(ReadMachine(files_, "/").hostname, 1)[0];
  {
    ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({"l4"}), Simulated({"l4"}), Simulated({})}));
    const auto client = ClientOf(*up);
    EXPECT_THAT(Names(*client, kNodes), ElementsAre(host + "-1", host + "-2", host + "-3"));
    ASSERT_OK(up->nodes()[1]->devices().Prepare(Allocate(*client, host + "-2"), {}, Soon()));
  }
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({"l4"})}));
  const auto client = ClientOf(*up);
  EXPECT_THAT(Names(*client, kNodes), ElementsAre(host, host + "-2"));
  EXPECT_THAT(LogText(), AllOf(HasSubstr("in use"), HasSubstr("node=" + host + "-2"), HasSubstr("claim default/c1")));
  ASSERT_OK_AND_ASSIGN(const kube::ObjectPtr kept, client->Get(kNodes, "", host + "-2"));
  EXPECT_EQ(kube::Object::Text(kept->json()["status"]["conditions"].Items()[0]["status"]), "False");
  EXPECT_FALSE(files_.Exists(place_.path() + "/nodes/" + host + "-1"));
  EXPECT_TRUE(files_.Exists(place_.path() + "/nodes/" + host + "-2/state"));
}

TEST_F(UpTest, GpusOfTheMachineThatANodeOfAnEarlierStartHoldsAreNotOfferedByAnother) {
  const std::string host = NodeNames(ReadMachine(files_, "/").hostname, 1)[0];
  {
    ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({"l4"}), Simulated({})}));
    const auto client = ClientOf(*up);
    ASSERT_OK(up->nodes()[0]->devices().Prepare(Allocate(*client, host + "-1"), {}, Soon()));
    // Without the label the GPUs count as real.
    ASSERT_OK(client->Patch(kNodes, "", host + "-1", kube::PatchType::kMerge, R"({"metadata":{"labels":{"allot.dev/simulated":null}}})"));
  }
  EXPECT_THAT(Start({NodeGpus{true, {}}}).status(),
              IsStatus(Code::kInvalid, AllOf(HasSubstr(host + "-1"), HasSubstr("claim default/c1"),
                                             HasSubstr("start with the earlier --gpus and --nodes"))));
  EXPECT_OK(Start({Simulated({"l4"})}));
  EXPECT_OK(Start({NodeGpus{true, {}}, Simulated({})}));
}

TEST_F(UpTest, OneAtATimeWorksWithAFolder) {
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({})}));
  EXPECT_THAT(Start({Simulated({})}).status(), IsStatus(Code::kUnavailable, HasSubstr("PID")));
}

TEST_F(UpTest, WithoutTheFakeDriverNothingIsWritten) {
  UpOptions options;
  ASSERT_OK_AND_ASSIGN(options.data, apiserver::OpenDataFolder(place_.path()));
  options.nodes = {Simulated({"l4"})};
  options.program = "/nowhere/allot";
  EXPECT_THAT(Up::Start(std::move(options), files_, clock_, random_, log_, stop_).status(),
              IsStatus(Code::kNotFound, HasSubstr("/nowhere/fake_nvml")));
  EXPECT_THAT(files_.List(place_.path()), IsOkAndHolds(IsEmpty()));
}

TEST_F(UpTest, TheMachinesGpusAreOfferedByOneOnly) {
  const std::string names = StrCat("allot-test-", ::getpid());
  ASSERT_OK_AND_ASSIGN(const auto other, GpuOffer::Make(names, "/of/somebody/else"));
  UpOptions options;
  ASSERT_OK_AND_ASSIGN(options.data, apiserver::OpenDataFolder(place_.path()));
  options.nodes = {{true, {}}};
  options.gpu_names = names;
  EXPECT_THAT(Up::Start(std::move(options), files_, clock_, random_, log_, stop_).status(),
              IsStatus(Code::kUnavailable, HasSubstr("another `allot up` offers")));
}

// A part that records its calls.
class NotedPart final : public Part {
 public:
  NotedPart(std::string name, std::vector<std::string>& notes, Status start)
      : name_(std::move(name)), notes_(notes), start_(std::move(start)) {}
  Status Start() override {
    notes_.push_back(name_ + " starts");
    return start_;
  }
  void Stop() override { notes_.push_back(name_ + " stops"); }
  size_t running() const override { return 2; }

 private:
  const std::string name_;
  std::vector<std::string>& notes_;
  const Status start_;
};

PartMaker Noted(std::string name, std::vector<std::string>& notes, Status start = {}) {
  return {name, [name, &notes, start](const PartContext& context) -> Result<std::unique_ptr<Part>> {
            EXPECT_THAT(context.nodes, SizeIs(1));
            EXPECT_OK(context.client.Get(kNodes, "", context.nodes[0]->name()));
            return std::unique_ptr<Part>(std::make_unique<NotedPart>(name, notes, start));
          }};
}

TEST_F(UpTest, PartsStartBehindTheNodesAndStopInTheOtherOrder) {
  std::vector<std::string> notes;
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({})}, {Noted("scheduler", notes), Noted("pods", notes)}));
  EXPECT_EQ(up->Stop(), 4U);
  EXPECT_THAT(notes, ElementsAre("scheduler starts", "pods starts", "pods stops", "scheduler stops"));
}

TEST_F(UpTest, APartThatCannotStartIsNamedAndAllIsStopped) {
  std::vector<std::string> notes;
  EXPECT_THAT(Start({Simulated({})}, {Noted("scheduler", notes), Noted("pods", notes, Unavailable("no cgroups"))}).status(),
              IsStatus(Code::kUnavailable, "pods: no cgroups"));
  EXPECT_THAT(notes, Contains("scheduler stops"));
  EXPECT_OK(Start({Simulated({})}));
}

TEST_F(UpTest, ADeletedClassIsCreatedAgainAndAChangedOneStays) {
  constexpr std::string_view kMine = R"({"spec": {"selectors": [{"cel": {"expression": "false"}}]}})";
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({})}));
  const auto client = ClientOf(*up);
  ASSERT_OK(client->Patch(kube::types::kDeviceClasses, "", "mig.nvidia.com", kube::PatchType::kMerge, kMine));
  ASSERT_OK(client->Delete(kube::types::kDeviceClasses, "", "gpu.nvidia.com"));
  ASSERT_THAT(Names(*client, kube::types::kDeviceClasses), ElementsAre("mig.nvidia.com"));
  std::thread run([&] { up->Run(stop_); });
  EXPECT_TRUE(Eventually([&] { return LogText().find("created deleted DeviceClasses again") != std::string::npos; }));
  stop_.Request();
  run.join();
  EXPECT_THAT(LogText(), AllOf(HasSubstr("classes=gpu.nvidia.com"), Not(HasSubstr("mig.nvidia.com"))));
  EXPECT_THAT(Names(*client, kube::types::kDeviceClasses), ElementsAre("gpu.nvidia.com", "mig.nvidia.com"));
  ASSERT_OK_AND_ASSIGN(const kube::ObjectPtr changed, client->Get(kube::types::kDeviceClasses, "", "mig.nvidia.com"));
  EXPECT_EQ(kube::Object::Text(changed->json()["spec"]["selectors"].Items()[0]["cel"]["expression"]), "false");
}

TEST_F(UpTest, RunEndsWhenItIsAskedTo) {
  ASSERT_OK_AND_ASSIGN(const auto up, Start({Simulated({})}));
  std::thread later([&] { stop_.Request(); });
  up->Run(stop_);
  later.join();
  EXPECT_EQ(up->Stop(), 0U);
  EXPECT_THAT(LogText(), Not(HasSubstr("ERROR")));
}

}  // namespace
}  // namespace allot::local
