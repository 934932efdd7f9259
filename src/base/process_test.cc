#include "base/process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/test_util.h"

namespace allot {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

ProcessSpec Spec(std::vector<std::string> argv) {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.environment = {{"PATH", "/usr/bin:/bin"}};
  return spec;
}
ProcessSpec Script(const std::string& script) { return Spec({"/bin/sh", "-c", script}); }

class ProcessTest : public testing::Test {
 protected:
  ProcessTest() {
    std::string name = testing::TempDir() + "allot-process-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = std::filesystem::canonical(name);
  }
  ~ProcessTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text, mode_t mode) const {
    const std::string path = StrCat(folder_, "/", name);
    std::ofstream(path) << text;
    CHECK(::chmod(path.c_str(), mode) == 0);
    return path;
  }

  std::string folder_;
};

TEST_F(ProcessTest, ArgumentsReachTheProgramAsTheyAre) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(Spec({"printf", "%s|", "a b", "$HOME", "'", "", "*"})));
  EXPECT_EQ(output.stdout_text, "a b|$HOME|'||*|");
  EXPECT_TRUE(output.succeeded());
}

TEST_F(ProcessTest, ExitCodeAndSignalAreTold) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutput code, RunProcess(Script("exit 3")));
  EXPECT_EQ(code.exit_code, 3);
  EXPECT_EQ(code.Ending(), "ended with exit code 3");
  EXPECT_FALSE(code.succeeded());
  ASSERT_OK_AND_ASSIGN(const ProcessOutput killed, RunProcess(Script("kill -9 $$")));
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.Ending(), "was ended by signal 9 (Killed)");
  EXPECT_FALSE(killed.succeeded());
}

TEST_F(ProcessTest, EnvironmentIsOnlyWhatWasGiven) {
  ASSERT_EQ(::setenv("ALLOT_PROCESS_TEST", "ours", 1), 0);
  EXPECT_THAT(ProcessEnvironment(), Contains(Pair("ALLOT_PROCESS_TEST", "ours")));
  ProcessSpec spec = Script("echo \"$ALLOT_PROCESS_TEST|$B\"");
  spec.environment["B"] = "x=y z";
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(spec));
  EXPECT_EQ(output.stdout_text, "|x=y z\n");
}

TEST_F(ProcessTest, StdinIsEmpty) {
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(Spec({"cat"})));
  EXPECT_EQ(output.stdout_text, "");
  EXPECT_TRUE(output.succeeded());
}

TEST_F(ProcessTest, StdinIsTheCallersIfInherited) {
  const int ours = ::dup(STDIN_FILENO);
  const int file = ::open(Write("in", "typed", 0644).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
  ProcessSpec spec = Spec({"cat"});
  spec.stdin_from = ProcessSpec::Stdin::kInherit;
  const Result<ProcessOutput> output = RunProcess(spec);
  spec.argv = {"sleep", "1000"};
  spec.time_limit = std::chrono::milliseconds(1);
  const Result<ProcessOutput> hung = RunProcess(spec);
  ::dup2(ours, STDIN_FILENO);
  ::close(ours);
  ::close(file);
  ASSERT_OK(output);
  EXPECT_EQ(output->stdout_text, "typed");
  EXPECT_THAT(hung, IsStatus(Code::kUnavailable, HasSubstr("sleep did not end within 1 ms and was killed")));
}

TEST_F(ProcessTest, ProgramStartsInItsFolder) {
  ProcessSpec spec = Script("pwd");
  spec.working_directory = folder_;
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(spec));
  EXPECT_EQ(output.stdout_text, folder_ + "\n");
  spec.working_directory = folder_ + "/none";
  EXPECT_THAT(RunProcess(spec), IsStatus(Code::kNotFound, HasSubstr(StrCat("there is no folder ", folder_, "/none to run /bin/sh in"))));
}

