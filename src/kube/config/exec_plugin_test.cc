// Plugins are real programs here: small scripts in a temporary folder.
#include "kube/config/exec_plugin.h"

#include <sys/stat.h>
#include <unistd.h>
#include <thread>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

class ExecPluginTest : public testing::Test {
 protected:
  ExecPluginTest() {
    std::string name = testing::TempDir() + "allot-plugin-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    sources_.files = &files_;
    sources_.clock = &clock_;
    sources_.environment = {{"PATH", "/usr/bin:/bin"}, {"OURS", "kept"}};
  }
  ~ExecPluginTest() override { std::filesystem::remove_all(folder_); }

  void Write(std::string_view name, std::string_view text) { std::ofstream(StrCat(folder_, "/", name)) << text; }
  // A plugin that runs these lines of shell, where answer STATUS prints an answer, and counts its runs.
  void WritePlugin(std::string_view lines) {
    Write("plugin", StrCat("#!/bin/sh\necho run >>", folder_, "/runs\nanswer() { printf '{\"apiVersion\":\"", kV1,
                           "\",\"kind\":\"ExecCredential\",\"status\":%s}' \"$1\"; }\n", lines, "\n"));
    CHECK(::chmod(StrCat(folder_, "/plugin").c_str(), 0755) == 0);
  }
  std::string Text(std::string_view name) { return files_.ReadFile(StrCat(folder_, "/", name), 1 << 20).value(); }
  size_t Runs() { return Text("runs").size() / std::string_view("run\n").size(); }

  Result<Config> Load(std::string_view exec, std::string_view cluster = "server: 'https://lab:6443'") {
    return ParseKubeconfig(
        {{StrCat(folder_, "/config"), StrCat("current-context: dev\ncontexts: [{name: dev, context: {cluster: lab, user: ann}}]\n"
                                             "clusters: [{name: lab, cluster: {",
                                             cluster, "}}]\nusers: [{name: ann, user: {exec: {", exec, "}}}]\n")}},
        sources_);
  }
  std::shared_ptr<Credentials> Plugin(std::string_view more = "interactiveMode: Never") {
    const Result<Config> config = Load(StrCat("command: ./plugin, apiVersion: ", kV1, ", ", more));
    CHECK(config.ok());
    return config->credentials;
  }
  // What a plugin of these lines gives.
  Result<Credentials::Grant> Get(std::string_view lines) {
    WritePlugin(lines);
    return Plugin()->Get();
  }

  std::string folder_;
  PosixFileSystem files_;
  FakeClock clock_;  // 2026-01-01T00:00:00Z
  ConfigSources sources_;
};

TEST_F(ExecPluginTest, TokenIsTaken) {
  ASSERT_OK_AND_ASSIGN(const Credentials::Grant grant, Get(R"(answer '{"token":"t0k"}')"));
  EXPECT_EQ(grant.authorization, "Bearer t0k");
  EXPECT_EQ(grant.certificate_pem, "");
}

TEST_F(ExecPluginTest, CertificateIsTaken) {
  ASSERT_OK_AND_ASSIGN(const Credentials::Grant grant,
                       Get(R"(answer '{"clientCertificateData":"-----BEGIN CERTIFICATE-----","clientKeyData":"-----BEGIN KEY-----"}')"));
  EXPECT_EQ(grant.authorization, "");
  EXPECT_EQ(grant.certificate_pem, "-----BEGIN CERTIFICATE-----");
  EXPECT_EQ(grant.key_pem, "-----BEGIN KEY-----");
}

TEST_F(ExecPluginTest, CommandWithoutASlashIsLookedForInPath) {
  WritePlugin(R"(answer '{"token":"t0k"}')");
  sources_.environment["PATH"] = StrCat(folder_, ":/usr/bin:/bin");
  ASSERT_OK_AND_ASSIGN(const Config config, Load(StrCat("command: plugin, interactiveMode: Never, apiVersion: ", kV1)));
  EXPECT_EQ(config.credentials->Get()->authorization, "Bearer t0k");
}

