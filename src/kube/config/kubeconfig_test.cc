#include "base/fake_clock.h"
#include "base/fake_file_system.h"
#include "base/test_util.h"
#include "kube/config/config.h"

namespace allot::kube {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

constexpr std::string_view kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
constexpr std::string_view kGood = R"(
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: lab, user: ann, namespace: team}}
- {name: bare, context: {cluster: plain}}
clusters:
- {name: lab, cluster: {server: "https://lab:6443/k8s/c1/"}}
- {name: plain, cluster: {server: "http://plain:8080"}}
users:
- {name: ann, user: {token: t0k}}
- {name: bob, user: {username: bob, password: pw}}
)";

class KubeconfigTest : public testing::Test {
 protected:
  KubeconfigTest() {
    CHECK(files_.MakeDirs("/home/x/.kube/certs").ok());
    Write("/home/x/.kube/certs/ca.pem", kPem);
    sources_.files = &files_;
    sources_.clock = &clock_;
  }
  void Write(const std::string& path, std::string_view text) { CHECK(files_.WriteFileAtomic(path, text).ok()); }

  Result<Config> Parse(std::string_view text) { return ParseKubeconfig({{"/home/x/.kube/config", std::string(text)}}, sources_); }
  // A config of one cluster and user with these fields.
  Result<Config> With(std::string_view cluster, std::string_view user = "") {
    return Parse(
        StrCat("current-context: dev\ncontexts: [{name: dev, context: {cluster: lab, user: ann}}]\nclusters: [{name: lab, cluster: {",
               cluster, "}}]\nusers: [{name: other, user: {}}, {name: ann, user: {", user, "}}]\n"));
  }
  Result<Config> WithUser(std::string_view user) { return With("server: https://lab", user); }
  std::string Sent(const Result<Config>& config) {
    const auto grant = config.ok() ? config->credentials->Get() : Result<Credentials::Grant>(config.status());
    return grant.ok() ? grant->authorization : grant.status().ToString();
  }

  FakeFileSystem files_;
  FakeClock clock_;
  ConfigSources sources_;
};

TEST_F(KubeconfigTest, CurrentContextIsPicked) {
  ASSERT_OK_AND_ASSIGN(const Config config, Parse(kGood));
  EXPECT_EQ(config.server, "https://lab:6443/k8s/c1");
  EXPECT_EQ(config.context, "dev");
  EXPECT_EQ(config.default_namespace, "team");
  EXPECT_EQ(config.origin, "/home/x/.kube/config, context dev");
  EXPECT_EQ(Sent(config), "Bearer t0k");
  EXPECT_TRUE(config.ca.empty());
}

TEST_F(KubeconfigTest, OverridesChooseOtherEntries) {
  sources_.overrides.context = "bare";
  ASSERT_OK_AND_ASSIGN(const Config bare, Parse(kGood));
  EXPECT_EQ(bare.server, "http://plain:8080");
  EXPECT_EQ(bare.default_namespace, "default");
  sources_.overrides = {};
  sources_.overrides.cluster = "plain";
  EXPECT_EQ(Parse(kGood)->server, "http://plain:8080");
  sources_.overrides = {};
  sources_.overrides.user = "bob";
  EXPECT_EQ(Sent(Parse(kGood)), "Basic Ym9iOnB3");
}

TEST_F(KubeconfigTest, OverridesReplaceFields) {
  sources_.overrides.server = "https://other/";
  sources_.overrides.default_namespace = "mine";
  sources_.overrides.token = "cli";
  sources_.overrides.impersonate_user = "eve";
  sources_.overrides.impersonate_uid = "7";
  sources_.overrides.impersonate_groups = {"ops"};
  ASSERT_OK_AND_ASSIGN(const Config config, Parse(kGood));
  EXPECT_EQ(config.server, "https://other");
  EXPECT_EQ(config.default_namespace, "mine");
  EXPECT_EQ(Sent(config), "Bearer cli");
  EXPECT_EQ(config.impersonate_user, "eve");
  EXPECT_EQ(config.impersonate_uid, "7");
  EXPECT_THAT(config.impersonate_groups, ElementsAre("ops"));
}

TEST_F(KubeconfigTest, ServerOfTheCommandLineTakesTheTlsServerNameAway) {
  EXPECT_EQ(With("server: https://lab, tls-server-name: inner")->tls_server_name, "inner");
  sources_.overrides.server = "https://other";
  EXPECT_EQ(With("server: https://lab, tls-server-name: inner")->tls_server_name, "");
}