TEST_F(ProcessTest, StderrIsCapturedToItsLimitAndTheRestDropped) {
  ProcessSpec spec = Script("head -c 100000 /dev/zero | tr '\\0' e >&2; echo done");
  spec.stderr_to = ProcessSpec::Stderr::kCapture;
  spec.max_stderr = 1000;
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(spec));
  EXPECT_EQ(output.stdout_text, "done\n");
  EXPECT_EQ(output.stderr_text, std::string(1000, 'e'));
}

TEST_F(ProcessTest, OutputAtTheLimitIsTakenAndOneByteMoreIsRefused) {
  ProcessSpec spec = Script("head -c 100000 /dev/zero");
  spec.max_stdout = 100'000;
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(spec));
  EXPECT_EQ(output.stdout_text.size(), 100'000u);
  spec.max_stdout = 99'999;
  EXPECT_THAT(RunProcess(spec), IsStatus(Code::kExhausted, HasSubstr("/bin/sh wrote more than 99999 bytes")));
}

TEST_F(ProcessTest, EndlessOutputIsStopped) {
  EXPECT_THAT(RunProcess(Spec({"yes"})), IsStatus(Code::kExhausted, HasSubstr("yes wrote more than 1048576 bytes")));
}

TEST_F(ProcessTest, ProgramThatHangsIsKilledWithItsGroupOrItsChildren) {
  for (const ProcessSpec::Group group : {ProcessSpec::Group::kOwn, ProcessSpec::Group::kOurs}) {
    const std::string pipe = StrCat(folder_, "/alive", group == ProcessSpec::Group::kOwn);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    // Reaches its end once every holder of the other end is gone.
    const int alive = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(alive, 0);
    ProcessSpec spec = Script("exec 5>" + pipe + "; sleep 1000 & sh -c 'sleep 1000; :'");
    spec.group = group;
    spec.time_limit = std::chrono::milliseconds(200);
    EXPECT_THAT(RunProcess(spec), IsStatus(Code::kUnavailable, HasSubstr("/bin/sh did not end within 200 ms and was killed")));
    ASSERT_EQ(::fcntl(alive, F_SETFL, 0), 0);
    char unused = 0;
    EXPECT_EQ(::read(alive, &unused, 1), 0) << "blocks for as long as one of them lives";
    ::close(alive);
  }
}

TEST_F(ProcessTest, BugAChildThatAnotherThreadThanTheFirstHadForkedWasNotKilled) {
  const std::string pipe = StrCat(folder_, "/alive");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int alive = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(alive, 0);
  ProcessSpec spec = Spec({"python3", "-c",
                           "import os, sys, threading, time\n"
                           "def run():\n"
                           "  os.set_inheritable(os.open(sys.argv[1], os.O_WRONLY), True)\n"
                           "  os.posix_spawnp('sleep', ['sleep', '1000'], os.environ)\n"
                           "  time.sleep(1000)\n"
                           "threading.Thread(target=run).start()\n",
                           pipe});
  spec.group = ProcessSpec::Group::kOurs;
  spec.time_limit = std::chrono::milliseconds(1000);
  EXPECT_THAT(RunProcess(spec), IsStatus(Code::kUnavailable, HasSubstr("did not end within 1 s and was killed")));
  ASSERT_EQ(::fcntl(alive, F_SETFL, 0), 0);
  char unused = 0;
  EXPECT_EQ(::read(alive, &unused, 1), 0) << "blocks for as long as one of them lives";
  ::close(alive);
}

TEST_F(ProcessTest, ProgramOfOurGroupGetsTheTerminalsSignalsAndIsKilledAtItsDeadline) {
  const auto group_of = [](const ProcessSpec& spec) { return std::stoi(RunProcess(spec)->stdout_text); };
  ProcessSpec spec = Script("read -r pid name state parent group rest </proc/$$/stat; echo $group");
  EXPECT_NE(group_of(spec), ::getpgrp());
  spec.group = ProcessSpec::Group::kOurs;
  EXPECT_EQ(group_of(spec), ::getpgrp());
  spec.argv = {"sleep", "1000"};
  spec.time_limit = std::chrono::milliseconds(1);
  EXPECT_THAT(RunProcess(spec), IsStatus(Code::kUnavailable, HasSubstr("sleep did not end within 1 ms and was killed")));
}