TEST_F(ExecPluginTest, ArgumentsAndEnvironmentReachThePlugin) {
  WritePlugin(StrCat("printf '%s|' \"$@\" \"$OURS\" \"$MINE\" >", folder_, R"(/seen; answer '{"token":"t"}')"));
  ASSERT_OK(Plugin("interactiveMode: Never, args: [get token, '$OURS'], env: [{name: MINE, value: 'a b'}]")->Get());
  EXPECT_EQ(Text("seen"), "get token|$OURS|kept|a b|");
}

TEST_F(ExecPluginTest, PluginIsToldWhatItIsAskedFor) {
  WritePlugin(StrCat("printf %s \"$KUBERNETES_EXEC_INFO\" >", folder_, R"(/seen; answer '{"token":"t"}')"));
  ASSERT_OK(Plugin()->Get());
  EXPECT_EQ(Text("seen"), StrCat(R"({"apiVersion":")", kV1, R"(","kind":"ExecCredential","spec":{"interactive":false}})"));
}

TEST_F(ExecPluginTest, ClusterInfoIsGivenWhenAskedFor) {
  WritePlugin(StrCat("printf %s \"$KUBERNETES_EXEC_INFO\" >", folder_, R"(/seen; answer '{"token":"t"}')"));
  Write("ca.pem", kPem);
  sources_.overrides.server = "https://other";
  ASSERT_OK_AND_ASSIGN(
      const Config config,
      Load(StrCat("command: ./plugin, interactiveMode: Never, provideClusterInfo: true, apiVersion: ", kV1),
           "server: 'https://lab:6443', certificate-authority: ca.pem, proxy-url: 'http://proxy:1', disable-compression: true, "
           "extensions: [{name: other, extension: 1}, {name: client.authentication.k8s.io/exec, extension: {audience: [a, 1]}}]"));
  ASSERT_OK(config.credentials->Get());
  ASSERT_OK_AND_ASSIGN(const json::Document seen, json::Parse(Text("seen")));
  EXPECT_EQ(json::Write(seen.root()["spec"]["cluster"]),
            StrCat(R"({"server":"https://other","certificate-authority-data":")", EncodeBase64(kPem),
                   R"(","proxy-url":"http://proxy:1","disable-compression":true,"config":{"audience":["a",1]}})"));
}

TEST_F(ExecPluginTest, AnswerWithoutExpiryIsKeptUntilItIsRejected) {
  WritePlugin(StrCat("answer \"{\\\"token\\\":\\\"t$(wc -l <", folder_, "/runs | tr -d ' ')\\\"}\""));
  const auto credentials = Plugin();
  ASSERT_OK_AND_ASSIGN(const Credentials::Grant first, credentials->Get());
  EXPECT_EQ(first.authorization, "Bearer t1");
  clock_.Advance(std::chrono::hours(1000));
  EXPECT_EQ(credentials->Get()->authorization, "Bearer t1");
  EXPECT_EQ(Runs(), 1u);
  credentials->Reject(first.version);
  EXPECT_EQ(credentials->Get()->authorization, "Bearer t2");
}

