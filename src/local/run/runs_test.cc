#include "local/run/runs.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "local/run/run_request.h"
#include "local/run/suspended_command.h"
#include "local/test_node.h"
#include "tests/support/requirements.h"

namespace allot::local {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RunsTest : public NodeTest {
 protected:
  RunsTest() { StartRuns(); }
  ~RunsTest() override {
    runs.reset();
    for (const pid_t group : groups) ::kill(-group, SIGKILL);
    for (const pid_t group : groups) ::waitpid(group, nullptr, 0);
  }

  void StartRuns() {
    runs = std::make_unique<Runs>(
        *client, [this](std::string_view node) -> Devices* { return node == kNode ? &devices : nullptr; }, clock, random, log);
    runs->Start();
  }

  RunRequest Ask(const std::string& name) {
    auto request =
        RunRequest::Make(*client, "default", {.share = {.memory = model::MiB(1024)}, .argv = {"train"}, .name = name}, random, cancel);
    EXPECT_OK(request);
    return *std::move(request);
  }
  // Binds the Pod, as the scheduler does.
  void Bind(const std::string& name) {
    http::Request request;
    request.method = "POST";
    request.target = StrCat("/api/v1/namespaces/default/pods/", name, "/binding");
    request.headers = {{"Content-Type", "application/json"}};
    request.body =
        StrCat(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")", name, R"("},"target":{"kind":"Node","name":"n1"}})");
    ASSERT_OK(client->Raw(request, "bind"));
  }
  void Annotate(const std::string& name, std::string_view key, const std::string& value) {
    ASSERT_OK(client->Patch(kube::types::kPods, "default", name, kube::PatchType::kMerge,
                            StrCat(R"({"metadata":{"annotations":{")", key, R"(":")", value, R"("}}})")));
  }
  SuspendedCommand Suspend(const std::string& script) {
    auto command = SuspendedCommand::Start({"/bin/sh", "-c", script}, ProcessEnvironment());
    EXPECT_OK(command);
    groups.push_back(command->process().pid);
    return *std::move(command);
  }
  // Starts a process in its own group, or in ours.
  ProcessId Process(bool own_group, uid_t user) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (own_group) ::setpgid(0, 0);
      if (user != ::geteuid() && ::setuid(user) != 0) _exit(1);
      for (;;) ::pause();
    }
    if (own_group) ::setpgid(pid, pid);
    groups.push_back(own_group ? pid : 0x7ffffff0);
    EXPECT_TRUE(Eventually([&] { return OwnerOf(pid) == user; }));
    return ReadProcess(pid)->id;
  }

  std::unique_ptr<Runs> runs;
  std::vector<pid_t> groups;
  const Cancel cancel;
};

TEST_F(RunsTest, AShareIsTheCommandsUntilItsLastProcessIsGone) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK_AND_ASSIGN(const Environment environment, request.AwaitShare(cancel, nullptr));
  EXPECT_THAT(environment.at("CUDA_VISIBLE_DEVICES"), StartsWith("train-"));
  // The leader ends at once, and leaves another process behind.
  SuspendedCommand command = Suspend("sleep 1000 & exit 0");
  ASSERT_OK(request.Attach(command.process(), cancel));
  EXPECT_EQ(Phase("train"), "Running");
  EXPECT_TRUE(Eventually([&] { return runs->running() == 1; }));
  ASSERT_OK(command.Resume());
  EXPECT_EQ(command.Wait(), 0);
  // A new Runs continues with the state in the API.
  runs.reset();
  StartRuns();
  ASSERT_TRUE(Eventually([&] { return runs->running() == 1; }));
  EXPECT_EQ(devices.prepared(), 1U);
  EXPECT_EQ(Phase("train"), "Running");
  ::kill(-command.process().pid, SIGKILL);
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(RunsTest, AwaitFreeWaitsForTheReleaseUnlessProcessesOfTheCommandAreLeft) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  const std::string claim(json::TextOf(Get("train")->json()["spec"]["resourceClaims"].Items()[0]["resourceClaimName"]));
  ASSERT_OK(client->Get(kube::types::kResourceClaims, "default", claim));
  SuspendedCommand command = Suspend("exit 4");
  ASSERT_OK(request.Attach(command.process(), cancel));
  ASSERT_OK(command.Resume());
  EXPECT_EQ(command.Wait(), 4);
  request.AwaitFree(command.process(), cancel);
  EXPECT_EQ(devices.prepared(), 0U);
  EXPECT_EQ(Phase("train"), "gone");
  EXPECT_THAT(client->Get(kube::types::kResourceClaims, "default", claim), IsStatus(Code::kNotFound, testing::_));

  RunRequest second = Ask("second");
  Bind("second");
  ASSERT_OK(second.AwaitShare(cancel, nullptr));
  SuspendedCommand leaving = Suspend("sleep 1000 & exit 0");
  ASSERT_OK(second.Attach(leaving.process(), cancel));
  ASSERT_OK(leaving.Resume());
  EXPECT_EQ(leaving.Wait(), 0);
  second.AwaitFree(leaving.process(), cancel);
  EXPECT_TRUE(IsGroupAlive(leaving.process()));
  EXPECT_EQ(Phase("second"), "Running");
  EXPECT_EQ(devices.prepared(), 1U);
}

