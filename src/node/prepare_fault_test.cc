// Every step of prepare and unprepare, with a failure and with a crash.
#include <sys/wait.h>
#include <unistd.h>

#include "base/faulty_file_system.h"
#include "node/prepare_fixture.h"

namespace allot::node {
namespace {

using Fault = FaultyFileSystem::Fault;
using testing::IsEmpty;

class PrepareFaultTest : public PrepareFixture {
 protected:
  const ClaimRef claim_{"lab", "claim", "u1"};

  void SetUp() override { world_.Put("lab", "claim", "u1", Allocated(ResultJson("gpu", "gpu-0", "24Gi", "s"))); }

  bool IsHeld() { return Agent(*this, files_).journal->Read()->contains("u1"); }

  // Held, with its spec, or not held, without: after at most one more call of kubelet's and a sweep.
  void ExpectSound(const std::string& where) {
    Agent agent(*this, files_);
    ASSERT_OK(agent.preparer.Repair(Short())) << where;
    const bool held = agent.journal->Read()->contains("u1");
    EXPECT_EQ(files_.Exists(CdiPath("u1")), held) << where;
    EXPECT_THAT(agent.journal->TakeDamage(), IsEmpty()) << where;
    // Kubelet tries again, whatever it was that it tried.
    ASSERT_OK(agent.preparer.Prepare(claim_, Short())) << where;
    EXPECT_TRUE(files_.Exists(CdiPath("u1"))) << where;
    ASSERT_OK(agent.preparer.Unprepare(claim_, Short())) << where;
    EXPECT_FALSE(files_.Exists(CdiPath("u1"))) << where;
    EXPECT_THAT(*agent.journal->Read(), IsEmpty()) << where;
  }

  // Runs `call` with the fault at every step in turn; gives the number of steps.
  int Walk(Fault fault, bool prepared_before, const std::function<Status(Preparer&)>& call) {
    for (int n = 1;; ++n) {
      Reset();
      if (prepared_before) {
        EXPECT_OK(Agent(*this, files_).preparer.Prepare(claim_, Short()));
      }
      FaultyFileSystem faulty(files_);
      const std::string where = StrCat("fault ", static_cast<int>(fault), " at step ", n);
      const bool met = fault == Fault::kFail || fault == Fault::kFailDone ? MetFailure(faulty, n, fault, call, prepared_before)
                                                                          : MetCrash(faulty, n, fault, call);
      if (HasFatalFailure() || HasNonfatalFailure()) return n;
      ExpectSound(where);
      if (!met) return n - 1;
    }
  }

  bool MetFailure(FaultyFileSystem& faulty, int n, Fault fault, const std::function<Status(Preparer&)>& call, bool was_held) {
    Agent agent(*this, faulty);
    faulty.Arm(n, fault);
    const Status status = call(agent.preparer);
    const bool met = faulty.operations() >= n;
    // A success means the state after. An error may mean either: kubelet tries again, or takes it back.
    EXPECT_TRUE(!status.ok() || IsHeld() != was_held) << "step " << n;
    EXPECT_TRUE(met || status.ok()) << "step " << n << ": " << status.ToString();
    return met;
  }

  bool MetCrash(FaultyFileSystem& faulty, int n, Fault fault, const std::function<Status(Preparer&)>& call) {
    const pid_t child = fork();
    if (child == 0) {
      Agent agent(*this, faulty);
      faulty.Arm(n, fault);
      _exit(call(agent.preparer).ok() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1) << "step " << n;
    return WEXITSTATUS(status) == FaultyFileSystem::kExitCode;
  }
};

constexpr Fault kAll[] = {Fault::kFail, Fault::kFailDone, Fault::kExitBefore, Fault::kExitAfter};

TEST_F(PrepareFaultTest, PrepareSurvivesAFaultAtEveryStep) {
  for (const Fault fault : kAll) {
    const int steps = Walk(fault, false, [&](Preparer& preparer) { return preparer.Prepare(claim_, Short()).status(); });
    EXPECT_GE(steps, 5) << "the walk met too little";
  }
}

TEST_F(PrepareFaultTest, UnprepareSurvivesAFaultAtEveryStep) {
  for (const Fault fault : kAll) {
    const int steps = Walk(fault, true, [&](Preparer& preparer) { return preparer.Unprepare(claim_, Short()); });
    EXPECT_GE(steps, 5) << "the walk met too little";
  }
}

}  // namespace
}  // namespace allot::node
