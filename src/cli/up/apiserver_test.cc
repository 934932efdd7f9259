#include "cli/up/apiserver.h"

#include <cerrno>

#include "base/system_error.h"
#include "base/test_util.h"

namespace allot::cli {
namespace {

using ::testing::HasSubstr;

TEST(Apiserver, TheDefaultFolderIsTheSystemsOrTheUsers) {
  EXPECT_EQ(DefaultDataFolder(true, {{"HOME", "/root"}, {"XDG_DATA_HOME", "/x"}}), "/var/lib/allot/api");
  EXPECT_EQ(DefaultDataFolder(false, {{"HOME", "/home/a"}, {"XDG_DATA_HOME", "/x"}}), "/x/allot/api");
  EXPECT_EQ(DefaultDataFolder(false, {{"HOME", "/home/a"}, {"XDG_DATA_HOME", "relative"}}), "/home/a/.local/share/allot/api");
}

TEST(Apiserver, WithoutHomeThereIsNoDefaultFolder) {
  EXPECT_EQ(DefaultDataFolder(false, {}), "");
  EXPECT_EQ(DefaultDataFolder(false, {{"HOME", ""}}), "");
  EXPECT_EQ(DefaultDataFolder(false, {{"HOME", "relative"}}), "");
  EXPECT_EQ(DefaultDataFolder(true, {}), "/var/lib/allot/api");
}

TEST(Apiserver, ListensOnAddressesOnly) {
  EXPECT_THAT(ListenAddress("127.0.0.1"), IsOkAndHolds(std::string("127.0.0.1")));
  EXPECT_THAT(ListenAddress("0:0::0001"), IsOkAndHolds(std::string("::1")));
  for (const char* text : {"", "localhost", "127.0.0.1:80", "[::1]", "1.2.3"}) {
    EXPECT_THAT(ListenAddress(text), IsStatus(Code::kInvalid, HasSubstr("--address: "))) << text;
  }
}

TEST(Apiserver, PortsAreNumbersUpTo65535) {
  EXPECT_THAT(ListenPort("0"), IsOkAndHolds(0));
  EXPECT_THAT(ListenPort("65535"), IsOkAndHolds(65535));
  for (const char* text : {"", "65536", "-1", "80x", " 80", "99999999999999999999"}) {
    EXPECT_THAT(ListenPort(text), IsStatus(Code::kInvalid, HasSubstr("--port: "))) << text;
  }
}

TEST(Apiserver, AnErrorOfTheStartGivesAdvice) {
  EXPECT_THAT(WithAdvice(SystemFailure(EADDRINUSE, "listen on 127.0.0.1 port 6480: Address already in use"), "/d"),
              IsStatus(Code::kUnavailable, HasSubstr("--port")));
  EXPECT_THAT(WithAdvice(SystemFailure(EBUSY, "store /d/store.db: another process has it open"), "/d"),
              IsStatus(Code::kUnavailable, HasSubstr("already runs with --data /d;")));
  EXPECT_THAT(WithAdvice(SystemFailure(EADDRNOTAVAIL, "listen on 192.0.2.1 port 6480"), "/d"),
              IsStatus(Code::kUnavailable, HasSubstr("--address")));
  for (const int full : {ENOSPC, EDQUOT}) {
    EXPECT_THAT(WithAdvice(SystemFailure(full, "write /d/up.pid"), "/d"),
                IsStatus(Code::kUnavailable, AllOf(HasSubstr("write /d/up.pid; free space on the disk of /d"), HasSubstr("--data"))));
  }
  EXPECT_THAT(WithAdvice(Invalid("anything else"), "/d"), IsStatus(Code::kInvalid, "anything else"));
  EXPECT_OK(WithAdvice(Status(), "/d"));
}

TEST(Apiserver, HelpNamesEveryFlagAndTheKubeconfig) {
  const std::string help = Help(ApiserverVerb());
  for (const char* text : {"--data DIR", "--address IP", "--port PORT", "--tls-cert-file", "--token-auth-file", "--print-access",
                           "-q, --quiet", "KUBECONFIG"}) {
    EXPECT_THAT(help, HasSubstr(text));
  }
}

}  // namespace
}  // namespace allot::cli