TEST_F(RunsTest, AnOldClaimWithThePodsNameDoesNotMatter) {
  Create(R"({"metadata":{"name":"train"},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.nvidia.com"}}]}}})",
         kube::types::kResourceClaims);
  RunRequest request = Ask("train");
  Bind("train");
  EXPECT_OK(request.AwaitShare(cancel, nullptr));
}

TEST_F(RunsTest, AwaitFreeHasATimeLimit) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  SuspendedCommand command = Suspend("true");
  ASSERT_OK(request.Attach(command.process(), cancel));
  runs.reset();  // the share is not released
  ASSERT_OK(command.Resume());
  EXPECT_EQ(command.Wait(), 0);
  const MonotonicTime start = std::chrono::steady_clock::now();
  request.AwaitFree(command.process(), cancel);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(devices.prepared(), 1U);
  // A cancelled `run` does not wait at all, and the next `up` releases the share.
  Cancel killed;
  killed.Request();
  request.AwaitFree(command.process(), killed);
  StartRuns();
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  EXPECT_TRUE(Eventually([&] { return devices.prepared() == 0; }));
}

TEST_F(RunsTest, AwaitShareReportsTheReasonAndThePlace) {
  const auto wait = [&](const std::string& name, const std::string& message) {
    ASSERT_OK(
        client->Patch(kube::types::kPods, "default", name, kube::PatchType::kMerge,
                      StrCat(R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":")",
                             message, R"("}]}})"),
                      "status"));
  };
  RunRequest first = Ask("a"), request = Ask("b");
  wait("a", "no room");
  wait("b", "no room either");
  Wait told;
  Cancel enough;
  const Result<Environment> share = request.AwaitShare(enough, [&](const Wait& now) {
    told = now;
    enough.Request();
  });
  EXPECT_FALSE(share.ok());
  EXPECT_EQ(told, (Wait{"no room either", false, 2}));
}

TEST_F(RunsTest, WithoutOfferedGpusAwaitShareKeepsWaiting) {
  ASSERT_OK_AND_ASSIGN(
      RunRequest request,
      RunRequest::Make(*client, "default", {.share = {.memory = model::MiB(1024)}, .argv = {"train"}, .name = "train", .wait = false},
                       random, cancel));
  ASSERT_OK(client->Patch(kube::types::kPods, "default", "train", kube::PatchType::kMerge,
                          R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
                             "message":"no node has devices"},{"type":"allot.dev/NeverFits","status":"True"}]}})",
                          "status"));
  Wait told;
  ASSERT_OK(request.AwaitShare(cancel, [&](const Wait& now) {
    told = now;
    Bind("train");  // as if GPUs were offered now
  }));
  EXPECT_EQ(told, (Wait{.why = "no GPU is offered yet"}));
}

TEST_F(RunsTest, TheErrorForALogSaysWhereTheOutputIs) {
  RunRequest request = Ask("train");
  Bind("train");
  EXPECT_THAT(Logs("train"),
              HasSubstr("Pod default/train represents a command of `allot run`, which has no log: its output goes to the terminal"));
}

