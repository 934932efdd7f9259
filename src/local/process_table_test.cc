#include "local/process_table.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/file_system.h"
#include "base/strings.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

// Starts a process in its own group; with `alone`, also in its own session.
pid_t Start(bool alone) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    alone ? ::setsid() : ::setpgid(0, 0);
    for (;;) ::pause();
  }
  EXPECT_TRUE(Eventually([&] { return ReadProcess(pid)->group == pid; }));
  return pid;
}

TEST(ProcessTable, AGroupIsOrphanedIfItHasNoParentInItsSession) {
  const pid_t job = Start(false), alone = Start(true);
  EXPECT_FALSE(IsOrphaned(job));
  EXPECT_TRUE(IsOrphaned(alone));
  for (const pid_t pid : {job, alone}) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

// A program may end its first thread and run on in others, with all its memory.
TEST(ProcessTable, BugAProcessWhoseFirstThreadHadEndedWasCalledAZombie) {
  const std::string script = StrCat(
      "import ctypes, threading, time\n"
      "threading.Thread(target=time.sleep, args=(600,)).start()\n"
      "ctypes.CDLL(None).syscall(",
      SYS_exit, ", 0)  # of this thread alone\n");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setenv("ALLOT_TEST_MARK", "here", 1);
    ::execlp("python3", "python3", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  const std::string stat = StrCat("/proc/", pid, "/stat");
  ASSERT_TRUE(Eventually([&] { return PosixFileSystem().ReadFile(stat, 4096)->find(") Z ") != std::string::npos; }));
  const ProcessId process = ReadProcess(pid)->id;
  EXPECT_TRUE(IsAlive(process));
  EXPECT_EQ(StartVariable(pid, "ALLOT_TEST_MARK"), "here");
  EXPECT_TRUE(SignalProcess(process, SIGKILL));
  EXPECT_TRUE(Eventually([&] { return !IsAlive(process); }));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace allot::local
