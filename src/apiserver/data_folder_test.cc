#include "apiserver/data_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::HasSubstr;

class DataFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/allot-data-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
    before_ = ::umask(0022);
  }
  void TearDown() override {
    ::umask(before_);
    std::filesystem::remove_all(root_);
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat found = {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777;
  }

  std::string root_;
  mode_t before_ = 0;
};

TEST_F(DataFolderTest, IsMadeForUsersToPassAndItsFilesForItsOwner) {
  ASSERT_OK_AND_ASSIGN(const DataFolder folder, OpenDataFolder(root_ + "/var/api"));
  EXPECT_EQ(ModeOf(root_ + "/var"), 0755u);
  EXPECT_EQ(ModeOf(folder.path), 0711u);
  PosixFileSystem files;
  ASSERT_OK(files.WriteFileAtomic(folder.admin_token(), "x"));
  ASSERT_OK(files.MakeDirs(folder.pki()));
  EXPECT_EQ(ModeOf(folder.admin_token()), 0600u);
  EXPECT_EQ(ModeOf(folder.pki()), 0700u);
}

TEST_F(DataFolderTest, ThatIsThereKeepsItsMode) {
  ASSERT_OK(OpenDataFolder(root_));
  EXPECT_EQ(ModeOf(root_), 0700u);
}

TEST_F(DataFolderTest, ThatOthersMayWriteToIsRefused) {
  ASSERT_EQ(::chmod(root_.c_str(), 0777), 0);
  EXPECT_THAT(OpenDataFolder(root_), IsStatus(Code::kInvalid, HasSubstr("chmod go-w")));
}

TEST_F(DataFolderTest, WithASecretThatOthersMayReadIsRefused) {
  ASSERT_OK_AND_ASSIGN(const DataFolder folder, OpenDataFolder(root_));
  PosixFileSystem files;
  ASSERT_OK(files.WriteFileAtomic(folder.admin_token(), "x"));
  ASSERT_OK(OpenDataFolder(root_));
  ASSERT_EQ(::chmod(folder.admin_token().c_str(), 0644), 0);
  EXPECT_THAT(OpenDataFolder(root_), IsStatus(Code::kInvalid, HasSubstr("chmod go= " + folder.admin_token())));
}

TEST_F(DataFolderTest, AFolderWithAnEmptiedStoreIsNotTakenForANewOne) {
  ASSERT_OK_AND_ASSIGN(const DataFolder folder, OpenDataFolder(root_));
  PosixFileSystem files;
  ASSERT_OK(files.WriteFileAtomic(folder.admin_token(), "x"));
  ASSERT_OK(files.WriteFileAtomic(folder.store(), ""));
  ASSERT_OK(OpenDataFolder(root_));  // a first start that was cut off
  ASSERT_OK(files.WriteFileAtomic(folder.admin_config(), "x"));
  EXPECT_THAT(OpenDataFolder(root_), IsStatus(Code::kInvalid, HasSubstr("store.db: is empty, but a server has run here")));
  ASSERT_OK(files.WriteFileAtomic(folder.store(), "x"));
  EXPECT_OK(OpenDataFolder(root_));
}

TEST_F(DataFolderTest, ThatIsAFileOrCannotBeMadeIsAnErrorWithItsPath) {
  PosixFileSystem files;
  ASSERT_OK(files.WriteFileAtomic(root_ + "/file", ""));
  EXPECT_THAT(OpenDataFolder(root_ + "/file"), IsStatus(Code::kInvalid, HasSubstr("is not a folder")));
  EXPECT_THAT(OpenDataFolder(root_ + "/file/x"), IsStatus(Code::kNotFound, HasSubstr(root_ + "/file")));
}

TEST(AdminToken, IsMadeOnceAndThenKept) {
  FakeFileSystem files;
  SeededRandom random(1);
  ASSERT_OK_AND_ASSIGN(const std::string token, OpenAdminToken(files, random, "/admin.token"));
  EXPECT_EQ(token.size(), 72u);
  EXPECT_THAT(OpenAdminToken(files, random, "/admin.token"), IsOkAndHolds(token));
}

TEST(AdminToken, AFileWithoutOneIsAnErrorThatDoesNotShowIt) {
  FakeFileSystem files;
  SeededRandom random(1);
  ASSERT_OK(files.WriteFileAtomic("/admin.token", "short\n"));
  EXPECT_THAT(OpenAdminToken(files, random, "/admin.token"),
              IsStatus(Code::kInvalid, "/admin.token: has no token; remove it, and the server makes a new one"));
}

}  // namespace
}  // namespace allot::apiserver