TEST_F(RunsTest, ADeletedPodEndsItsCommand) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  SuspendedCommand command = Suspend(StrCat("trap 'exit 3' TERM; touch ", folder / "ready", "; while :; do sleep 0.01; done"));
  ASSERT_OK(request.Attach(command.process(), cancel));
  ASSERT_OK(command.Resume());
  ASSERT_TRUE(Eventually([&] { return ::access((folder / "ready").c_str(), F_OK) == 0; }));
  kube::DeleteOptions soft;
  soft.grace_seconds = 30;
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "train", soft));
  EXPECT_EQ(command.Wait(), 3);
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(RunsTest, APodDeletedByForceKeepsItsShareUntilItsCommandIsGone) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  SuspendedCommand command =
      Suspend(StrCat("trap 'touch ", folder / "told", "' TERM; touch ", folder / "ready", "; while :; do sleep 0.01; done"));
  ASSERT_OK(request.Attach(command.process(), cancel));
  ASSERT_OK(command.Resume());
  ASSERT_TRUE(Eventually([&] { return ::access((folder / "ready").c_str(), F_OK) == 0; }));
  const std::string claim(json::TextOf(Get("train")->json()["spec"]["resourceClaims"].Items()[0]["resourceClaimName"]));
  runs.reset();  // `up` is down during the deletion
  kube::DeleteOptions force;
  force.grace_seconds = 0;
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "train", force));
  EXPECT_NE(Phase("train"), "gone");
  EXPECT_OK(client->Get(kube::types::kResourceClaims, "default", claim));
  EXPECT_EQ(devices.prepared(), 1U);
  StartRuns();
  EXPECT_EQ(command.Wait(), 128 + SIGKILL);
  EXPECT_EQ(::access((folder / "told").c_str(), F_OK), 0);
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(RunsTest, ALeaderThatLeftItsGroupIsEndedToo) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  // The leader joins the group of its child.
  SuspendedCommand command =
      Suspend(StrCat("exec python3 -c 'import os,time\npid=os.fork()\nif pid==0: os.setpgid(0,0); time.sleep(1000)\n"
                     "time.sleep(0.2); os.setpgid(0,pid); open(\"",
                     folder / "ready", "\",\"w\"); time.sleep(1000)'"));
  ASSERT_OK(request.Attach(command.process(), cancel));
  ASSERT_OK(command.Resume());
  ASSERT_TRUE(Eventually([&] { return ::access((folder / "ready").c_str(), F_OK) == 0; }));
  kube::DeleteOptions soft;
  soft.grace_seconds = 30;
  const pid_t group = ReadProcess(command.process().pid)->group;
  ASSERT_NE(group, command.process().pid);
  ASSERT_OK(client->Delete(kube::types::kPods, "default", "train", soft));
  EXPECT_EQ(command.Wait(), 128 + SIGTERM);
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  ::kill(-group, SIGKILL);
}

TEST_F(RunsTest, AwaitShareReportsWhyTheShareCannotBePreparedYet) {
  devices.Fail(Unavailable("gpu-0 is still in use"));
  RunRequest request = Ask("train");
  Bind("train");
  Wait told;
  ASSERT_OK(request.AwaitShare(cancel, [&](const Wait& now) {
    told = now;
    devices.Fail(Status());
  }));
  EXPECT_EQ(told, (Wait{.why = "gpu-0 is still in use"}));
}

TEST_F(RunsTest, AttachFailsIfTheShareIsLostBeforeTheCommandStarts) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  // A new `up` with other GPUs.
  runs.reset();
  devices.Fail(Invalid("gpu-0 is not in this machine now"));
  StartRuns();
  SuspendedCommand command = Suspend("true");
  EXPECT_THAT(request.Attach(command.process(), cancel), IsStatus(Code::kUnavailable, HasSubstr("gpu-0 is not in this machine now")));
}

