#include "node/ldcache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/fake_file_system.h"
#include "base/test_util.h"
#include "tests/support/requirements.h"

namespace allot::node {
namespace {

using testing::HasSubstr;

TEST(LdCache, RootIsFoundThroughTheBundle) {
  FakeFileSystem files;
  ASSERT_OK(files.MakeDirs("/run/b"));
  ASSERT_OK(files.WriteFileAtomic("/run/b/config.json", R"({"root":{"path":"rootfs"}})"));
  EXPECT_THAT(ContainerRoot(files, R"({"bundle":"/run/b","pid":1})"), IsOkAndHolds("/run/b/rootfs"));
  ASSERT_OK(files.WriteFileAtomic("/run/b/config.json", R"({"root":{"path":"/var/x"}})"));
  EXPECT_THAT(ContainerRoot(files, R"({"bundle":"/run/b"})"), IsOkAndHolds("/var/x"));
  EXPECT_THAT(ContainerRoot(files, R"({"bundle":"b"})"), IsStatus(Code::kInvalid, HasSubstr("bundle")));
  EXPECT_THAT(ContainerRoot(files, "nonsense"), IsStatus(Code::kInvalid, HasSubstr("stdin")));
}

class LdCacheRootTest : public testing::Test {
 protected:
  LdCacheRootTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(root_);
  }
  ~LdCacheRootTest() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ = StrCat(testing::TempDir(), "ldcache.", ::getpid());  // tests run in parallel
  const std::string root_ = folder_ + "/root";
};

TEST_F(LdCacheRootTest, CacheIsMadeInTheContainer) {
  ALLOT_NEEDS(kRoot);
  std::filesystem::create_directories(root_ + "/etc");
  std::filesystem::create_directories(root_ + "/usr/lib64");
  std::ofstream(root_ + "/etc/ld.so.conf") << "include /etc/ld.so.conf.d/*.conf\n";
  ASSERT_OK(UpdateLdCache(root_, {"/usr/lib64"}));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/etc/ld.so.cache"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/etc/ld.so.conf.d/000-allot.conf"));
}

TEST_F(LdCacheRootTest, ContainerWithoutALinkerIsLeftAlone) {
  ASSERT_OK(UpdateLdCache(root_, {"/usr/lib64"}));
  EXPECT_TRUE(std::filesystem::is_empty(root_));
}

TEST_F(LdCacheRootTest, LinkOutOfTheContainerIsNotFollowed) {
  ALLOT_NEEDS(kRoot);
  std::filesystem::create_directories(folder_ + "/outside");
  std::filesystem::create_directories(root_ + "/etc");
  std::filesystem::create_symlink(folder_ + "/outside", root_ + "/etc/ld.so.conf.d");
  EXPECT_FALSE(UpdateLdCache(root_, {"/usr/lib64"}).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/outside"));
}

TEST_F(LdCacheRootTest, PipeOrDeviceOfTheImageIsReplacedAndNotOpened) {
  ALLOT_NEEDS(kRoot);
  const std::string config = root_ + "/etc/ld.so.conf.d/000-allot.conf";
  std::filesystem::create_directories(root_ + "/etc/ld.so.conf.d");
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  ASSERT_OK(UpdateLdCache(root_, {"/usr/lib64"}));
  EXPECT_TRUE(std::filesystem::is_regular_file(config));
}

TEST_F(LdCacheRootTest, FolderThatIsNoPlainPathIsRefused) {
  for (const std::string folder : {"usr/lib", "/usr/lib\n/etc", "/a b", ""}) {
    EXPECT_THAT(UpdateLdCache(root_, {folder}), IsStatus(Code::kInvalid, HasSubstr("--folder"))) << folder;
  }
}

}  // namespace
}  // namespace allot::node
