#include "local/process_table.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

}  // namespace
}  // namespace allot::local
