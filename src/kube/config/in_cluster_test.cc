#include "base/fake_clock.h"
#include "base/fake_file_system.h"
#include "base/test_util.h"
#include "kube/config/config.h"

namespace allot::kube {
namespace {

using testing::HasSubstr;

class InClusterTest : public testing::Test {
 protected:
  InClusterTest() {
    CHECK(files_.MakeDirs("/sa").ok());
    Write("token", "pod-token\n");
    Write("ca.crt", "-----BEGIN CERTIFICATE-----\n");
    Write("namespace", "lab\n");
    sources_.files = &files_;
    sources_.clock = &clock_;
    sources_.service_account = "/sa";
    sources_.environment = {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  }
  void Write(std::string_view name, std::string_view text) { CHECK(files_.WriteFileAtomic(StrCat("/sa/", name), text).ok()); }

  FakeFileSystem files_;
  FakeClock clock_;
  ConfigSources sources_;
};

TEST_F(InClusterTest, ServiceAccountIsUsed) {
  ASSERT_OK_AND_ASSIGN(const Config config, InClusterConfig(sources_));
  EXPECT_EQ(config.server, "https://10.96.0.1:443");
  EXPECT_EQ(config.ca.file, "/sa/ca.crt");
  EXPECT_EQ(config.default_namespace, "lab");
  EXPECT_EQ(config.origin, "service account of the Pod (/sa)");
  EXPECT_EQ(config.credentials->Get()->authorization, "Bearer pod-token");
}

TEST_F(InClusterTest, Ipv6HostGetsBrackets) {
  sources_.environment["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(InClusterConfig(sources_)->server, "https://[fd00::1]:443");
}

TEST_F(InClusterTest, RotatedTokenIsFollowed) {
  ASSERT_OK_AND_ASSIGN(const Config config, InClusterConfig(sources_));
  ASSERT_OK_AND_ASSIGN(const Credentials::Grant old, config.credentials->Get());
  Write("token", "rotated");
  config.credentials->Reject(old.version);
  EXPECT_EQ(config.credentials->Get()->authorization, "Bearer rotated");
}

TEST_F(InClusterTest, NamespaceIsThePodsThenTheFilesThenDefault) {
  sources_.environment["POD_NAMESPACE"] = "mine";
  EXPECT_EQ(InClusterConfig(sources_)->default_namespace, "mine");
  sources_.environment.erase("POD_NAMESPACE");
  ASSERT_OK(files_.Remove("/sa/namespace"));
  EXPECT_EQ(InClusterConfig(sources_)->default_namespace, "default");
}

TEST_F(InClusterTest, OverridesApply) {
  sources_.overrides.server = "https://[::1]:6443";
  sources_.overrides.token = "cli";
  sources_.overrides.default_namespace = "mine";
  sources_.overrides.impersonate_user = "eve";
  ASSERT_OK_AND_ASSIGN(const Config config, InClusterConfig(sources_));
  EXPECT_EQ(config.server, "https://[::1]:6443");
  EXPECT_EQ(config.default_namespace, "mine");
  EXPECT_EQ(config.impersonate_user, "eve");
  EXPECT_EQ(config.credentials->Get()->authorization, "Bearer cli");
}

TEST_F(InClusterTest, WithoutVariablesOrTokenThisIsNoPod) {
  ASSERT_OK(files_.Remove("/sa/token"));
  EXPECT_THAT(InClusterConfig(sources_), IsStatus(Code::kNotFound, "the Pod has no service account token /sa/token"));
  sources_.environment.erase("KUBERNETES_SERVICE_PORT");
  EXPECT_THAT(InClusterConfig(sources_), IsStatus(Code::kNotFound, HasSubstr("this is not a Pod")));
}

TEST_F(InClusterTest, MissingCertificateAndBadHostAreNamed) {
  ASSERT_OK(files_.Remove("/sa/ca.crt"));
  EXPECT_THAT(InClusterConfig(sources_), IsStatus(Code::kUnavailable, HasSubstr("open /sa/ca.crt: No such file")));
  Write("ca.crt", "-----BEGIN CERTIFICATE-----\n");
  sources_.environment["KUBERNETES_SERVICE_PORT"] = "http";
  EXPECT_THAT(InClusterConfig(sources_), IsStatus(Code::kInvalid, HasSubstr("service account of the Pod (/sa): ")));
}

}  // namespace
}  // namespace allot::kube
