#pragma once
// For tests: plays a failure or a crash at every file operation of a call, and checks after each that the node is sound.

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/faulty_file_system.h"
#include "base/test_util.h"
#include "node/prepare/prepare.h"

namespace allot::node {

class FaultWalk {
 public:
  using Fault = FaultyFileSystem::Fault;
  static constexpr Fault kAll[] = {Fault::kFail, Fault::kFailDone, Fault::kExitBefore, Fault::kExitAfter};
  static constexpr Fault kFailures[] = {Fault::kFail, Fault::kFailDone};

  virtual ~FaultWalk() = default;

  // Plays every fault at every operation of Prepare, then of Unprepare. A walk that meets fewer operations than these proves too little.
  void WalkPrepare(int least_operations) {
    for (const Fault fault : faults()) {
      EXPECT_GE(Walk(fault, false, [&](Preparer& preparer) { return preparer.Prepare(claim(), Short()).status(); }), least_operations);
    }
  }
  void WalkUnprepare(int least_operations) {
    for (const Fault fault : faults()) {
      EXPECT_GE(Walk(fault, true, [&](Preparer& preparer) { return preparer.Unprepare(claim(), Short()); }), least_operations);
    }
  }
  // Plays every failure at every operation of a Prepare that has time to try again. At least so many of these calls must succeed.
  void WalkPatientPrepare(int least_recoveries) {
    for (const Fault fault : kFailures) {
      recoveries_ = 0;
      Walk(fault, false, [&](Preparer& preparer) { return preparer.Prepare(claim(), Patient()).status(); });
      EXPECT_GE(recoveries_, least_recoveries);
    }
  }

 protected:
  // A crash is played in a fork, which needs a process without other threads.
  virtual std::span<const Fault> faults() const { return kAll; }
  virtual ClaimRef claim() const = 0;
  // Makes the node empty.
  virtual void Clear() = 0;
  // Starts a process of the agent, which lives as long as the result.
  virtual std::shared_ptr<Preparer> Start(FileSystem& files) = 0;
  virtual bool IsHeld() = 0;
  virtual bool HasSpec() = 0;
  // Expects that what the driver made is there, as the journal has it, if the claim is held, and that nothing of it is there otherwise.
  virtual void ExpectMade(bool held, const std::string& where) = 0;

  // Enough for one try.
  virtual Patience Short() const { return {.deadline = SystemClock().MonotonicNow() + std::chrono::seconds(3)}; }
  // Enough for several tries.
  static Patience Patient() { return {.deadline = SystemClock().MonotonicNow() + std::chrono::seconds(8)}; }

 private:
  // Returns the number of operations.
  int Walk(Fault fault, bool prepared_before, const std::function<Status(Preparer&)>& call) {
    for (int n = 1;; ++n) {
      Clear();
      if (prepared_before) {
        EXPECT_OK(Start(real_files_)->Prepare(claim(), Short()));
      }
      FaultyFileSystem faulty(real_files_);
      const bool fails = fault == Fault::kFail || fault == Fault::kFailDone;
      const bool met = fails ? MetFailure(faulty, n, fault, call, prepared_before) : MetCrash(faulty, n, fault, call);
      if (testing::Test::HasFailure()) return n;
      ExpectSound(StrCat("fault ", static_cast<int>(fault), " at operation ", n));
      if (!met) return n - 1;
    }
  }

  // Either held with its spec or not held without one; and after kubelet's next calls everything is as it should be.
  void ExpectSound(const std::string& where) {
    const std::shared_ptr<Preparer> preparer = Start(real_files_);
    ASSERT_OK(preparer->Repair(Short())) << where;
    const bool held = IsHeld();
    EXPECT_EQ(HasSpec(), held) << where;
    ExpectMade(held, where);
    ASSERT_OK(preparer->Prepare(claim(), Short())) << where;
    EXPECT_TRUE(IsHeld() && HasSpec()) << where;
    ExpectMade(true, where);
    ASSERT_OK(preparer->Unprepare(claim(), Short())) << where;
    EXPECT_FALSE(IsHeld() || HasSpec()) << where;
    ExpectMade(false, where);
  }

  bool MetFailure(FaultyFileSystem& faulty, int n, Fault fault, const std::function<Status(Preparer&)>& call, bool was_held) {
    const std::shared_ptr<Preparer> preparer = Start(faulty);
    faulty.Arm(n, fault);
    const Status status = call(*preparer);
    const bool met = faulty.operations() >= n;
    // Ok means that the change is done. After an error it may be done or not: kubelet tries again, or takes it back.
    EXPECT_TRUE(!status.ok() || IsHeld() != was_held) << "operation " << n;
    EXPECT_TRUE(met || status.ok()) << "operation " << n << ": " << status.ToString();
    if (status.ok()) ExpectMade(!was_held, StrCat("before the repair, operation ", n));
    if (met && status.ok()) ++recoveries_;
    return met;
  }

  bool MetCrash(FaultyFileSystem& faulty, int n, Fault fault, const std::function<Status(Preparer&)>& call) {
    const pid_t child = fork();
    if (child == 0) {
      const std::shared_ptr<Preparer> preparer = Start(faulty);
      faulty.Arm(n, fault);
      _exit(call(*preparer).ok() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1) << "operation " << n;
    return WEXITSTATUS(status) == FaultyFileSystem::kExitCode;
  }

  PosixFileSystem real_files_;
  int recoveries_ = 0;  // calls that met a failure and returned ok
};

}  // namespace allot::node
