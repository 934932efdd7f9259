#include "device/nvidia/driver_root.h"

#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"

namespace allot::device::nvidia {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class DriverRootTest : public ::testing::Test {
 protected:
  DriverRootTest() { machine_.RemoveLibrary(); }

  std::string At(const std::string& path) const { return root_.path() + path; }
  void MakeFile(const std::string& path) const {
    fs::create_directories(fs::path(At(path)).parent_path());
    std::ofstream(At(path)) << "x";
  }
  void MakeLink(const std::string& target, const std::string& path) const {
    fs::create_directories(fs::path(At(path)).parent_path());
    fs::create_symlink(target, At(path));
  }

  FakeMachine machine_{""};
  const DriverRoot root_ = machine_.driver_root();
};

TEST_F(DriverRootTest, FindsALibraryInEveryFolder) {
  for (const std::string& folder : DriverRoot::LibraryFolders()) {
    MakeFile(folder + "/libx.so.1");
    EXPECT_THAT(root_.FindLibrary("libx.so.1"), IsOkAndHolds(At(folder + "/libx.so.1")));
    fs::remove(At(folder + "/libx.so.1"));
  }
}

TEST_F(DriverRootTest, PassesOverAFolderNamedLikeTheLibrary) {
  fs::create_directories(At("/usr/lib64/libx.so.1"));
  EXPECT_THAT(root_.FindLibrary("libx.so.1"), IsStatus(Code::kNotFound));
  MakeFile("/usr/lib/libx.so.1");
  EXPECT_THAT(root_.FindLibrary("libx.so.1"), IsOkAndHolds(At("/usr/lib/libx.so.1")));
}

TEST_F(DriverRootTest, FollowsAbsoluteLinksBelowTheRoot) {
  // Debian's alternatives, as a container sees them if the host is mounted at the driver root.
  MakeLink("/etc/alternatives/libx", "/usr/lib64/libx.so.1");
  MakeLink("/usr/lib/nvidia/current/libx.so.580", "/etc/alternatives/libx");
  MakeFile("/usr/lib/nvidia/current/libx.so.580");
  EXPECT_THAT(root_.FindLibrary("libx.so.1"), IsOkAndHolds(At("/usr/lib/nvidia/current/libx.so.580")));
}

TEST_F(DriverRootTest, FollowsLinksOfFoldersAndBack) {
  MakeLink("/usr/lib64/../lib", "/lib");
  MakeLink("../../../../usr/lib64/./real", "/usr/lib/libx.so.1");
  MakeFile("/usr/lib64/real");
  EXPECT_THAT(root_.Resolve("/lib/libx.so.1"), IsOkAndHolds(At("/usr/lib64/real")));
}

TEST_F(DriverRootTest, RefusesLinksToNowhereAndLoops) {
  MakeLink("gone", "/usr/lib64/libx.so.1");
  EXPECT_THAT(root_.Resolve("/usr/lib64/libx.so.1"), IsStatus(Code::kNotFound, HasSubstr("no such file")));
  MakeLink("b", "/usr/a");
  MakeLink("a", "/usr/b");
  EXPECT_THAT(root_.Resolve("/usr/a"), IsStatus(Code::kNotFound, HasSubstr("cannot be followed")));
}

TEST_F(DriverRootTest, SaysWhereItSearched) {
  EXPECT_THAT(root_.FindLibrary("libx.so.1"),
              IsStatus(Code::kNotFound, AllOf(HasSubstr("no libx.so.1 under the driver root " + root_.path()), HasSubstr("/usr/lib64, "),
                                              HasSubstr("install the NVIDIA driver"))));
  EXPECT_THAT(DriverRoot("/").FindLibrary("no-such-library"), IsStatus(Code::kNotFound, HasSubstr("driver root / (")));
}

}  // namespace
}  // namespace allot::device::nvidia
