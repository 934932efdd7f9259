#include "kube/config/config.h"

#include "base/fake_clock.h"
#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot::kube {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A kubeconfig whose only context leads to https://NAME.
std::string Kubeconfig(std::string_view name) {
  return StrCat("current-context: ", name, "\ncontexts: [{name: ", name, ", context: {cluster: ", name, "}}]\nclusters: [{name: ", name,
                ", cluster: {server: 'https://", name, "'}}]\n");
}

class ConfigTest : public testing::Test {
 protected:
  ConfigTest() {
    CHECK(files_.MakeDirs("/home/x/.kube").ok() && files_.MakeDirs("/sa").ok());
    sources_.files = &files_;
    sources_.clock = &clock_;
    sources_.service_account = "/sa";
    sources_.environment = {{"HOME", "/home/x"}};
  }
  void Write(const std::string& path, std::string_view text) { CHECK(files_.WriteFileAtomic(path, text).ok()); }
  void MakePod() {
    Write("/sa/token", "pod-token");
    Write("/sa/ca.crt", "-----BEGIN CERTIFICATE-----\n");
    sources_.environment["KUBERNETES_SERVICE_HOST"] = "pod";
    sources_.environment["KUBERNETES_SERVICE_PORT"] = "443";
  }
  std::string Server() {
    const Result<Config> config = LoadConfig(sources_);
    return config.ok() ? config->server : config.status().ToString();
  }

  FakeFileSystem files_;
  FakeClock clock_;
  ConfigSources sources_;
};

TEST_F(ConfigTest, OptionThenVariableThenHomeThenPod) {
  MakePod();
  EXPECT_EQ(Server(), "https://pod:443");
  Write("/home/x/.kube/config", Kubeconfig("home"));
  EXPECT_EQ(Server(), "https://home");
  Write("/listed", Kubeconfig("listed"));
  sources_.environment["KUBECONFIG"] = "/listed";
  EXPECT_EQ(Server(), "https://listed");
  Write("/named", Kubeconfig("named"));
  sources_.overrides.kubeconfig = "/named";
  EXPECT_EQ(Server(), "https://named");
}

TEST_F(ConfigTest, ListedFilesAreMergedAndMissingOrEmptyEntriesAreSkipped) {
  Write("/b", "contexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: 'https://b'}}]");
  Write("/a", "current-context: c\n");
  sources_.environment["KUBECONFIG"] = ":/none::/a:/b:/a:";
  EXPECT_EQ(Server(), "https://b");
}

TEST_F(ConfigTest, ListOfMissingFilesIsAnErrorThatNamesThem) {
  Write("/home/x/.kube/config", Kubeconfig("home"));
  sources_.environment["KUBECONFIG"] = "/none:/nil";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kNotFound, HasSubstr("none of its files exists: /none, /nil")));
  sources_.environment["KUBECONFIG"] = ":";
  EXPECT_EQ(Server(), "https://home");
}

TEST_F(ConfigTest, NamedFileMustBeThere) {
  MakePod();
  sources_.overrides.kubeconfig = "/none";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kNotFound, HasSubstr("kubeconfig: open /none: No such file")));
}

TEST_F(ConfigTest, AnUnreadableFileIsNotSkipped) {
  MakePod();
  Write("/home/x/.kube/config", Kubeconfig("home"));
  files_.FailReadsOf("/home/x/.kube/config");
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kUnavailable, HasSubstr("/home/x/.kube/config")));
}

TEST_F(ConfigTest, EmptyFileAtHomeLeadsToThePod) {
  MakePod();
  Write("/home/x/.kube/config", "apiVersion: v1\nkind: Config\n");
  EXPECT_EQ(Server(), "https://pod:443");
}

TEST_F(ConfigTest, FileBeyondTheLimitIsRefused) {
  Write("/home/x/.kube/config", std::string(kMaxConfigFile + 1, '#'));
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kExhausted, HasSubstr("longer than 1048576 bytes")));
}

TEST_F(ConfigTest, NothingFoundTellsWhatWasTriedAndWhatToDo) {
  EXPECT_THAT(LoadConfig(sources_),
              IsStatus(Code::kNotFound, AllOf(HasSubstr("KUBECONFIG is not set"), HasSubstr("open /home/x/.kube/config: No such file"),
                                              HasSubstr("this is not a Pod"), HasSubstr("Name a kubeconfig with --kubeconfig"))));
  sources_.environment.clear();
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kNotFound, HasSubstr("HOME is not set")));
}

