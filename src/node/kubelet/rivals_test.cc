#include "node/kubelet/rivals.h"

#include <unistd.h>

#include <filesystem>

#include "base/test_util.h"
#include "http/listener.h"
#include "node/leftovers.h"
#include "node/usage.h"

namespace allot::node {
namespace {

using testing::HasSubstr;

TEST(Rivals, LivingSocketThatIsNotOursIsAnotherDriver) {
  const std::string folder = StrCat(testing::TempDir(), "rivals-", ::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  PosixFileSystem files;
  const DriverSockets sockets{"gpu.nvidia.com", folder, folder};
  const std::string path = folder + "/gpu.nvidia.com-reg.sock";
  EXPECT_OK(CheckDraDriver(files, sockets, "stop it"));
  {
    ASSERT_OK_AND_ASSIGN(const http::Listener listener, http::Listener::Unix(path, 0600));
    EXPECT_THAT(CheckDraDriver(files, sockets, "stop it"), IsStatus(Code::kUnavailable, HasSubstr(path)));
    ASSERT_OK(MarkSocket(files, folder, path));
    EXPECT_OK(CheckDraDriver(files, sockets, "stop it")) << "another allot";
  }
  // The socket of a killed agent, with the UID of its Pod.
  const std::string dead = folder + "/gpu.nvidia.com-u1-reg.sock";
  {
    ASSERT_OK_AND_ASSIGN(const http::Listener service, http::Listener::Unix(folder + "/dra-u1.sock.live", 0600));
    ASSERT_OK_AND_ASSIGN(http::Listener killed, http::Listener::Unix(dead + ".live", 0600));
    std::filesystem::create_hard_link(dead + ".live", dead);
    std::filesystem::create_hard_link(folder + "/dra-u1.sock.live", folder + "/dra-u1.sock");
    ASSERT_OK(MarkSocket(files, folder, dead));
    RemoveDeadSockets(files, sockets);
    EXPECT_TRUE(files.Exists(dead)) << "it answers";
  }
  RemoveDeadSockets(files, sockets);
  EXPECT_FALSE(files.Exists(dead));
  EXPECT_FALSE(files.Exists(folder + "/dra-u1.sock"));
  EXPECT_FALSE(files.Exists(folder + "/gpu.nvidia.com-u1-reg.sock.mark"));
  // The mark belongs to another file.
  ASSERT_OK_AND_ASSIGN(const http::Listener first, http::Listener::Unix(folder + "/other.sock", 0600));
  ASSERT_OK_AND_ASSIGN(const http::Listener second, http::Listener::Unix(path, 0600));
  EXPECT_THAT(CheckDraDriver(files, sockets, "stop it"), IsStatus(Code::kUnavailable));
  std::filesystem::remove_all(folder);
}

// Bug: the socket of a driver with a longer name counted.
TEST(Rivals, DriverWhoseNameOnlyBeginsTheSameIsNoRival) {
  const std::string folder = StrCat(testing::TempDir(), "rivals-longer-", ::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  PosixFileSystem files;
  ASSERT_OK_AND_ASSIGN(const http::Listener longer, http::Listener::Unix(folder + "/gpu.nvidia.community-reg.sock", 0600));
  EXPECT_OK(CheckDraDriver(files, {"gpu.nvidia.com", folder, folder}, "stop it"));
  ASSERT_OK_AND_ASSIGN(const http::Listener rival, http::Listener::Unix(folder + "/gpu.nvidia.com-u2-reg.sock", 0600));
  EXPECT_THAT(CheckDraDriver(files, {"gpu.nvidia.com", folder, folder}, "stop it"),
              IsStatus(Code::kUnavailable, HasSubstr("-u2-reg.sock")));
  std::filesystem::remove_all(folder);
}

TEST(Leftovers, OnlyOldTemporaryFilesOfOursAreRemoved) {
  const std::string folder = StrCat(testing::TempDir(), "leftovers-", ::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  PosixFileSystem files;
  for (const std::string name : {"ours.yaml.tmp.123", "ours.yaml", "other.tmp.1"})
    ASSERT_OK(files.WriteFileAtomic(folder + "/" + name, ""));
  RemoveLeftovers(files, folder, "ours", SystemClock().Now() - std::chrono::hours(1));
  EXPECT_EQ(files.List(folder)->size(), 3u) << "another process may be writing it";
  RemoveLeftovers(files, folder, "ours", SystemClock().Now() + std::chrono::hours(1));
  EXPECT_THAT(files.List(folder), IsOkAndHolds(testing::ElementsAre("other.tmp.1", "ours.yaml")));
  std::filesystem::remove_all(folder);
}

TEST(Usage, PodIsFoundInBothSpellingsOfCgroups) {
  EXPECT_EQ(PodOfCgroups("0::/kubepods.slice/kubepods-besteffort.slice/"
                         "kubepods-besteffort-pod0b1c2d3e_1111_2222_3333_444444444444.slice/cri-containerd-ab.scope\n"),
            "0b1c2d3e-1111-2222-3333-444444444444");
  EXPECT_EQ(PodOfCgroups("5:memory:/kubepods/burstable/pod0b1c2d3e-1111-2222-3333-444444444444/ab\n"),
            "0b1c2d3e-1111-2222-3333-444444444444");
  EXPECT_EQ(PodOfCgroups("0::/user.slice/podman-123.scope\n"), "");
  EXPECT_EQ(PodOfCgroups("pod"), "");
}

}  // namespace
}  // namespace allot::node
