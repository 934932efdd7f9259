#include "kube/config/proxy.h"

#include "base/test_util.h"

namespace allot::kube {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ServerUrl Server(std::string_view text) { return *ServerUrl::Parse(text); }

// The proxy for https://lab.example:6443, or why there is none.
std::string ProxyOf(const Environment& environment, std::string_view server = "https://lab.example:6443") {
  const Result<Proxy> proxy = ProxyFromEnvironment(Server(server), environment);
  return proxy.ok() ? proxy->url : proxy.status().ToString();
}

TEST(Proxy, TheVariableOfTheSchemeIsTakenAndUpperCaseWins) {
  EXPECT_EQ(ProxyOf({}), "");
  EXPECT_EQ(ProxyOf({{"HTTPS_PROXY", "http://a:3128"}, {"https_proxy", "http://b:3128"}}), "http://a:3128");
  EXPECT_EQ(ProxyOf({{"HTTPS_PROXY", ""}, {"https_proxy", "http://b:3128"}}), "http://b:3128");
  EXPECT_EQ(ProxyOf({{"HTTP_PROXY", "http://a:3128"}}), "");
  EXPECT_EQ(ProxyOf({{"http_proxy", "a:3128"}}, "http://lab.example"), "http://a:3128");
}

TEST(Proxy, LoopbackIsNeverAskedThroughOne) {
  for (const std::string_view server : {"https://localhost:6443", "https://127.0.0.1", "https://127.9.9.9", "https://[::1]:6443"}) {
    EXPECT_EQ(ProxyOf({{"HTTPS_PROXY", "http://a:3128"}}, server), "") << server;
  }
  EXPECT_EQ(ProxyOf({{"HTTPS_PROXY", "http://a:3128"}}, "https://localhost.example"), "http://a:3128");
}

TEST(Proxy, NoProxyTakesServersOut) {
  const struct {
    std::string_view server, no_proxy;
    bool uses;
  } kCases[] = {
      {"https://lab.example:6443", "", true},
      {"https://lab.example:6443", "*", false},
      {"https://lab.example:6443", "other, LAB.example", false},
      {"https://LAB.Example:6443", "lab.example", false},
      {"https://a.lab.example", "lab.example", false},
      {"https://alab.example", "lab.example", true},
      {"https://lab.example", ".lab.example", true},
      {"https://a.lab.example", ".lab.example", false},
      {"https://a.lab.example", "*.lab.example", false},
      {"https://lab.example", "*.lab.example", true},
      {"https://lab.example:6443", "lab.example:6443", false},
      {"https://lab.example:6443", "lab.example:443", true},
      {"https://lab.example", "lab.example:443", false},
      {"https://10.1.2.3", "10.0.0.0/8", false},
      {"https://11.1.2.3", "10.0.0.0/8", true},
      {"https://10.1.2.3", "10.1.2.3", false},
      {"https://10.1.2.3:6443", "10.1.2.3:443", true},
      {"https://10.1.2.3", "0.1.2.3/0", false},
      {"https://10.1.2.3", "10.1.2.3/33", true},
      {"https://10.1.2.3", "::/0", true},
      {"https://[fd00::1]:6443", "fd00::/8", false},
      {"https://[fd00::1]:6443", "[fd00::1]:6443", false},
      {"https://[fd00::1]:6443", "fd00:0::1", false},
      {"https://[fe00::1]:6443", "fd00::/8", true},
      {"https://lab.example", ":443,,  ,lab", true},
  };
  for (const auto& one : kCases) {
    EXPECT_EQ(UsesProxy(Server(one.server), one.no_proxy), one.uses) << one.server << " with NO_PROXY=" << one.no_proxy;
  }
}

TEST(Proxy, AUserIsSentAndNotShown) {
  ASSERT_OK_AND_ASSIGN(const Proxy proxy, ProxyFromEnvironment(Server("https://lab"), {{"HTTPS_PROXY", "http://ann:p%40w@a:3128"}}));
  EXPECT_EQ(proxy.url, "http://a:3128");
  EXPECT_EQ(proxy.authorization, "Basic YW5uOnBAdw==");
  EXPECT_THAT(ProxyFromEnvironment(Server("https://lab"), {{"HTTPS_PROXY", "http://ann:secret@:bad"}}),
              IsStatus(Code::kInvalid, AllOf(HasSubstr("HTTPS_PROXY: expected the address of a proxy"), Not(HasSubstr("secret")))));
}

TEST(Proxy, OtherKindsOfProxiesAreRefusedByName) {
  for (const std::string_view url : {"socks5://u:secret@a:1080", "https://u:secret@a"}) {
    EXPECT_THAT(ProxyFromEnvironment(Server("https://lab"), {{"https_proxy", std::string(url)}}),
                IsStatus(Code::kUnsupported, AllOf(HasSubstr("https_proxy: only http proxies"), Not(HasSubstr("secret")))));
  }
}

}  // namespace
}  // namespace allot::kube