TEST_F(ConfigTest, ServerAloneIsEnough) {
  sources_.overrides.server = "http://localhost:8080/";
  EXPECT_EQ(Server(), "http://localhost:8080");
  sources_.overrides.server = "localhost:8080";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kInvalid, HasSubstr("--server: ")));
}

TEST_F(ConfigTest, NamesOfAKubeconfigNeedOne) {
  MakePod();
  sources_.overrides.context = "dev";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kNotFound, HasSubstr("--context dev needs a kubeconfig")));
}

TEST_F(ConfigTest, TokenOfTheCommandLineIsCheckedAndNotShown) {
  sources_.overrides.server = "https://lab";
  sources_.overrides.token = "secret\n";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kInvalid, AllOf(HasSubstr("--token: "), Not(HasSubstr("secret")))));
}

TEST_F(ConfigTest, ImpersonationCannotBreakAHeader) {
  sources_.overrides.server = "https://lab";
  sources_.overrides.impersonate_user = "eve\r\nX: y";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kInvalid, HasSubstr("control characters")));
}

TEST_F(ConfigTest, ProxyOfTheKubeconfigThenOfTheEnvironment) {
  sources_.environment["HTTPS_PROXY"] = "http://ann:pw@proxy:3128";
  sources_.overrides.server = "https://lab";
  ASSERT_OK_AND_ASSIGN(const Config config, LoadConfig(sources_));
  EXPECT_EQ(config.proxy_url, "http://proxy:3128");
  EXPECT_EQ(config.proxy_authorization, "Basic YW5uOnB3");
  sources_.overrides.server = "https://127.0.0.1:6443";
  EXPECT_EQ(LoadConfig(sources_)->proxy_url, "");
  sources_.overrides = {};
  Write("/home/x/.kube/config",
        "{current-context: a, contexts: [{name: a, context: {cluster: a}}], clusters: [{name: a, cluster: {server: 'https://a', "
        "proxy-url: 'http://own:1'}}]}");
  EXPECT_EQ(LoadConfig(sources_)->proxy_url, "http://own:1");
  EXPECT_EQ(LoadConfig(sources_)->proxy_authorization, "");
}

TEST_F(ConfigTest, CertificatesOfTheCommandLineReplaceThoseOfTheFile) {
  Write("/ca.pem", "-----BEGIN CERTIFICATE-----\n");
  Write("/other.pem", "-----BEGIN CERTIFICATE-----\n");
  Write("/home/x/.kube/config",
        "{current-context: a, contexts: [{name: a, context: {cluster: a}}], clusters: [{name: a, cluster: {server: 'https://a', "
        "certificate-authority: /ca.pem}}]}");
  sources_.overrides.certificate_authority = "/other.pem";
  EXPECT_EQ(LoadConfig(sources_)->ca.file, "/other.pem");
  sources_.overrides.insecure_skip_tls_verify = true;
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kInvalid, HasSubstr("cannot be given together")));
  sources_.overrides.certificate_authority.clear();
  ASSERT_OK_AND_ASSIGN(const Config config, LoadConfig(sources_));
  EXPECT_TRUE(config.insecure_skip_tls_verify);
  EXPECT_TRUE(config.ca.empty());
  sources_.overrides = {};
  sources_.overrides.certificate_authority = "/none.pem";
  EXPECT_THAT(LoadConfig(sources_), IsStatus(Code::kNotFound, HasSubstr("--certificate-authority: ")));
}

TEST_F(ConfigTest, NamesOfTheFilesAreListed) {
  Write("/a", Kubeconfig("one"));
  Write("/b", Kubeconfig("two"));
  sources_.environment["KUBECONFIG"] = "/none:/b:/a";
  EXPECT_THAT(KubeconfigNames(sources_, "contexts"), testing::ElementsAre("one", "two"));
  EXPECT_THAT(KubeconfigNames(sources_, "users"), testing::IsEmpty());
  sources_.environment.clear();
  EXPECT_THAT(KubeconfigNames(sources_, "contexts"), testing::IsEmpty());
}

TEST_F(ConfigTest, SystemSourcesHaveOurEnvironment) {
  const ConfigSources system = SystemConfigSources(files_, clock_);
  EXPECT_FALSE(system.Variable("PATH").empty());
  EXPECT_EQ(system.Variable("ALLOT_NO_SUCH_VARIABLE"), "");
  EXPECT_EQ(system.service_account, "/var/run/secrets/kubernetes.io/serviceaccount");
}

}  // namespace
}  // namespace allot::kube
