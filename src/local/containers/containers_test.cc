#include "local/containers/containers.h"

#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>

#include "local/test_folder.h"
#include "tests/support/requirements.h"

namespace allot::local {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Phase = ContainerState::Phase;

class ContainersTest : public testing::Test {
 protected:
  ~ContainersTest() override {
    // Kill containers that a failed test left behind.
    for (const std::string& one : FindContainers(files, root.path())) {
      EXPECT_OK(containers->Signal(one, SIGKILL));
      EXPECT_TRUE(Eventually([&] {
        const auto state = containers->Look(one);
        return state.ok() && state->phase != Phase::kRunning && state->phase != Phase::kStarting;
      }));
    }
  }

  static ContainerSpec Shell(const std::string& script) {
    ContainerSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.environment = {{"PATH", "/usr/bin:/bin"}};
    return spec;
  }

  ContainerState AwaitEnd(const std::string& folder) {
    ContainerState last;
    EXPECT_TRUE(Eventually([&] {
      const Result<ContainerState> state = containers->Look(folder);
      if (state.ok()) last = *state;
      return last.phase == Phase::kEnded;
    }));
    return last;
  }

  // Waits for the PID that a script writes to a file.
  pid_t AwaitPid(const std::string& path) {
    EXPECT_TRUE(Eventually([&] { return FileText(path).ends_with("\n"); })) << path;
    return static_cast<pid_t>(std::stoi("0" + FileText(path)));
  }

  std::unique_ptr<Containers> Make() {
    return std::make_unique<Containers>(Containers::Options{}, files, clock, random, [this](const std::string& folder) {
      const std::lock_guard lock(mutex);
      ended.push_back(folder);
      changed.notify_all();
    });
  }

  const TestFolder root;
  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> ended;
  std::unique_ptr<Containers> containers = Make();
};

TEST_F(ContainersTest, AContainerKeepsItsExitCodeAndItsOutput) {
  const std::string folder = root / "a/0";
  ASSERT_OK_AND_ASSIGN(const ContainerState begun, containers->Start(folder, Shell("echo hello; echo bad >&2; exit 3")));
  EXPECT_NE(begun.phase, Phase::kNone);
  const ContainerState state = AwaitEnd(folder);
  EXPECT_EQ(state.exit->exit_code, 3);
  EXPECT_EQ(state.exit->reason, "");
  EXPECT_LE(state.birth->started_at, state.exit->finished_at);
  EXPECT_THAT(FileText(folder + "/log"), HasSubstr(" stdout F hello\n"));
  EXPECT_THAT(FileText(folder + "/log"), HasSubstr(" stderr F bad\n"));
}

TEST_F(ContainersTest, AStartThatTookTooLongIsFoundByTheNext) {
  const std::string folder = root / "a";
  Containers::Options slow;
  slow.shim = {"/proc/self/exe", "slow-shim"};
  Containers late(slow, files, clock, random, [](const std::string&) {});
  EXPECT_THAT(late.Start(folder, Shell("sleep 1000")), IsStatus(Code::kUnavailable));
  ASSERT_TRUE(Eventually([&] { return late.Look(folder)->phase == Phase::kRunning; }));
  const auto birth = late.Look(folder)->birth;
  ASSERT_OK_AND_ASSIGN(const ContainerState again, containers->Start(folder, Shell("true")));
  EXPECT_EQ(again.phase, Phase::kRunning);
  EXPECT_EQ(again.birth, birth);
}

TEST_F(ContainersTest, ASignalShowsAsKubernetesShowsIt) {
  const std::string folder = root / "a";
  ASSERT_OK(containers->Start(folder, Shell("kill -9 $$")));
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 137);
}

TEST_F(ContainersTest, TheProgramHasWhatTheSpecSaysAndNothingElse) {
  const std::string folder = root / "a", inside = root / "inside";
  std::filesystem::create_directories(inside);
  ::setenv("ALLOT_TEST_SECRET", "secret", 1);
  const int open_here = ::dup(STDOUT_FILENO);
  ContainerSpec spec;
  // The shell lists its descriptors itself, without a pipe or a redirection: for those it opens descriptors of its own. The descriptor of
  // the folder that it lists is closed by the time of the test -e.
  spec.argv = {"sh", "-c",
               "env | sort; pwd; for fd in /proc/$$/fd/*; do [ -e $fd ] && echo ${fd##*/}; done; readlink /proc/$$/fd/0; "
               "grep -E 'Sig(Blk|Ign)' /proc/self/status; umask"};
  spec.environment = {{"PATH", "/usr/bin:/bin"}, {"A", "1 2"}};
  spec.working_directory = inside;
  ASSERT_OK(containers->Start(folder, spec));
  AwaitEnd(folder);
  ::close(open_here);
  ::unsetenv("ALLOT_TEST_SECRET");
  ASSERT_OK_AND_ASSIGN(const ContainerSpec written, ReadSpec(files, folder));
  // The shell adds PWD.
  EXPECT_EQ(LogText(folder), StrCat("A=1 2\nALLOT_CONTAINER_ID=", written.id, "\nPATH=/usr/bin:/bin\nPWD=", inside, "\n", inside,
                                    "\n0\n1\n2\n/dev/null\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0022\n"));
}