TEST_F(ExecPluginTest, AnswerIsRenewedALittleBeforeItExpires) {
  WritePlugin(R"(answer '{"token":"t","expirationTimestamp":"2026-01-01T02:00:00.5+01:00"}')");
  const auto credentials = Plugin();
  ASSERT_OK(credentials->Get());
  clock_.Advance(seconds(3600 - 11));
  ASSERT_OK(credentials->Get());
  EXPECT_EQ(Runs(), 1u);
  clock_.Advance(seconds(1));
  ASSERT_OK(credentials->Get());
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(ExecPluginTest, ExpiryBeyondTheClockOrUnsetNeverComes) {
  for (const std::string_view time : {"9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"}) {
    WritePlugin(StrCat(R"(answer '{"token":"t","expirationTimestamp":")", time, R"("}')"));
    const auto credentials = Plugin();
    ASSERT_OK(credentials->Get());
    const size_t runs = Runs();
    clock_.Advance(std::chrono::hours(24 * 365));
    ASSERT_OK(credentials->Get());
    EXPECT_EQ(Runs(), runs) << time;
  }
}

TEST_F(ExecPluginTest, AnswerThatHasExpiredIsRefused) {
  EXPECT_THAT(
      Get(R"(answer '{"token":"t0k","expirationTimestamp":"2025-12-31T23:59:59Z"}')"),
      IsStatus(Code::kInvalid, AllOf(HasSubstr("status.expirationTimestamp: 2025-12-31T23:59:59Z has already passed; sign in again"),
                                     Not(HasSubstr("t0k")))));
}

TEST_F(ExecPluginTest, MissingCommandShowsTheHintWithoutItsControlCharacters) {
  ASSERT_OK_AND_ASSIGN(
      const Config config,
      Load(StrCat("command: no-such-plugin, interactiveMode: Never, installHint: \"get it at\\nhttps://x\\e[2J\", apiVersion: ", kV1)));
  EXPECT_THAT(config.credentials->Get(),
              IsStatus(Code::kNotFound, AllOf(StartsWith("user \"ann\": credential plugin no-such-plugin: there is no program"),
                                              EndsWith("\nget it at\nhttps://x[2J"))));
}

TEST_F(ExecPluginTest, FailuresNameUserCommandAndCause) {
  const std::string who = StrCat("user \"ann\": credential plugin ", folder_, "/plugin: ");
  EXPECT_THAT(Get("exit 3"), IsStatus(Code::kUnavailable, StrCat(who, "it ended with exit code 3; its own message is on stderr")));
  EXPECT_THAT(Get("kill -9 $$"), IsStatus(Code::kUnavailable, HasSubstr("signal 9")));
  EXPECT_THAT(Get("echo not json: t0k"),
              IsStatus(Code::kInvalid, AllOf(StartsWith(StrCat(who, "its answer is not JSON: ")), Not(HasSubstr("t0k")))));
  EXPECT_THAT(Get("echo '[]'"), IsStatus(Code::kInvalid, StrCat(who, "its answer: expected an object, not a list")));
  EXPECT_THAT(Get(R"(echo '{"kind":"Pod"}')"),
              IsStatus(Code::kInvalid, HasSubstr("its answer: kind: expected \"ExecCredential\", not \"Pod\"")));
  EXPECT_THAT(
      Get(R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}')"),
      IsStatus(Code::kInvalid, HasSubstr("apiVersion: expected \"client.authentication.k8s.io/v1\" as in the kubeconfig, not \"client.a")));
  EXPECT_THAT(Get("answer null"), IsStatus(Code::kInvalid, HasSubstr("status: is missing")));
  EXPECT_THAT(Get("answer {}"), IsStatus(Code::kInvalid, HasSubstr("status: expected a token, or clientCertificateData")));
  EXPECT_THAT(Get(R"(answer '{"clientKeyData":"-----BEGIN KEY"}')"), IsStatus(Code::kInvalid, HasSubstr("must be set together")));
  EXPECT_THAT(Get(R"(answer '{"clientKeyData":"s3cret","clientCertificateData":"-----BEGIN "}')"),
              IsStatus(Code::kInvalid, AllOf(HasSubstr("clientKeyData: is not PEM text"), Not(HasSubstr("s3cret")))));
  EXPECT_THAT(Get(R"(answer '{"token":"s3cret x"}')"),
              IsStatus(Code::kInvalid, AllOf(HasSubstr("status.token: "), Not(HasSubstr("s3cret")))));
  for (const std::string_view time : {"tomorrow", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z",
                                      "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+1:00", ""}) {
    EXPECT_THAT(Get(StrCat(R"(answer '{"token":"t","expirationTimestamp":")", time, R"("}')")),
                IsStatus(Code::kInvalid, HasSubstr("status.expirationTimestamp: expected a time")))
        << time;
  }
}

TEST_F(ExecPluginTest, HugeAnswerIsStopped) {
  EXPECT_THAT(Get("exec yes"), IsStatus(Code::kExhausted, HasSubstr("wrote more than 1048576 bytes and was killed")));
}

TEST_F(ExecPluginTest, PluginThatHangsIsKilled) {
  sources_.plugin_time_limit = std::chrono::milliseconds(200);
  EXPECT_THAT(Get("exec sleep 1000"), IsStatus(Code::kUnavailable, HasSubstr("did not end within 200 ms and was killed")));
}

TEST_F(ExecPluginTest, PluginThatOutlivedCtrlCIsInOurProcessGroup) {
  ASSERT_OK(
      Get(StrCat("read -r pid name state parent group rest </proc/$$/stat; echo $group >", folder_, R"(/group; answer '{"token":"t"}')")));
  EXPECT_EQ(Text("group"), StrCat(::getpgrp(), "\n"));
}

TEST_F(ExecPluginTest, ImpatientCallerIsNotKeptAndTheNextOneAsksAgain) {
  WritePlugin("exec sleep 1000");
  const auto credentials = Plugin();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  EXPECT_THAT(credentials->Get({.deadline = deadline}), IsStatus(Code::kUnavailable, HasSubstr("and was killed")));
  Cancel cancel;
  std::thread canceller([&] { cancel.Request(); });
  EXPECT_THAT(credentials->Get({.cancel = &cancel}), IsStatus(Code::kUnavailable, HasSubstr("was cancelled and killed")));
  canceller.join();
  WritePlugin(R"(answer '{"token":"t0k"}')");
  EXPECT_EQ(credentials->Get()->authorization, "Bearer t0k");
}

TEST_F(ExecPluginTest, BrokenPluginIsNotRunForEveryRequest) {
  WritePlugin("exit 1");
  const auto credentials = Plugin();
  for (int i = 0; i < 10; ++i) EXPECT_THAT(credentials->Get(), IsStatus(Code::kUnavailable));
  EXPECT_EQ(Runs(), 1u);
  clock_.Advance(seconds(10));
  EXPECT_THAT(credentials->Get(), IsStatus(Code::kUnavailable));
  EXPECT_EQ(Runs(), 2u);
}

TEST_F(ExecPluginTest, TerminalIsPassedOnlyToPluginsThatMayUseIt) {
  WritePlugin(StrCat("printf %s \"$KUBERNETES_EXEC_INFO\" >", folder_, R"(/seen; answer '{"token":"t"}')"));
  const auto interactive = [&](std::string_view mode, bool has_terminal) {
    sources_.has_terminal = has_terminal;
    const auto grant = Plugin(StrCat("interactiveMode: ", mode))->Get();
    return grant.ok() ? Text("seen").ends_with(R"("interactive":true}})") ? "yes" : "no" : grant.status().message();
  };
  EXPECT_EQ(interactive("Never", true), "no");
  EXPECT_EQ(interactive("IfAvailable", true), "yes");
  EXPECT_EQ(interactive("IfAvailable", false), "no");
  EXPECT_EQ(interactive("Always", true), "yes");
  EXPECT_THAT(interactive("Always", false), HasSubstr("its interactiveMode is Always, but standard input is not a terminal"));
}

TEST_F(ExecPluginTest, InteractiveModeIsNeededInV1Only) {
  EXPECT_THAT(Load(StrCat("command: x, apiVersion: ", kV1)),
              IsStatus(Code::kInvalid, HasSubstr("users[0] (ann).user.exec.interactiveMode: client.authentication.k8s.io/v1 needs it")));
  EXPECT_OK(Load("command: x, apiVersion: client.authentication.k8s.io/v1beta1"));
}

TEST_F(ExecPluginTest, WrongFieldsAreNamed) {
  const auto message = [&](std::string_view exec) { return Load(exec).status().message(); };
  EXPECT_THAT(message("apiVersion: x"), EndsWith("users[0] (ann).user.exec.command: is not set"));
  EXPECT_THAT(message("command: x"), HasSubstr("exec.apiVersion: \"\" is not supported; use client.authentication.k8s.io/v1 or"));
  EXPECT_THAT(message("command: x, env: [{name: a=b}]"), EndsWith("exec.env[0].name: expected a name without '='"));
  EXPECT_THAT(message("command: x, args: [1]"), EndsWith("exec.args[0]: expected a string, not a number"));
  EXPECT_THAT(message(StrCat("command: x, interactiveMode: Sometimes, apiVersion: ", kV1)), HasSubstr("not \"Sometimes\""));
}

}  // namespace
}  // namespace allot::kube