TEST_F(KubeconfigTest, TokenOfTheCommandLineReplacesEveryOtherKind) {
  sources_.overrides.token = "cli";
  for (const std::string_view user :
       {"username: u, password: p", "tokenFile: /none", "auth-provider: {name: oidc}", "exec: {command: x}"}) {
    EXPECT_EQ(Sent(WithUser(user)), "Bearer cli") << user;
  }
}

TEST_F(KubeconfigTest, ServerOfTheCommandLineNeedsNoContext) {
  sources_.overrides.server = "https://other";
  EXPECT_EQ(Parse("users: []")->server, "https://other");
}

TEST_F(KubeconfigTest, FirstFileWinsForEachNameAndForTheCurrentContext) {
  const std::vector<KubeconfigFile> files = {
      {"/a/one", "clusters: [{name: lab, cluster: {server: 'https://one'}}]\nusers: [{name: ann, user: {token: one}}]"},
      {"/b/two",
       "current-context: dev\nclusters: [{name: lab, cluster: {server: 'https://two', tls-server-name: two}}]\n"
       "contexts: [{name: dev, context: {cluster: lab, user: ann}}]"},
      {"/c/three", "current-context: none\nusers: [{name: ann, user: {token: three, as: eve}}]"}};
  ASSERT_OK_AND_ASSIGN(const Config config, ParseKubeconfig(files, sources_));
  EXPECT_EQ(config.server, "https://one");
  EXPECT_EQ(config.tls_server_name, "") << "entries are not merged field by field";
  EXPECT_EQ(config.impersonate_user, "");
  EXPECT_EQ(Sent(config), "Bearer one");
  EXPECT_EQ(config.origin, "/b/two, context dev");
}

TEST_F(KubeconfigTest, ClusterFieldsAreRead) {
  ASSERT_OK_AND_ASSIGN(const Config config,
                       With("server: https://lab, tls-server-name: inner, insecure-skip-tls-verify: true, disable-compression: true, "
                            "proxy-url: 'http://proxy:3128', unknown: {field: [1]}"));
  EXPECT_EQ(config.tls_server_name, "inner");
  EXPECT_TRUE(config.insecure_skip_tls_verify);
  EXPECT_TRUE(config.disable_compression);
  EXPECT_EQ(config.proxy_url, "http://proxy:3128");
}

TEST_F(KubeconfigTest, ImpersonationIsRead) {
  ASSERT_OK_AND_ASSIGN(const Config config, WithUser("as: eve, as-uid: '7', as-groups: [a, b], as-user-extra: {scopes: [u, v]}"));
  EXPECT_EQ(config.impersonate_user, "eve");
  EXPECT_EQ(config.impersonate_uid, "7");
  EXPECT_THAT(config.impersonate_groups, ElementsAre("a", "b"));
  EXPECT_THAT(config.impersonate_extra, ElementsAre(Pair("scopes", ElementsAre("u", "v"))));
  EXPECT_THAT(WithUser("as-groups: [a]"), IsStatus(Code::kInvalid, HasSubstr("/home/x/.kube/config, context dev: as-uid, as-groups")));
}

TEST_F(KubeconfigTest, PathsAreRelativeToTheFile) {
  ASSERT_OK_AND_ASSIGN(const Config config, With("server: https://lab, certificate-authority: ./certs/ca.pem"));
  EXPECT_EQ(config.ca.file, "/home/x/.kube/certs/ca.pem");
  EXPECT_THAT(config.ca.Read(files_), IsOkAndHolds(std::string(kPem)));
}

TEST_F(KubeconfigTest, FilesOfPemAreReadAgainWhenAsked) {
  ASSERT_OK_AND_ASSIGN(const Config config, With("server: https://lab, certificate-authority: certs/ca.pem"));
  const std::string rotated = StrCat(kPem, kPem);
  Write("/home/x/.kube/certs/ca.pem", rotated);
  EXPECT_THAT(config.ca.Read(files_), IsOkAndHolds(rotated));
}

TEST_F(KubeconfigTest, DataWinsOverAFile) {
  const std::string data = EncodeBase64(kPem);
  ASSERT_OK_AND_ASSIGN(const Config config,
                       With(StrCat("server: https://lab, certificate-authority: /none, certificate-authority-data: ", data),
                            StrCat("client-certificate-data: ", data, ", client-key: certs/ca.pem")));
  EXPECT_EQ(config.ca.text, kPem);
  EXPECT_EQ(config.ca.file, "");
  EXPECT_EQ(config.client_certificate.text, kPem);
  EXPECT_EQ(config.client_key.file, "/home/x/.kube/certs/ca.pem");
}