TEST_F(ContainersTest, AProgramThatCannotStartHasAReason) {
  const auto start = [&](const std::string& name, const ContainerSpec& spec) {
    const Result<ContainerState> state = containers->Start(root / name, spec);
    EXPECT_OK(state);
    EXPECT_EQ(state->phase, Phase::kEnded);
    return *state->exit;
  };
  ContainerSpec spec = Shell("");
  spec.argv = {"no-such-program"};
  EXPECT_THAT(start("a", spec),
              testing::AllOf(testing::Field(&ContainerExit::exit_code, 127), testing::Field(&ContainerExit::reason, "StartError"),
                             testing::Field(&ContainerExit::message, HasSubstr("program \"no-such-program\" is not in PATH"))));
  spec.argv = {"/etc/passwd"};
  EXPECT_THAT(start("b", spec), testing::AllOf(testing::Field(&ContainerExit::exit_code, 126),
                                               testing::Field(&ContainerExit::message, "run /etc/passwd: Permission denied")));
  spec = Shell("true");
  spec.working_directory = "/no/such/folder";
  EXPECT_THAT(start("c", spec), testing::AllOf(testing::Field(&ContainerExit::exit_code, 128),
                                               testing::Field(&ContainerExit::message, HasSubstr("/no/such/folder"))));
}

TEST_F(ContainersTest, OnEndIsCalledWithoutALook) {
  const std::string folder = root / "a";
  ASSERT_OK_AND_ASSIGN(const ContainerState state, containers->Start(folder, Shell("sleep 1000")));
  ASSERT_EQ(state.phase, Phase::kRunning);
  ASSERT_OK(containers->Signal(folder, SIGKILL));
  std::unique_lock lock(mutex);
  ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return !ended.empty(); }));
  EXPECT_THAT(ended, ElementsAre(folder));
  // exit.json is written before on_end is called.
  ASSERT_OK_AND_ASSIGN(const ContainerExit exit, ReadExit(files, folder));
  EXPECT_EQ(exit.exit_code, 137);
}

TEST_F(ContainersTest, TermReachesTheProgramAndNotItsChildren) {
  const std::string folder = root / "a";
  ASSERT_OK(containers->Start(
      folder,
      Shell(
          "trap 'echo told; exit 7' TERM; sh -c 'trap \"echo child told\" TERM; sleep 1000' & echo ready; while :; do sleep 0.01; done")));
  ASSERT_TRUE(Eventually([&] { return LogText(folder) == "ready\n"; }));
  ASSERT_OK(containers->Signal(folder, SIGTERM));
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 7);
  EXPECT_EQ(LogText(folder), "ready\ntold\n");
}

