#include "local/api_home.h"

#include "base/test_util.h"
#include "kube/client.h"
#include "local/test_folder.h"

namespace allot::local {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ApiHomeTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<ApiHome>> Start(ApiHomeOptions options = {}) {
    ASSIGN_OR_RETURN(const apiserver::DataFolder data, apiserver::OpenDataFolder(folder_));
    return ApiHome::Start(std::move(options), data, files_, clock_, random_, log_);
  }

  const TestFolder place_;
  const std::string folder_ = place_.path();
  PosixFileSystem files_;
  SystemClock clock_;
  SystemRandom random_;
  Log log_{clock_, Log::Format::kText, [](std::string_view) {}};
};

TEST_F(ApiHomeTest, AClientOfThisProcessIsAnAdminByTheSocket) {
  ASSERT_OK_AND_ASSIGN(const auto home, Start());
  ASSERT_OK_AND_ASSIGN(const auto client, kube::Client::Make(home->ClientConfig()));
  EXPECT_OK(client->Create(kube::types::kNodes, "", R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}})"));
  EXPECT_OK(client->Get(kube::types::kNodes, "", "n1"));
}

TEST_F(ApiHomeTest, TheKubeconfigThatItNamesLeadsToIt) {
  ASSERT_OK_AND_ASSIGN(const auto home, Start());
  EXPECT_THAT(home->Greeting(), HasSubstr(StrCat("\nexport KUBECONFIG=", folder_, "/admin.conf\n")));
  ASSERT_OK_AND_ASSIGN(const std::string text, files_.ReadFile(folder_ + "/admin.conf", 1 << 20));
  EXPECT_THAT(text, HasSubstr(home->server().url()));
  kube::ConfigSources sources = kube::SystemConfigSources(files_, clock_);
  ASSERT_OK_AND_ASSIGN(kube::Config config, kube::ParseKubeconfig({{folder_ + "/admin.conf", text}}, sources));
  ASSERT_OK_AND_ASSIGN(const auto client, kube::Client::Make(std::move(config)));
  EXPECT_OK(client->Get(kube::types::kNamespaces, "", "default"));
}

TEST_F(ApiHomeTest, ACertificateNeedsItsKey) {
  ApiHomeOptions options;
  options.certificate_file = folder_ + "/api.crt";
  EXPECT_THAT(Start(options).status(), IsStatus(Code::kInvalid, HasSubstr("belong together")));
  options.key_file = folder_ + "/api.key";
  EXPECT_THAT(Start(options).status(), IsStatus(Code::kNotFound, HasSubstr("--tls-cert-file")));
}

TEST(ServingNames, AreTheNamesThatClientsConnectTo) {
  EXPECT_THAT(ServingNames("127.0.0.1", "vm", {"10.0.0.7"}), ElementsAre("127.0.0.1", "::1", "localhost", "vm"));
  EXPECT_THAT(ServingNames("10.0.0.7", "", {}), ElementsAre("10.0.0.7", "127.0.0.1", "::1", "localhost"));
  for (const char* all : {"0.0.0.0", "::"}) {
    EXPECT_THAT(ServingNames(all, "bad_name", {"10.0.0.7", "127.0.0.1"}), ElementsAre("10.0.0.7", "127.0.0.1", "::1", "localhost"));
  }
}

}  // namespace
}  // namespace allot::local
