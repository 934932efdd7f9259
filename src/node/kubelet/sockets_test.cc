#include "node/kubelet/sockets.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/test_util.h"
#include "http/dial.h"

namespace allot::node {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class Sockets : public ::testing::Test {
 protected:
  Sockets() { std::filesystem::create_directories(dir_); }
  ~Sockets() override { std::filesystem::remove_all(dir_); }

  static bool Answers(const std::string& path, http::Listener& listener) {
    const auto socket = http::Dial({.host = {}, .port = 0, .unix_path = path}, {});
    const auto accepted = listener.Accept();
    return socket.ok() && accepted.ok() && accepted->has_value();
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat file = {};
    return lstat(path.c_str(), &file) == 0 ? file.st_mode & 0777 : 0;
  }

  const std::filesystem::path dir_ = std::filesystem::temp_directory_path() / StrCat("allot-sockets-test-", getpid());
  const std::string path_ = dir_ / "gpu.allot" / "dra.sock";
};

TEST_F(Sockets, AreWhereKubeletLooks) {
  ASSERT_OK_AND_ASSIGN(const auto alone, PathsOf({.driver = "gpu.allot", .pod_uid = {}}));
  EXPECT_EQ(alone.service, "/var/lib/kubelet/plugins/gpu.allot/dra.sock");
  EXPECT_EQ(alone.registration, "/var/lib/kubelet/plugins_registry/gpu.allot-reg.sock");
  ASSERT_OK_AND_ASSIGN(const auto one_of_two, PathsOf({.driver = "gpu.allot", .pod_uid = "f47a"}));
  EXPECT_EQ(one_of_two.service, "/var/lib/kubelet/plugins/gpu.allot/dra-f47a.sock");
  EXPECT_EQ(one_of_two.registration, "/var/lib/kubelet/plugins_registry/gpu.allot-f47a-reg.sock");
}

TEST_F(Sockets, APathThatIsTooLongNamesTheFlag) {
  const std::string base = "/x";
  EXPECT_THAT(PathsOf({.plugins_dir = base + std::string(100, 'y'), .registry_dir = "/r", .driver = "d", .pod_uid = {}}),
              IsStatus(Code::kInvalid, AllOf(HasSubstr("7 bytes too long"), HasSubstr("--kubelet-plugins-directory-path"))));
  EXPECT_THAT(PathsOf({.plugins_dir = "/p", .registry_dir = base + std::string(100, 'y'), .driver = "d", .pod_uid = {}}),
              IsStatus(Code::kInvalid, HasSubstr("--kubelet-registrar-directory-path")));
  // A server can listen on the longest path that is allowed.
  const std::string longest = dir_.string() + "/" + std::string(106 - dir_.string().size() - 1 - std::string("/d/dra.sock").size(), 'y');
  ASSERT_OK_AND_ASSIGN(const auto paths, PathsOf({.plugins_dir = longest, .registry_dir = dir_, .driver = "d", .pod_uid = {}}));
  EXPECT_EQ(paths.service.size(), 106U);
  EXPECT_OK(ListenAt(paths.service));
  EXPECT_THAT(PathsOf({.plugins_dir = longest + "y", .registry_dir = dir_, .driver = "d", .pod_uid = {}}), IsStatus(Code::kInvalid));
}

TEST_F(Sockets, AppearOnlyUnderTheirNameAndForUsAlone) {
  {
    ASSERT_OK_AND_ASSIGN(http::Listener listener, ListenAt(path_));
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_ / "gpu.allot")) names.push_back(entry.path().filename());
    EXPECT_THAT(names, UnorderedElementsAre("dra.sock"));
    EXPECT_TRUE(Answers(path_, listener));
    EXPECT_EQ(ModeOf(path_), 0600U);
    EXPECT_EQ(ModeOf(dir_ / "gpu.allot") & 0027U, 0U);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Sockets, TakeThePlaceOfWhatACrashLeft) {
  const std::string hidden = dir_ / "gpu.allot" / ".dra.sock";
  std::filesystem::create_directories(dir_ / "gpu.allot");
  for (const std::string& left : {path_, hidden}) {
    ASSERT_OK_AND_ASSIGN(http::Listener old, http::Listener::Unix(dir_ / "old.sock", 0600));
    std::filesystem::rename(dir_ / "old.sock", left);
  }
  ASSERT_OK_AND_ASSIGN(http::Listener listener, ListenAt(path_));
  EXPECT_TRUE(Answers(path_, listener));
  EXPECT_FALSE(std::filesystem::exists(hidden));
}

TEST_F(Sockets, StayWhenAnotherAgentHasTakenThem) {
  auto old = ListenAt(path_);
  ASSERT_OK(old);
  auto kept = std::make_optional(*std::move(old));
  ASSERT_OK_AND_ASSIGN(http::Listener young, ListenAt(path_));
  kept.reset();
  EXPECT_TRUE(Answers(path_, young));
}

TEST_F(Sockets, DoNotReplaceAnotherKindOfFile) {
  std::filesystem::create_directories(dir_ / "gpu.allot");
  std::ofstream(path_) << "precious";
  EXPECT_THAT(ListenAt(path_), IsStatus(Code::kInvalid, HasSubstr("is not a socket")));
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
}

TEST_F(Sockets, SayWhichDirectoryCannotBeMade) {
  std::ofstream(dir_ / "gpu.allot") << "a file";
  EXPECT_THAT(ListenAt(path_), IsStatus(Code::kUnavailable, HasSubstr("/gpu.allot")));
}

}  // namespace
}  // namespace allot::node