TEST_F(ContainersTest, AShimThatIsToldToEndTellsTheProgramAndKeepsItsExitCode) {
  const std::string folder = root / "a";
  ASSERT_OK_AND_ASSIGN(const ContainerState state,
                       containers->Start(folder, Shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done")));
  ASSERT_TRUE(Eventually([&] { return LogText(folder) == "ready\n"; }));
  ASSERT_TRUE(SignalProcess(state.birth->shim, SIGHUP));  // ignored: a shim has no terminal
  ASSERT_TRUE(SignalProcess(state.birth->shim, SIGTERM));
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 7);
}

TEST_F(ContainersTest, WhenTheProgramEndsSoDoesAllThatItStarted) {
  const std::string folder = root / "a";
  const std::string child = root / "child", daemon = root / "daemon";
  // `child` is in the program's session; `daemon` has left it and is an orphan.
  ASSERT_OK(containers->Start(folder, Shell(StrCat("sleep 1000 & echo $! > ", child, "; setsid sh -c 'sleep 1000 & echo $! > ", daemon,
                                                   "' ; while [ ! -s ", daemon, " ]; do sleep 0.01; done; exit 0"))));
  const ContainerState state = AwaitEnd(folder);
  EXPECT_EQ(state.exit->exit_code, 0);
  for (const std::string& path : {child, daemon}) {
    const auto process = ReadProcess(AwaitPid(path));
    EXPECT_TRUE(!process || process->ended) << path;
  }
}

TEST_F(ContainersTest, AProcessThatNeverStopsWritingIsKilledToo) {
  // The shim kills `timeout` first, which has its own process group. Only then `yes` becomes a child of the shim.
  ASSERT_OK(containers->Start(root / "a", Shell("timeout 1000 yes & sleep 0.2; exit 3")));
  EXPECT_EQ(AwaitEnd(root / "a").exit->exit_code, 3);
}

TEST_F(ContainersTest, AShimThatIsKilledIsAnUnknownEndAndNothingIsLeft) {
  const std::string folder = root / "a";
  const std::string child = root / "child", daemon = root / "daemon";
  ASSERT_OK_AND_ASSIGN(const ContainerState begun,
                       containers->Start(folder, Shell(StrCat("sleep 1000 & echo $! > ", child, "; setsid sh -c 'sleep 1000 & echo $! > ",
                                                              daemon, "; wait'"))));
  const pid_t child_pid = AwaitPid(child), daemon_pid = AwaitPid(daemon);
  ASSERT_TRUE(SignalProcess(begun.birth->shim, SIGKILL));
  const ContainerState state = AwaitEnd(folder);
  EXPECT_EQ(state.exit->exit_code, 137);
  EXPECT_EQ(state.exit->reason, "ContainerStatusUnknown");
  EXPECT_FALSE(IsAlive(begun.birth->main));
  for (const pid_t pid : {child_pid, daemon_pid}) {
    const auto process = ReadProcess(pid);
    EXPECT_TRUE(!process || process->ended) << pid;
  }
  // The recorded exit does not change.
  EXPECT_EQ(AwaitEnd(folder).exit, state.exit);
}

TEST_F(ContainersTest, AContainerOutlivesItsStarterAndIsFoundAgain) {
  const std::string folder = root / "a/b/0", done = root / "a/c/0";
  const std::string go = root / "go";
  const pid_t starter = ::fork();
  if (starter == 0) {
    // The child has no other threads. The test kills it while it waits.
    const std::unique_ptr<Containers> owner = Make();
    const bool ok = owner->Start(folder, Shell(StrCat("while [ ! -e ", go, " ]; do sleep 0.01; done; echo on; exit 5"))).ok() &&
                    owner->Start(done, Shell("exit 6")).ok();
    std::ofstream(root / (ok ? "ok" : "failed")).flush();
    for (;;) ::pause();
  }
  ASSERT_GT(starter, 0);
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(root / "ok"); }));
  ASSERT_EQ(::kill(starter, SIGKILL), 0);
  ASSERT_EQ(::waitpid(starter, nullptr, 0), starter);

  EXPECT_THAT(FindContainers(files, root.path()), ElementsAre(folder, done));
  ASSERT_OK_AND_ASSIGN(const ContainerState state, containers->Look(folder));
  EXPECT_EQ(state.phase, Phase::kRunning);
  EXPECT_TRUE(IsAlive(state.birth->main));
  EXPECT_EQ(AwaitEnd(done).exit->exit_code, 6);
  std::ofstream(go).flush();
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 5);
  EXPECT_EQ(LogText(folder), "on\n");
  std::unique_lock lock(mutex);
  EXPECT_TRUE(
      changed.wait_for(lock, std::chrono::seconds(10), [&] { return std::find(ended.begin(), ended.end(), folder) != ended.end(); }));
}

TEST_F(ContainersTest, AReusedPidIsNotSignalled) {
  const std::string folder = root / "a";
  ASSERT_OK(containers->Start(folder, Shell("exit 0")));
  AwaitEnd(folder);
  // Pretend that the container had our PID.
  ASSERT_OK_AND_ASSIGN(ContainerBirth birth, ReadBirth(files, folder));
  birth.main = birth.shim = {::getpid(), ReadProcess(::getpid())->id.start - 1};
  ASSERT_OK(WriteBirth(files, folder, birth));
  EXPECT_OK(containers->Signal(folder, SIGKILL));
  std::filesystem::remove(folder + "/exit.json");
  ASSERT_OK_AND_ASSIGN(const ContainerState state, containers->Look(folder));
  EXPECT_EQ(state.exit->reason, "ContainerStatusUnknown");
}

