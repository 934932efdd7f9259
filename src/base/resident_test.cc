#include "base/resident.h"

#include <dlfcn.h>

#include "base/file_system.h"
#include "base/test_util.h"

namespace allot {
namespace {

// Resident pages of files, in KiB.
int64_t FileKiB() {
  const std::string status = *PosixFileSystem().ReadFile("/proc/self/status", 1 << 20);
  const size_t at = status.find("RssFile:");
  return at == std::string::npos ? 0 : std::atoll(status.c_str() + at + 8);
}

TEST(Resident, ProgramRunsOnWithFewerPages) {
  const int64_t before = FileKiB();
  ForgetReadahead();
  EXPECT_LT(FileKiB(), before);
  // Relocated data is still what it was: a call through a table of another library.
  EXPECT_NE(::dlsym(RTLD_DEFAULT, "malloc"), nullptr);
  EXPECT_THAT(PosixFileSystem().ReadFile("/nowhere", 1), IsStatus(Code::kNotFound));
  ForgetReadahead();
  EXPECT_NE(::dlsym(RTLD_DEFAULT, "free"), nullptr);
}

}  // namespace
}  // namespace allot
