#include "local/open_files.h"

#include <sys/resource.h>

#include "base/process.h"
#include "base/test_util.h"

namespace allot::local {
namespace {

// The limit of open files of a program started now.
std::string LimitOfAProgram() {
  const Result<ProcessOutput> output = RunProcess({.argv = {"/bin/sh", "-c", "ulimit -n"}, .environment = {}});
  return output.ok() ? std::string(Trim(output->stdout_text)) : output.status().message();
}

class OpenFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit few = before_;
    few.rlim_cur = kFew;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  void TearDown() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  static constexpr uint64_t kFew = 123;
  rlimit before_ = {};
};

TEST_F(OpenFiles, ProgramsGetTheLimitFromBeforeTheServerRaisedIt) {
  const uint64_t before = RaiseOpenFiles();
  EXPECT_EQ(before, kFew);
  rlimit raised = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, before_.rlim_max);
  SetOpenFiles(before);
  EXPECT_EQ(LimitOfAProgram(), StrCat(kFew));
}

TEST_F(OpenFiles, ALimitOfZeroChangesNothingAndALargeOneIsCappedByTheSystem) {
  SetOpenFiles(0);
  EXPECT_EQ(LimitOfAProgram(), StrCat(kFew));
  SetOpenFiles(before_.rlim_max + 1);
  rlimit now = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, before_.rlim_max);
}

}  // namespace
}  // namespace allot::local