TEST_F(KubeconfigTest, EveryKindOfCredentialIsRead) {
  Write("/home/x/.kube/token", "from-file\n");
  EXPECT_EQ(Sent(WithUser("")), "");
  EXPECT_EQ(Sent(WithUser("token: abc")), "Bearer abc");
  EXPECT_EQ(Sent(WithUser("tokenFile: token")), "Bearer from-file");
  EXPECT_EQ(Sent(WithUser("token: abc, tokenFile: token")), "Bearer from-file");
  EXPECT_EQ(Sent(WithUser("token: abc, tokenFile: none")), "Bearer abc");
  EXPECT_EQ(Sent(WithUser("username: Aladdin, password: open sesame")), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(Sent(WithUser("token: abc, exec: {command: no-such, apiVersion: client.authentication.k8s.io/v1beta1}")), "Bearer abc");
  EXPECT_THAT(Sent(WithUser("exec: {command: no-such, apiVersion: client.authentication.k8s.io/v1beta1}")), HasSubstr("\"no-such\""));
}

TEST_F(KubeconfigTest, NothingSecretIsSentWithoutTls) { EXPECT_EQ(Sent(With("server: 'http://lab'", "token: abc")), ""); }

TEST_F(KubeconfigTest, OnlyTheFirstDocumentCounts) { EXPECT_OK(Parse(StrCat(kGood, "---\nkind: Pod\n"))); }

TEST_F(KubeconfigTest, EntriesThatAreNotUsedMayBeWrong) {
  EXPECT_OK(Parse(StrCat(kGood, "- {name: odd, user: {auth-provider: {name: gcp}, client-certificate-data: '***'}}\n")));
}

TEST_F(KubeconfigTest, EmptyFilesAreKnown) {
  for (const std::string_view empty : {"", "\n# nothing\n", "{}", "apiVersion: v1\nkind: Config\nclusters: null\ncurrent-context: ''\n"}) {
    EXPECT_TRUE(IsEmptyKubeconfig(empty)) << empty;
  }
  for (const std::string_view full : {"current-context: a", "users: [{name: a}]", "clusters: [", "kind: Pod", "text"}) {
    EXPECT_FALSE(IsEmptyKubeconfig(full)) << full;
  }
}

TEST_F(KubeconfigTest, AMissingEntryListsTheExistingOnes) {
  sources_.overrides.context = "nope";
  EXPECT_THAT(Parse(kGood),
              IsStatus(Code::kNotFound, HasSubstr("/home/x/.kube/config: there is no context \"nope\" (--context); there are: "
                                                  "\"bare\", \"dev\"")));
  sources_.overrides = {};
  sources_.overrides.cluster = "nope";
  EXPECT_THAT(Parse(kGood),
              IsStatus(Code::kNotFound, HasSubstr("there is no cluster \"nope\" (--cluster); there are: \"lab\", \"plain\"")));
  sources_.overrides = {};
  sources_.overrides.user = "nope";
  EXPECT_THAT(Parse(kGood), IsStatus(Code::kNotFound, HasSubstr("there is no user \"nope\" (--user); there are: \"ann\", \"bob\"")));
  sources_.overrides = {};
  EXPECT_THAT(Parse("current-context: dev"),
              IsStatus(Code::kNotFound,
                       "/home/x/.kube/config: current-context: there is no context \"dev\"; there are none; choose one with "
                       "--context"));
  EXPECT_THAT(Parse("contexts: [{name: dev, context: {cluster: lab, user: ann}}]"),
              IsStatus(Code::kInvalid, HasSubstr("no cluster is chosen; choose a context with --context or a cluster with --cluster; of "
                                                 "contexts there are: \"dev\"")));
  EXPECT_THAT(Parse("# an empty file has a name too\n"),
              IsStatus(Code::kInvalid, testing::StartsWith("/home/x/.kube/config: no cluster is chosen")));
  EXPECT_THAT(Parse("current-context: dev\ncontexts: [{name: dev, context: {cluster: gone}}]\nclusters: [{name: lab}]"),
              IsStatus(Code::kNotFound,
                       "/home/x/.kube/config: contexts[0] (dev).context.cluster: there is no cluster \"gone\"; there are: "
                       "\"lab\""));
}

TEST_F(KubeconfigTest, ErrorsNameFileAndField) {
  const struct {
    std::string_view cluster, user, message;
  } kCases[] = {
      {"server: 12", "", "clusters[0] (lab).cluster.server: expected a string, not a number"},
      {"", "", "clusters[0] (lab).cluster.server: is not set"},
      {"server: lab:6443", "", "clusters[0] (lab).cluster.server: server \"lab:6443\": the scheme is neither https nor http"},
      {"server: 'https://u:p@lab'", "", "clusters[0] (lab).cluster.server: cannot have a user or password"},
      {"certificate-authority-data: 'YW*j', server: https://lab", "",
       "clusters[0] (lab).cluster.certificate-authority-data: is not base64 (at byte 2 of 4)"},
      {"certificate-authority-data: YWJj, server: https://lab", "", "certificate-authority-data: is not PEM text"},
      {"certificate-authority: none.pem, server: https://lab", "",
       "clusters[0] (lab).cluster.certificate-authority: open /home/x/.kube/none.pem: No such file"},
      {"certificate-authority: certs/ca.pem, insecure-skip-tls-verify: true, server: https://lab", "",
       "clusters[0] (lab).cluster.insecure-skip-tls-verify: cannot be true together"},
      {"server: https://lab, proxy-url: 'ftp://proxy'", "", "clusters[0] (lab).cluster.proxy-url: "},
      {"server: https://lab", "token: 'a b'", "users[1] (ann).user.token: the token has characters"},
      {"server: https://lab", "token: a, username: b", "users[1] (ann).user: has both a token and a username"},
      {"server: https://lab", "client-certificate: certs/ca.pem", "users[1] (ann).user.client-key: is not set"},
      {"server: https://lab", "as-user-extra: {a: b}", "users[1] (ann).user.as-user-extra.a: expected a list, not a string"},
      {"server: https://lab", "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}",
       "users[1] (ann).user.exec.apiVersion: \"client.authentication.k8s.io/v1alpha1\" is not supported"},
  };
  for (const auto& wrong : kCases) {
    EXPECT_THAT(With(wrong.cluster, wrong.user),
                IsStatus(Code::kInvalid, AllOf(HasSubstr("/home/x/.kube/config: "), HasSubstr(wrong.message))));
  }
  EXPECT_THAT(Parse("clusters: {}"), IsStatus(Code::kInvalid, "/home/x/.kube/config: clusters: expected a list, not an object"));
  EXPECT_THAT(Parse("users: [1]"), IsStatus(Code::kInvalid, "/home/x/.kube/config: users[0]: expected an object, not a number"));
  EXPECT_THAT(Parse("users: [{name: a}, {name: a}]"), IsStatus(Code::kInvalid, "/home/x/.kube/config: users[1].name: \"a\" occurs twice"));
  EXPECT_THAT(Parse("kind: Pod"), IsStatus(Code::kInvalid, "/home/x/.kube/config: kind: expected Config, not \"Pod\""));
  EXPECT_THAT(Parse("a: ["), IsStatus(Code::kInvalid, HasSubstr("/home/x/.kube/config: line ")));
  EXPECT_THAT(Parse(StrCat("current-context: x\ncontexts: [{name: x, context: {cluster: lab, namespace: A/B}}]\n"
                           "clusters: [{name: lab, cluster: {server: https://lab}}]")),
              IsStatus(Code::kInvalid, HasSubstr("/home/x/.kube/config, context x: namespace \"A/B\"")));
}

TEST_F(KubeconfigTest, UnsupportedFieldsAreNamedWithTheWayOut) {
  EXPECT_THAT(With("server: https://lab, proxy-url: 'socks5://proxy:1080'"),
              IsStatus(Code::kUnsupported, HasSubstr("clusters[0] (lab).cluster.proxy-url: socks5 proxies are not supported")));
  EXPECT_THAT(With("server: https://lab, proxy-url: 'http://u:secret@proxy'"),
              IsStatus(Code::kUnsupported, AllOf(HasSubstr("(lab).cluster.proxy-url: "), Not(HasSubstr("secret")))));
  EXPECT_THAT(
      WithUser("auth-provider: {name: oidc}"),
      IsStatus(Code::kUnsupported, HasSubstr("users[1] (ann).user.auth-provider: \"oidc\" is not supported; use a credential plugin")));
}

}  // namespace
}  // namespace allot::kube
