#include "local/gpu_users.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/test_util.h"
#include "local/process_table.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Names that only this test uses.
std::string Names() { return StrCat("allot-test-", ::getpid()); }

TEST(GpuUsers, OneOffersThem) {
  {
    ASSERT_OK_AND_ASSIGN(const GpuOffer first, GpuOffer::Make(Names(), "/var/lib/allot"));
    EXPECT_THAT(first.mark(), StartsWith(Names() + "/"));
    EXPECT_THAT(GpuOffer::Make(Names(), "/var/lib/allot"), IsStatus(Code::kUnavailable, HasSubstr("another `allot up` offers the GPUs")));
    EXPECT_THAT(GpuOffer::Make(Names(), "/home/ann"), IsStatus(Code::kUnavailable, HasSubstr("another `allot up` offers the GPUs")));
  }
  EXPECT_OK(GpuOffer::Make(Names(), "/home/ann"));
}

TEST(GpuUsers, AProcessThatOutlivesItsUpKeepsOtherFoldersAway) {
  std::string mark;
  {
    ASSERT_OK_AND_ASSIGN(const GpuOffer offer, GpuOffer::Make(Names(), "/home/ann"));
    mark = offer.mark();
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    // The mark survives exec.
    if (MarkGpuUse(mark.c_str(), true) < 0) _exit(1);
    ::execlp("sleep", "sleep", "1000", nullptr);
    _exit(1);
  }
  ASSERT_TRUE(Eventually([&] { return !OtherGpuUsers(Names(), "nobody").empty(); }));
  EXPECT_THAT(OtherGpuUsers(Names(), "nobody"), ElementsAre(pid));
  EXPECT_THAT(OtherGpuUsers(Names(), mark), IsEmpty());
  EXPECT_OK(GpuOffer::Make(Names(), "/home/ann"));
  EXPECT_THAT(GpuOffer::Make(Names(), "/var/lib/allot"),
              IsStatus(Code::kUnavailable, HasSubstr(StrCat("process ", pid, " of an `allot up`"))));
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_OK(GpuOffer::Make(Names(), "/var/lib/allot"));
}

}  // namespace
}  // namespace allot::local
