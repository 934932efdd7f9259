#include "http/listener.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/test_util.h"
#include "http/test_client.h"

namespace allot::http {
namespace {

using ::testing::HasSubstr;

class UnixListener : public ::testing::Test {
 protected:
  UnixListener() { std::filesystem::create_directory(dir_); }
  ~UnixListener() override { std::filesystem::remove_all(dir_); }

  const std::filesystem::path dir_ = std::filesystem::temp_directory_path() / StrCat("allot-listener-test-", getpid());
  const std::string path_ = dir_ / "x.sock";
};

TEST(Listener, TakesAnyFreePort) {
  ASSERT_OK_AND_ASSIGN(Listener first, Listener::Tcp("127.0.0.1", 0));
  ASSERT_OK_AND_ASSIGN(Listener second, Listener::Tcp("127.0.0.1", 0));
  EXPECT_GT(first.port(), 0);
  EXPECT_NE(first.port(), second.port());
  EXPECT_THAT(Listener::Tcp("127.0.0.1", first.port()), IsStatus(Code::kUnavailable, HasSubstr("Address already in use")));
}

TEST(Listener, NamesAnInvalidAddress) {
  EXPECT_THAT(Listener::Tcp("localhost", 0), IsStatus(Code::kInvalid, HasSubstr("\"localhost\" is not an IP address")));
  EXPECT_THAT(Listener::Tcp("127.0.0.1", 70'000), IsStatus(Code::kInvalid, HasSubstr("between 0 and 65535")));
}

TEST(Listener, ReportsThePeersCredentials) {
  ASSERT_OK_AND_ASSIGN(Listener listener, Listener::Tcp("127.0.0.1", 0));
  ASSERT_OK_AND_ASSIGN(const auto nobody, listener.Accept());
  EXPECT_FALSE(nobody);
  const test::RawClient client(listener.port());
  ASSERT_OK_AND_ASSIGN(const auto accepted, listener.Accept());
  ASSERT_TRUE(accepted);
  EXPECT_THAT(accepted->peer, ::testing::StartsWith("127.0.0.1:"));
  EXPECT_FALSE(accepted->credentials);
}

TEST_F(UnixListener, GivesItsFileTheModeWhateverTheUmask) {
  const mode_t before = umask(0077);
  for (const mode_t mode : {0600U, 0666U, 0660U}) {
    ASSERT_OK_AND_ASSIGN(const Listener listener, Listener::Unix(path_, mode));
    struct stat file = {};
    ASSERT_EQ(lstat(path_.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, mode);
  }
  umask(before);
}

TEST_F(UnixListener, ReplacesAFileWithoutAListener) {
  {
    const Socket dead(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(dead.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ASSERT_TRUE(std::filesystem::exists(path_));
  ASSERT_OK_AND_ASSIGN(Listener listener, Listener::Unix(path_, 0600));
  const test::RawClient client(path_);
  ASSERT_OK_AND_ASSIGN(const auto accepted, listener.Accept());
  ASSERT_TRUE(accepted && accepted->credentials);
  EXPECT_EQ(accepted->credentials->pid, getpid());
}

TEST_F(UnixListener, DoesNotReplaceASocketInUse) {
  ASSERT_OK_AND_ASSIGN(Listener listener, Listener::Unix(path_, 0600));
  EXPECT_THAT(Listener::Unix(path_, 0600), IsStatus(Code::kUnavailable, HasSubstr("another process listens there already")));
  const test::RawClient client(path_);
  EXPECT_OK(listener.Accept());
}

TEST_F(UnixListener, DoesNotReplaceAnotherKindOfFile) {
  std::ofstream(path_) << "precious";
  EXPECT_THAT(Listener::Unix(path_, 0600), IsStatus(Code::kInvalid, HasSubstr("is not a socket")));
  EXPECT_TRUE(std::filesystem::is_regular_file(path_));
}

TEST_F(UnixListener, NamesTheLimitOfALongPath) {
  const std::string longest = StrCat("/tmp/", std::string(102, 'x'));
  EXPECT_OK(Listener::Unix(longest, 0600));
  EXPECT_THAT(Listener::Unix(longest + "x", 0600), IsStatus(Code::kInvalid, HasSubstr("has 108 bytes, a unix socket's has at most 107")));
}

TEST_F(UnixListener, RemovesItsFileAndNoOther) {
  {
    ASSERT_OK_AND_ASSIGN(const Listener listener, Listener::Unix(path_, 0600));
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  {
    ASSERT_OK_AND_ASSIGN(const Listener first, Listener::Unix(path_, 0600));
    std::filesystem::rename(path_, dir_ / "moved");
    std::ofstream(path_) << "another's";
  }
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(UnixListener, MovesItsFileAndRemovesItWhereItIs) {
  const std::string moved = dir_ / "y.sock";
  {
    ASSERT_OK_AND_ASSIGN(Listener listener, Listener::Unix(path_, 0600));
    EXPECT_THAT(listener.MoveTo(dir_ / "none" / "y.sock"), IsStatus(Code::kUnavailable, HasSubstr("No such file")));
    ASSERT_OK(listener.MoveTo(moved));
    EXPECT_FALSE(std::filesystem::exists(path_));
    const test::RawClient client(moved);
    ASSERT_OK_AND_ASSIGN(const auto accepted, listener.Accept());
    EXPECT_TRUE(accepted);
  }
  EXPECT_FALSE(std::filesystem::exists(moved));
}

}  // namespace
}  // namespace allot::http