TEST_F(RunsTest, APodWhoseWaiterHasEndedIsDeleted) {
  const ProcessId waiter = Process(true, ::geteuid());
  RunRequest request = Ask("train");
  Annotate("train", kWaiter, ProcessText(waiter));
  Bind("train");
  ASSERT_TRUE(Eventually([&] { return devices.prepared() == 1; }));
  ::kill(waiter.pid, SIGKILL);
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(RunsTest, AProcessOfAnotherUserIsNeitherAcceptedAsTheCommandNorEnded) {
  ALLOT_NEEDS(kRoot);
  const ProcessId others = Process(true, 65534), no_leader = Process(false, ::geteuid());
  for (const ProcessId& victim : {others, no_leader, ProcessId{others.pid, others.start + 1}, ProcessId{1, 0}, ProcessId{0x3fffff, 5}}) {
    RunRequest request = Ask("train");
    Bind("train");
    ASSERT_OK(request.AwaitShare(cancel, nullptr));
    Annotate("train", kCommand, ProcessText(victim));
    // When the next Pod has its share, the first one has been synced.
    RunRequest next = Ask("next");
    Bind("next");
    ASSERT_OK(next.AwaitShare(cancel, nullptr));
    EXPECT_EQ(Phase("train"), "Pending");
    kube::DeleteOptions hard;
    hard.grace_seconds = 1;
    ASSERT_OK(client->Delete(kube::types::kPods, "default", "train", hard));
    ASSERT_TRUE(AwaitPhase("train", "gone"));
    EXPECT_TRUE(Eventually([&] { return devices.prepared() == 1; }));
    ASSERT_OK(client->Delete(kube::types::kPods, "default", "next", hard));
    ASSERT_TRUE(AwaitPhase("next", "gone"));
  }
  EXPECT_TRUE(IsAlive(others));
  EXPECT_TRUE(IsAlive(no_leader));
  ::kill(no_leader.pid, SIGKILL);
  ::waitpid(no_leader.pid, nullptr, 0);
}

TEST_F(RunsTest, TheEnvironmentOfAPodIsNotWrittenToTheNextPodWithItsName) {
  devices.HoldUp(true);
  {
    RunRequest first = Ask("train");
    Bind("train");
    ASSERT_TRUE(Eventually([&] { return devices.CountStarting("prepare train") == 1; }));
  }
  ASSERT_TRUE(AwaitPhase("train", "gone"));
  RunRequest second = Ask("train");
  devices.HoldUp(false);
  // Once the first Pod's share is released, its Prepare has finished.
  ASSERT_TRUE(Eventually([&] { return devices.CountStarting("unprepare train") == 1; }));
  EXPECT_EQ(Get("train")->Annotation(kEnvironment), "");
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(RunsTest, WaitingPreparesDoNotDelayTheEndOfACommand) {
  RunRequest request = Ask("train");
  Bind("train");
  ASSERT_OK(request.AwaitShare(cancel, nullptr));
  SuspendedCommand command = Suspend("exit 0");
  ASSERT_OK(request.Attach(command.process(), cancel));
  devices.HoldUp(true);
  std::vector<RunRequest> others;
  for (int i = 0; i < 6; ++i) {
    others.push_back(Ask(StrCat("other-", i)));
    Bind(StrCat("other-", i));
  }
  ASSERT_TRUE(Eventually([&] {
    size_t at_it = 0;
    for (int i = 0; i < 6; ++i) at_it += devices.CountStarting(StrCat("prepare other-", i));
    return at_it >= 3;
  }));
  ASSERT_OK(command.Resume());
  EXPECT_EQ(command.Wait(), 0);
  EXPECT_TRUE(AwaitPhase("train", "gone"));
  devices.HoldUp(false);
}

TEST_F(RunsTest, AWaiterOfAnotherUserIsRefusedAtOnce) {
  ALLOT_NEEDS(kRoot);
  RunRequest request = Ask("train");
  Annotate("train", kWaiter, ProcessText(Process(true, 65534)));
  EXPECT_THAT(request.AwaitShare(cancel, nullptr), IsStatus(Code::kUnavailable, HasSubstr("does not belong to this Pod's user")));
  EXPECT_EQ(devices.prepared(), 0U);
}

TEST_F(RunsTest, AnEnvironmentThatTheUserWroteIsNoShare) {
  RunRequest request = Ask("train");
  Annotate("train", kEnvironment, "{}");
  SuspendedCommand command = Suspend("true");
  Annotate("train", kCommand, ProcessText(command.process()));
  EXPECT_EQ(Phase("train"), "Pending");  // the Pod has no node yet
  Bind("train");
  EXPECT_TRUE(AwaitPhase("train", "Running"));
  EXPECT_EQ(devices.prepared(), 1U);
}

TEST_F(RunsTest, TheRunLabelCannotBeAddedOrRemoved) {
  RunRequest request = Ask("train");
  const auto label = [&](const std::string& pod, const std::string& value) {
    return client
        ->Patch(kube::types::kPods, "default", pod, kube::PatchType::kMerge,
                StrCat(R"({"metadata":{"labels":{"allot.dev/run":)", value, "}}}"))
        .status();
  };
  EXPECT_THAT(label("train", "null"), IsStatus(Code::kInvalid, HasSubstr("this label cannot be added or removed")));
  Create(PodJson("plain", "sleep 1000"));
  EXPECT_THAT(label("plain", R"("x")"), IsStatus(Code::kInvalid, HasSubstr("this label cannot be added or removed")));
  EXPECT_THAT(
      client->Create(
          kube::types::kPods, "default",
          R"({"metadata":{"name":"x","labels":{"allot.dev/run":"x"}},"spec":{"containers":[{"name":"c","image":"i","command":["a"]}]}})"),
      IsStatus(Code::kInvalid, HasSubstr("only Pods of `allot run` can have this label")));
}

TEST_F(RunsTest, AwaitShareFailsIfTheShareCanNeverBePrepared) {
  devices.Fail(Invalid("gpu-0 is gone for good"));
  RunRequest request = Ask("train");
  Bind("train");
  EXPECT_THAT(request.AwaitShare(cancel, nullptr), IsStatus(Code::kUnavailable, HasSubstr("gpu-0 is gone for good")));
}

TEST(SuspendedCommand, DoesNothingUntilItIsResumed) {
  const TestFolder folder;
  {
    ASSERT_OK(SuspendedCommand::Start({"/bin/sh", "-c", StrCat("touch ", folder / "ran")}, ProcessEnvironment()));
  }
  EXPECT_EQ(::access((folder / "ran").c_str(), F_OK), -1);
  ASSERT_OK_AND_ASSIGN(SuspendedCommand command,
                       SuspendedCommand::Start({"sh", "-c", StrCat("touch ", folder / "ran", "; exit 5")}, {{"PATH", "/usr/bin:/bin"}}));
  ASSERT_OK(command.Resume());
  EXPECT_EQ(command.Wait(), 5);
  EXPECT_EQ(::access((folder / "ran").c_str(), F_OK), 0);
}

TEST(SuspendedCommand, ReportsAProgramThatCannotStart) {
  ASSERT_OK_AND_ASSIGN(SuspendedCommand none, SuspendedCommand::Start({"no-such-program"}, {{"PATH", "/usr/bin"}}));
  EXPECT_THAT(none.Resume(), IsStatus(Code::kNotFound, "no-such-program: no such program"));
  ASSERT_OK_AND_ASSIGN(SuspendedCommand folder, SuspendedCommand::Start({"/tmp"}, {}));
  EXPECT_THAT(folder.Resume(), IsStatus(Code::kInvalid, HasSubstr("/tmp: cannot start")));
}

TEST(CheckProgram, FindsWhatExecWouldFind) {
  const TestFolder folder;
  const std::string bin = folder / "bin", none = folder / "none";
  std::filesystem::create_directories(bin + "/folder");
  std::ofstream(bin + "/plain") << "text";
  std::ofstream(bin + "/program") << "#!/bin/sh\n";
  std::filesystem::permissions(bin + "/program", std::filesystem::perms::owner_all);
  const Environment path = {{"PATH", StrCat(none, ":", bin, ":/usr/bin:/bin")}};
  EXPECT_OK(CheckProgram("program", path));
  EXPECT_OK(CheckProgram(bin + "/program", {}));
  EXPECT_OK(CheckProgram("sh", path));
  EXPECT_OK(CheckProgram("sh", {}));  // in exec's default PATH
  EXPECT_THAT(CheckProgram("no-such-program", path), IsStatus(Code::kNotFound, "no-such-program: no such program"));
  EXPECT_THAT(CheckProgram(bin + "/none", path), IsStatus(Code::kNotFound, HasSubstr("no such program")));
  EXPECT_THAT(CheckProgram("folder", path), IsStatus(Code::kNotFound, HasSubstr("no such program")));
  EXPECT_THAT(CheckProgram("", path), IsStatus(Code::kNotFound, HasSubstr("the command is empty")));
  EXPECT_THAT(CheckProgram("plain", path), IsStatus(Code::kInvalid, "plain: cannot start: Permission denied"));
  EXPECT_THAT(CheckProgram(bin + "/plain", path), IsStatus(Code::kInvalid, HasSubstr("Permission denied")));
  EXPECT_THAT(CheckProgram(bin, path), IsStatus(Code::kInvalid, HasSubstr("Is a directory")));
}

TEST(RunProtocol, NamesOfProcesses) {
  EXPECT_EQ(ParseProcess("4711 99"), (ProcessId{4711, 99}));
  for (const char* bad : {"", "4711", "1 5", "0 5", "-4 5", "a b", "4711 99 1", "4711  99"}) EXPECT_FALSE(ParseProcess(bad)) << bad;
  const ProcessId self = ReadProcess(::getpid())->id;
  EXPECT_EQ(ParseContainerId(ContainerIdText(self)), self);
  EXPECT_FALSE(ParseContainerId(StrCat("process://another-boot/", self.pid, "/", self.start)));
  EXPECT_FALSE(ParseContainerId("process://pod/container/0"));
  EXPECT_TRUE(IsGroupAlive({::getpgrp(), ReadProcess(::getpgrp()) ? ReadProcess(::getpgrp())->id.start : 0}));
}

}  // namespace
}  // namespace allot::local