TEST_F(ProcessTest, ChildrenLeftBehindAreNotWaitedFor) {
  ProcessSpec spec = Script("sleep 1000 & echo $!");
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(spec));
  const pid_t left = std::stoi(output.stdout_text);
  EXPECT_EQ(::kill(left, SIGKILL), 0);
}

TEST_F(ProcessTest, NoZombieIsLeft) {
  ASSERT_OK(RunProcess(Script("exit 1")));
  ProcessSpec hangs = Spec({"sleep", "1000"});
  hangs.time_limit = std::chrono::milliseconds(1);
  EXPECT_THAT(RunProcess(hangs), IsStatus(Code::kUnavailable));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ProcessTest, OpenFilesAreNotInherited) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  ASSERT_GE(leaky, 0);
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(Script(StrCat("[ -e /dev/fd/", leaky, " ] && echo open || echo closed"))));
  EXPECT_EQ(output.stdout_text, "closed\n");
  ::close(leaky);
}

TEST_F(ProcessTest, SignalsAreAtTheirDefault) {
  ::signal(SIGPIPE, SIG_IGN);
  const Result<ProcessOutput> result = RunProcess(Script("kill -PIPE $$"));
  ::signal(SIGPIPE, SIG_DFL);
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, result);
  EXPECT_EQ(output.signal, SIGPIPE);
}

TEST_F(ProcessTest, MissingProgramIsNamed) {
  EXPECT_THAT(RunProcess(Spec({"allot-no-such"})),
              IsStatus(Code::kNotFound, StrCat("there is no program \"allot-no-such\" in the folders of PATH")));
  EXPECT_THAT(RunProcess(Spec({folder_ + "/none"})), IsStatus(Code::kNotFound, HasSubstr(StrCat("run ", folder_, "/none: No such file"))));
  EXPECT_THAT(RunProcess(Spec({""})), IsStatus(Code::kNotFound));
}

TEST_F(ProcessTest, ProgramsThatCannotRunSayWhy) {
  EXPECT_THAT(RunProcess(Spec({Write("plain", "", 0644)})), IsStatus(Code::kInvalid, HasSubstr("Permission denied")));
  EXPECT_THAT(RunProcess(Spec({Write("empty", "echo no shell", 0755)})), IsStatus(Code::kInvalid, HasSubstr("Exec format error")));
  EXPECT_THAT(RunProcess(Spec({Write("script", "#!/no/such/sh\n", 0755)})), IsStatus(Code::kInvalid, HasSubstr("interpreter is missing")));
}

TEST_F(ProcessTest, RelativeFoldersOfPathAreSkipped) {
  Write("tool", "#!/bin/sh\necho found\n", 0755);
  ProcessSpec spec = Spec({"tool"});
  spec.working_directory = folder_;
  spec.environment["PATH"] = ".::/usr/bin";
  EXPECT_THAT(RunProcess(spec), IsStatus(Code::kNotFound));
  spec.environment["PATH"] = ".:" + folder_;
  ASSERT_OK_AND_ASSIGN(const ProcessOutput output, RunProcess(spec));
  EXPECT_EQ(output.stdout_text, "found\n");
}

TEST_F(ProcessTest, NulBytesAndBadNamesAreRefused) {
  EXPECT_THAT(RunProcess(Spec({"echo", std::string("a\0b", 3)})), IsStatus(Code::kInvalid, HasSubstr("NUL byte")));
  ProcessSpec spec = Spec({"echo"});
  spec.environment["A=B"] = "c";
  EXPECT_THAT(RunProcess(spec), IsStatus(Code::kInvalid, HasSubstr("\"A=B\" cannot be the name of an environment variable")));
}

TEST_F(ProcessTest, ManyThreadsRunPrograms) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(8);
  threads.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    threads.emplace_back([&outputs, i] {
      const Result<ProcessOutput> output = RunProcess(Spec({"echo", std::to_string(i)}));
      if (output.ok()) outputs[i] = output->stdout_text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], StrCat(i, "\n"));
}

}  // namespace
}  // namespace allot