TEST_F(ContainersTest, ABootOfTheMachineEndsItsContainers) {
  const std::string folder = root / "a";
  std::filesystem::create_directories(folder);
  ASSERT_OK(WriteSpec(files, folder, Shell("true")));
  const ProcessId self = ReadProcess(::getpid())->id;
  ASSERT_OK(WriteBirth(files, folder, {self, self, "another-boot", clock.Now()}));
  ASSERT_OK_AND_ASSIGN(const ContainerState state, containers->Look(folder));
  EXPECT_EQ(state.phase, Phase::kEnded);
  EXPECT_EQ(state.exit->message, "the machine was restarted");
}

TEST_F(ContainersTest, ACreatedContainerCanBeStarted) {
  const std::string folder = root / "a";
  std::filesystem::create_directories(folder);
  ASSERT_OK(WriteSpec(files, folder, Shell("exit 1")));
  ASSERT_OK_AND_ASSIGN(const ContainerState created, containers->Look(folder));
  EXPECT_EQ(created.phase, Phase::kCreated);
  ASSERT_OK(containers->Start(folder, Shell("exit 2")));
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 2);
  ASSERT_OK(containers->Remove(folder));
  ASSERT_OK_AND_ASSIGN(const ContainerState removed, containers->Look(folder));
  EXPECT_EQ(removed.phase, Phase::kNone);
}

TEST_F(ContainersTest, AShimThatCannotRunIsAnErrorThatNamesIt) {
  Containers broken({.shim = {"/no/such/allot", "shim"}}, files, clock, random, [](const std::string&) {});
  EXPECT_THAT(broken.Start(root / "a", Shell("true")), IsStatus(Code::kUnavailable, HasSubstr("/no/such/allot")));
  Containers failing({.shim = {"/bin/sh", "-c", "echo no luck >&2; exit 4"}}, files, clock, random, [](const std::string&) {});
  EXPECT_THAT(failing.Start(root / "b", Shell("true")), IsStatus(Code::kUnavailable, HasSubstr("exit code 4: no luck")));
}

TEST_F(ContainersTest, AProgramRunsAsTheUserOfTheSpecWithTheirGroupsOnly) {
  ALLOT_NEEDS(kRoot);
  std::filesystem::permissions(root.path(), std::filesystem::perms(0755));
  const std::string folder = root / "a";
  ContainerSpec spec = Shell("id -u > /dev/stdout; id -g; id -G; grep NoNewPrivs /proc/self/status; cat " + folder + "/spec.json");
  spec.run_as = RunAs{65534, 65534, {65534, 12345}};
  spec.no_new_privileges = true;
  ASSERT_OK(containers->Start(folder, spec));
  // The program cannot read the spec, which has secrets.
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 1);
  EXPECT_THAT(LogText(folder), StartsWith("65534\n65534\n65534 12345\nNoNewPrivs:\t1\n"));
  EXPECT_THAT(LogText(folder), HasSubstr("Permission denied"));
}

TEST_F(ContainersTest, OnlyRootCanRunContainersOfOtherUsers) {
  ALLOT_NEEDS(kRoot);
  std::filesystem::permissions(root.path(), std::filesystem::perms(0777));
  const std::string folder = root / "a";
  const pid_t other = ::fork();
  if (other == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(1);
    const std::unique_ptr<Containers> owner = Make();
    ContainerSpec spec = Shell("true");
    spec.run_as = RunAs{1, 1, {}};
    ::_exit(owner->Start(folder, spec).ok() ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_EQ(status, 0);
  const ContainerState state = AwaitEnd(folder);
  EXPECT_EQ(state.exit->reason, "ContainerCannotRun");
  EXPECT_THAT(state.exit->message, HasSubstr("only root can run Pods of other users"));
}

TEST_F(ContainersTest, MuchOutputIsKeptUpToItsLimitAndTheProgramIsNotHeldUp) {
  const std::string folder = root / "a";
  ContainerSpec spec = Shell("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done");
  spec.log_bytes = 100'000;
  ASSERT_OK(containers->Start(folder, spec));
  EXPECT_EQ(AwaitEnd(folder).exit->exit_code, 0);
  EXPECT_THAT(FileText(folder + "/log"), testing::EndsWith(" stdout F 19999\n"));
  EXPECT_LT(std::filesystem::file_size(folder + "/log") + std::filesystem::file_size(folder + "/log.1"), 201'000U);
}

TEST_F(ContainersTest, HundredContainersAtOnce) {
  std::vector<std::string> folders;
  for (int i = 0; i < 100; ++i) {
    folders.push_back(root / StrCat("many/", i));
    ASSERT_OK(containers->Start(folders.back(), Shell(StrCat("sleep 0.2; exit ", i))));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(AwaitEnd(folders[static_cast<size_t>(i)]).exit->exit_code, i);
}

}  // namespace
}  // namespace allot::local
