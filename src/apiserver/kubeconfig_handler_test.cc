#include "apiserver/kubeconfig_handler.h"

#include "apiserver/access/table_access.h"
#include "apiserver/rest/test_handler.h"
#include "base/fake_clock.h"
#include "base/fake_file_system.h"
#include "base/test_util.h"
#include "kube/config/config.h"

namespace allot::apiserver {
namespace {

using ::testing::HasSubstr;

class KubeconfigHandlerTest : public ::testing::Test {
 protected:
  KubeconfigHandlerTest() { request_.credentials = http::PeerCredentials{.uid = 1000}; }

  static std::optional<std::string> NameOf(uid_t) { return "Jane.Doe"; }

  http::Response Ask() {
    Sent sent;
    EXPECT_TRUE(handler_.Serve(request_, sent, "https://127.0.0.1:6480", "-----BEGIN CERTIFICATE-----\n"));
    return sent.response;
  }

  FakeFileSystem files_;
  SeededRandom random_{1};
  std::unique_ptr<Tokens> tokens_ = *Tokens::Open(files_, random_, {"/tokens", ""});
  TableAccess access_{*tokens_, {.admins = {0}, .name = &NameOf}};
  KubeconfigHandler handler_{access_, tokens_.get()};
  http::RequestContext request_{.request = {.method = "POST", .target = "/allot/v1/kubeconfig", .headers = {}, .body = ""}};
};

TEST_F(KubeconfigHandlerTest, GivesAUserOfTheSocketAKubeconfigWithTheirToken) {
  const http::Response response = Ask();
  EXPECT_EQ(response.status, 201);
  FakeClock clock;
  kube::ConfigSources sources;
  sources.files = &files_;
  sources.clock = &clock;
  ASSERT_OK_AND_ASSIGN(const kube::Config config, kube::ParseKubeconfig({{"config", response.body}}, sources));
  EXPECT_EQ(config.server, "https://127.0.0.1:6480");
  EXPECT_EQ(config.ca.text, "-----BEGIN CERTIFICATE-----\n");
  EXPECT_THAT(config.default_namespace, ::testing::StartsWith("user-jane-doe-"));
  const size_t at = response.body.find("allot_");
  ASSERT_NE(at, std::string::npos);
  const std::optional<Identity> owner = tokens_->Find(response.body.substr(at, 70));
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->user, "Jane.Doe");
  EXPECT_EQ(owner->uid, "1000");
}

TEST_F(KubeconfigHandlerTest, ATokenDoesNotGiveAccess) {
  tokens_->Add("secret", {"system:admin", "", {"system:masters"}});
  request_.request.headers.Add("Authorization", "Bearer secret");
  EXPECT_EQ(Ask().status, 403);
  request_.credentials.reset();
  EXPECT_EQ(Ask().status, 403);
  request_.request.headers = {};
  EXPECT_EQ(Ask().status, 403);
  EXPECT_FALSE(files_.Exists("/tokens"));
}

TEST_F(KubeconfigHandlerTest, AUserWithoutRightsGetsNoKubeconfig) {
  request_.request.headers.Add("Impersonate-User", "root");
  EXPECT_EQ(Ask().status, 403);
}

TEST_F(KubeconfigHandlerTest, OnlyAPostOfItsPathIsAnswered) {
  request_.request.method = "GET";
  EXPECT_EQ(Ask().status, 405);
  Sent sent;
  for (const char* target : {"/", "/allot/v1/kubeconfigs", "/allot/v1", "/api/v1/allot/v1/kubeconfig"}) {
    request_.request.target = target;
    EXPECT_FALSE(handler_.Serve(request_, sent, "https://x", "")) << target;
  }
}

TEST_F(KubeconfigHandlerTest, IsNotServedWithoutTokensOrWithoutTcp) {
  Sent sent;
  EXPECT_TRUE(KubeconfigHandler(access_, nullptr).Serve(request_, sent, "https://x", ""));
  EXPECT_EQ(sent.response.status, 404);
  EXPECT_TRUE(handler_.Serve(request_, sent, "", ""));
  EXPECT_EQ(sent.response.status, 404);
}

TEST_F(KubeconfigHandlerTest, AFullDiskIsAnError) {
  files_.FailFromChange(1);
  EXPECT_EQ(Ask().status, 500);
}

TEST(WriteKubeconfig, QuotesWhatNeedsIt) {
  EXPECT_THAT(WriteKubeconfig({"https://[::1]:1", "", "no", "t", ""}), HasSubstr("user: \"no\""));
}

}  // namespace
}  // namespace allot::apiserver
