// Containers keep running when the process that started them is killed.

#include <spawn.h>
#include <sys/wait.h>

#include "local/pods/pods.h"
#include "local/test_node.h"

namespace allot::local {

// Fake devices that record prepared claims as files, for the next process.
class FileDevices final : public Devices {
 public:
  explicit FileDevices(std::string folder) : folder_(std::move(folder)) { std::filesystem::create_directories(folder_); }

  Result<DeviceAccess> Prepare(const node::ClaimRef& claim, std::span<const std::string>, const Patience&) override {
    std::ofstream(folder_ + "/" + claim.name).flush();
    return DeviceAccess();
  }
  Environment NoDevices() const override { return {}; }
  void Keep(const std::string&) override {}
  Status Unprepare(const node::ClaimRef& claim, const Patience&) override {
    std::filesystem::remove(folder_ + "/" + claim.name);
    return Status();
  }

 private:
  const std::string folder_;
};

int RunTestNode(const char* url, const char* folder) {
  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  Log log(clock, Log::Format::kText, Log::Stderr());
  kube::Config config;
  config.server = url;
  kube::ClientOptions client_options;
  client_options.qps = 0;
  auto client = kube::Client::Make(config, client_options);
  if (!client.ok()) return 1;
  FileDevices devices(StrCat(folder, "/prepared"));
  PodsOptions options;
  options.node = "n1";
  options.root = StrCat(folder, "/pods");
  Pods pods(options, **client, devices, files, clock, random, log);
  if (!pods.Start({std::chrono::steady_clock::now() + std::chrono::seconds(30), nullptr}).ok()) return 1;
  for (;;) ::pause();
}

namespace {

using ::testing::HasSubstr;

class PodsRestartTest : public NodeTest {
 protected:
  ~PodsRestartTest() override { Kill(); }

  void StartNode() {
    std::string program = "/proc/self/exe", mode = "node", url = server->url(), path = folder.path();
    char* const argv[] = {program.data(), mode.data(), url.data(), path.data(), nullptr};
    ASSERT_EQ(::posix_spawn(&node_, program.c_str(), nullptr, nullptr, argv, ::environ), 0);
  }
  void Kill() {
    if (node_ <= 0) return;
    ::kill(node_, SIGKILL);
    ::waitpid(node_, nullptr, 0);
    node_ = -1;
  }

  pid_t node_ = -1;
};

TEST_F(PodsRestartTest, ContainersOutliveTheNodeAndAreTakenOver) {
  const std::string go = folder / "go";
  StartNode();
  Create(PodJson("runs", StrCat("while [ ! -e ", go, " ]; do sleep 0.01; done; exit 4")));
  Create(PodJson("ends", StrCat("while [ ! -e ", folder / "end", " ]; do sleep 0.01; done; exit 5")));
  Create(PodJson("goes", "trap '' TERM; while :; do sleep 0.01; done"));
  Create(PodJson("lost", "sleep 1000"));
  for (const char* name : {"runs", "ends", "goes", "lost"}) ASSERT_TRUE(AwaitPhase(name, "Running")) << name;
  ASSERT_OK_AND_ASSIGN(const ContainerBirth runs, ReadBirth(files, RunFolder("runs")));
  ASSERT_OK_AND_ASSIGN(const ContainerBirth goes, ReadBirth(files, RunFolder("goes")));
  ASSERT_OK_AND_ASSIGN(const ContainerBirth lost, ReadBirth(files, RunFolder("lost")));
  const std::string gone_folder = RunFolder("goes"), ended = RunFolder("ends");
  Kill();

  // Meanwhile one ends, one is deleted, one loses its shim.
  std::ofstream(folder / "end").flush();
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(ended + "/exit.json"); }));
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "goes", {.grace_seconds = 0}));
  ASSERT_TRUE(SignalProcess(lost.shim, SIGKILL));
  EXPECT_TRUE(IsAlive(runs.main));
  EXPECT_TRUE(IsAlive(goes.main));

  StartNode();
  ASSERT_TRUE(AwaitPhase("ends", "Failed"));
  EXPECT_EQ(ContainerText("ends"), "terminated 5 Error restarts 0");
  ASSERT_TRUE(AwaitPhase("lost", "Failed"));
  EXPECT_EQ(ContainerText("lost"), "terminated 137 ContainerStatusUnknown restarts 0");
  EXPECT_TRUE(Eventually([&] { return !IsAlive(goes.main) && !std::filesystem::exists(gone_folder); }));
  EXPECT_TRUE(IsAlive(runs.main));
  EXPECT_EQ(ContainerText("runs"), "running restarts 0");
  std::ofstream(go).flush();
  ASSERT_TRUE(AwaitPhase("runs", "Failed"));
  EXPECT_EQ(ContainerText("runs"), "terminated 4 Error restarts 0");
}

TEST_F(PodsRestartTest, KilledAtAnyMomentItStartsNothingTwiceAndLosesNothing) {
  // Each Pod writes a line when it starts. Meanwhile the test kills the node again and again.
  constexpr int kPods = 12;
  StartNode();
  for (int i = 0; i < kPods; ++i)
    Create(PodJson(StrCat("p", i), StrCat("echo once >> ", folder / StrCat("ran", i), "; sleep 0.3; exit ", i)));
  const auto begun = [&] {
    int count = 0;
    for (int i = 0; i < kPods; ++i) count += std::filesystem::exists(folder / StrCat("ran", i)) ? 1 : 0;
    return count;
  };
  for (int i = 1; i <= kPods; i += 2) {  // at a different moment each time
    ASSERT_TRUE(Eventually([&] { return begun() >= i; }));
    Kill();
    StartNode();
  }
  for (int i = 0; i < kPods; ++i) {
    const std::string name = StrCat("p", i);
    ASSERT_TRUE(AwaitPhase(name, i == 0 ? "Succeeded" : "Failed")) << name << " " << ContainerText(name);
    EXPECT_EQ(ContainerText(name), StrCat("terminated ", i, i == 0 ? " Completed" : " Error", " restarts 0"));
    EXPECT_EQ(FileText(folder / StrCat("ran", i)), "once\n");
  }
}

TEST_F(PodsRestartTest, AContainerWithoutItsFolderIsKilledBeforeItsShareIsReleased) {
  StartPods();
  Create(PodJson("a", "sleep 1000"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  ASSERT_OK_AND_ASSIGN(const ContainerBirth birth, ReadBirth(files, RunFolder("a")));
  std::filesystem::remove_all(folder / "pods");
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "a", {.grace_seconds = 30}));
  ASSERT_TRUE(AwaitPhase("a", "gone"));
  EXPECT_FALSE(IsAlive(birth.main));
}

TEST_F(PodsRestartTest, ALostFolderMeansAnUnknownExitCode) {
  StartNode();
  Create(PodJson("a", "sleep 1000"));
  ASSERT_TRUE(AwaitPhase("a", "Running"));
  const std::string run = RunFolder("a");
  ASSERT_OK_AND_ASSIGN(const ContainerBirth birth, ReadBirth(files, run));
  Kill();
  std::filesystem::remove_all(folder / "pods");
  ASSERT_TRUE(SignalProcess(birth.main, SIGKILL));
  StartNode();
  ASSERT_TRUE(AwaitPhase("a", "Failed"));
  EXPECT_EQ(ContainerText("a"), "terminated 137 ContainerStatusUnknown restarts 0");
  // The shim cannot write exit.json, and ends.
  EXPECT_TRUE(Eventually([&] { return !IsAlive(birth.shim); }));
}

}  // namespace
}  // namespace allot::local
