// The program as a whole: exit codes, standard files, flags in front of the verb, completion with a cluster.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/test_util.h"
#include "cli/fake_api.h"
#include "cli/output.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

http::Response Table(std::string_view name, std::string_view labels = "{}", int number = 1) {
  return FakeApi::Json(
      200, StrCat(R"({"kind":"Table","metadata":{},"columnDefinitions":[{"name":"Name","format":"name"}],"rows":[{"cells":[")", name,
                  R"("],"object":{"metadata":{"name":")", name, R"(","labels":)", labels, R"(},"n":)", number, "}}]}"));
}

// Runs the program in another process, because the test needs its own standard files. Returns the wait status.
int InChild(const std::function<int()>& run) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(run());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST(Program, AClosedStandardOutputIsAnErrorAndNoSocketTakesItsPlace) {
  const int status = InChild([] {
    ::close(STDOUT_FILENO);
    ::close(STDERR_FILENO);
    HoldStandardFiles();
    const int next = ::open("/dev/null", O_RDWR | O_CLOEXEC);  // as a socket would
    if (next <= STDERR_FILENO) return 100;
    const std::vector<std::string_view> words = {"version"};
    return RunProgram(words);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Program, AClosedPipeEndsTheProgramSilently) {
  int out[2], err[2];
  ASSERT_EQ(::pipe(out), 0);
  ASSERT_EQ(::pipe(err), 0);
  ::close(out[0]);
  const int status = InChild([&] {
    std::signal(SIGPIPE, SIG_IGN);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    const std::vector<std::string_view> words = {"version"};
    return RunProgram(words);
  });
  ::close(out[1]);
  ::close(err[1]);
  char byte = 0;
  EXPECT_EQ(::read(err[0], &byte, 1), 0) << "something is said";
  ::close(err[0]);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
}

TEST(Program, AFullDiskIsReportedOnce) {
  std::string manifest;
  for (int i = 0; i < 3; ++i) manifest += StrCat("{apiVersion: v1, kind: ConfigMap, metadata: {name: m", i, "}}\n---\n");
  const std::string path = StrCat(testing::TempDir(), "allot-full-", ::getpid(), ".yaml");
  std::ofstream(path) << manifest;
  int err[2];
  ASSERT_EQ(::pipe(err), 0);
  const int status = InChild([&] {
    // Start the server's threads after the fork: a lock that a thread holds during the fork would stay locked in the child.
    FakeApi api([](const http::Request&) { return FakeApi::Json(200, R"({"metadata":{"name":"m","resourceVersion":"1"}})"); });
    ::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    const std::string config = StrCat("--kubeconfig=", api.config());
    const std::vector<std::string_view> words = {"apply", "-f", path, config};
    return RunProgram(words);
  });
  ::close(err[1]);
  char text[4096];
  const ssize_t size = ::read(err[0], text, sizeof text);
  ::close(err[0]);
  std::remove(path.c_str());
  EXPECT_EQ(std::string(text, static_cast<size_t>(std::max<ssize_t>(0, size))), "error: standard output: No space left on device\n");
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Program, ErrorsOfOperandsShowTheRightForm) {
  FakeApi api([](const http::Request&) { return Table("a"); });
  EXPECT_EQ(api.Run({"get", "pod/"}).err, "error: \"pod/\" is not TYPE/NAME, like pod/train\n");
  EXPECT_EQ(api.Run({"get", "pods/a", "svc"}).err, "error: \"svc\" is not TYPE/NAME, as the other arguments are\n");
  EXPECT_THAT(api.Run({"delete", "pods", "a/b"}).err, HasSubstr("write either TYPE NAME... or TYPE/NAME..."));
}

TEST(Program, ValuesThatFlagsDoNotTakeAreBadUsage) {
  FakeApi api([](const http::Request&) { return Table("a"); });
  const std::vector<std::string> kBad[] = {{"get", "pods", "--request-timeout", "foo"},
                                           {"get", "pods", "--qps", "abc"},
                                           {"get", "pods", "--burst", "-3"},
                                           {"delete", "pod", "a", "--grace-period=abc"},
                                           {"delete", "pod", "a", "--timeout=never"},
                                           {"get", "pods", "-o", "xml"},
                                           {"get", "pods", "-o", "jsonpath={.x"},
                                           {"get", "pods", "--sort-by", "x["},
                                           {"get", "pods", "-n", "Bad_NS"},
                                           {"get", "pods", "--server", "foo"},
                                           {"get"},
                                           {"get", "pod/"},
                                           {"describe", "/x"},
                                           {"delete", "pods", "a/b"},
                                           {"apply"},
                                           {"logs"},
                                           {"logs", "a", "b"},
                                           {"explain", "claim/foo"},
                                           {"get", "pods", "--nope"}};
  for (const std::vector<std::string>& words : kBad) EXPECT_EQ(api.Run(words).code, 2) << Join(words, " ");
  EXPECT_THAT(api.requests(), IsEmpty());
}

TEST(Program, RequestTimeoutsAreNotRoundedUpToSeconds) {
  FakeApi api([](const http::Request&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(900));  // later than the client waits, sooner than a second
    return Table("a");
  });
  const FakeApi::Outcome outcome = api.Run({"get", "pods", "--request-timeout=100ms"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("no answer in time"));
}

TEST(Program, FlagsMayStandBeforeTheVerb) {
  FakeApi api([](const http::Request&) { return Table("a"); });
  const std::string config = StrCat("--kubeconfig=", api.config());
  const std::vector<std::string_view> words = {"-n", "lab", config, "get", "pods"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunProgram(words), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "NAME\na\n");
  EXPECT_THAT(api.requests()[0], HasSubstr("/namespaces/lab/pods"));
}

TEST(Get, ANameAndASelectorAreRefused) {
  FakeApi api([](const http::Request&) { return Table("a"); });
  for (const std::string selector : {"--field-selector=spec.nodeName=n", "-la=b"}) {
    const FakeApi::Outcome outcome = api.Run({"get", "pod", "a", selector});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, "error: name cannot be provided when a selector is specified\n");
  }
  EXPECT_THAT(api.requests(), IsEmpty());
}

TEST(Get, AKindOfTwoNamesIsPrintedOnce) {
  FakeApi api([](const http::Request&) { return Table("a"); });
  EXPECT_EQ(api.Run({"get", "claims,resourceclaims,claim"}).out, "NAME\na\n");
  EXPECT_THAT(api.requests(), SizeIs(1));
}

TEST(Get, LabelsAreColumns) {
  FakeApi api([](const http::Request&) { return Table("a", R"({"x/app":"t","b":"c"})"); });
  EXPECT_EQ(api.Run({"get", "pods", "-L", "x/app,none", "--show-labels"}).out,
            "NAME   APP   NONE   LABELS\n"
            "a      t            b=c,x/app=t\n");
}

TEST(Get, WithIgnoreNotFoundAMissingObjectIsNoError) {
  FakeApi api([](const http::Request&) { return FakeApi::Refused(404, "NotFound", "pods \"a\" not found"); });
  EXPECT_EQ(api.Run({"get", "pod", "a", "--ignore-not-found"}).code, 0);
  EXPECT_EQ(api.Run({"get", "pod", "a", "-o", "json", "--ignore-not-found"}).out, "");
  EXPECT_EQ(api.Run({"get", "pod", "a"}).code, 1);
}

TEST(Get, FieldsArePrintedAndSortedBy) {
  FakeApi api([](const http::Request&) {
    return FakeApi::Json(200, R"({"items":[{"metadata":{"name":"b"},"n":10},{"metadata":{"name":"a"},"n":9}]})");
  });
  EXPECT_EQ(api.Run({"get", "pods", "-o", "jsonpath={.items[*].metadata.name}"}).out, "b a");
  EXPECT_EQ(api.Run({"get", "pods", "-o", "name", "--sort-by=.n"}).out, "pod/a\npod/b\n");
  EXPECT_EQ(api.Run({"get", "pods", "-o", "custom-columns=N:.metadata.name,X:.nope", "--sort-by", "n"}).out,
            "N     X\n"
            "a     <none>\n"
            "b     <none>\n");
}

// The lines that `allot __complete` prints for these words, with a kubeconfig of the server.
std::string Completed(FakeApi& api, std::vector<std::string> words) {
  const std::string config = StrCat("--kubeconfig=", api.config());
  std::vector<std::string_view> all(words.begin(), words.end());
  if (!words[0].starts_with('-')) all.insert(all.begin() + 1, config);
  all.insert(all.begin(), {"__complete", "--"});
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunProgram(all), 0);
  return testing::internal::GetCapturedStdout();
}

TEST(Completion, TheClusterIsAskedWhereverANameMayStand) {
  FakeApi api([](const http::Request& request) {
    if (request.target == "/api") {
      return FakeApi::Json(200,
                           R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
        {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced","verbs":["get","list"]}]}]}]})");
    }
    if (request.target == "/apis") return FakeApi::Json(200, R"({"kind":"APIGroupDiscoveryList","items":[]})");
    return FakeApi::Json(200, R"({"items":[{"metadata":{"name":"lab"}},{"metadata":{"name":"lib"}}]})");
  });
  EXPECT_EQ(Completed(api, {"get", "pods", "-n", ""}), "lab\nlib\n");
  EXPECT_EQ(Completed(api, {"get", "pods", "--namespace=la"}), "--namespace=lab\n");
  EXPECT_EQ(Completed(api, {"get", "pods", "l"}), "lab\nlib\n");
  EXPECT_EQ(Completed(api, {"get", "pods", "lab", "l"}), "lib\n");
  EXPECT_EQ(Completed(api, {"get", "pod/lab", "pod/l"}), "pod/lib\n");
  EXPECT_EQ(Completed(api, {"get", "pods", "-A", "l"}), "");
  EXPECT_EQ(Completed(api, {"get", "dep"}), "deployments\n");
  EXPECT_EQ(Completed(api, {"get", "pods,dep"}), "pods,deployments\n");
  EXPECT_EQ(Completed(api, {"get", "--context", ""}), "other\nt\n");
  EXPECT_EQ(Completed(api, {"get", "--context=o"}), "--context=other\n");
}

TEST(Completion, ValuesOfFlagsAndFilesNeedNoCluster) {
  FakeApi api([](const http::Request&) { return FakeApi::Refused(500, "", "not asked"); });
  EXPECT_EQ(Completed(api, {"get", "-o=y"}), "-o=yaml\n");
  EXPECT_EQ(Completed(api, {"apply", "--dry-run=s"}), "--dry-run=server\n");
  EXPECT_EQ(Completed(api, {"apply", "--filename", ""}), ":files\n");
  EXPECT_EQ(Completed(api, {"apply", "-f", "x"}), ":files\n");
  EXPECT_EQ(Completed(api, {"get", "--kubeconfig", ""}), ":files\n");
  EXPECT_EQ(Completed(api, {"get", "pods,cl"}), "pods,claims\npods,classes\n");
  EXPECT_EQ(Completed(api, {"get", "-o", "js"}), "json\njsonpath=\n");
  EXPECT_EQ(Completed(api, {"-n", "lab", "des"}), "describe\n");
  EXPECT_EQ(Completed(api, {"--no-h"}), "--no-headers\n");
}

TEST(Completion, APluginThatHangsDoesNotHangTheShell) {
  const std::string path = StrCat(testing::TempDir(), "allot-slow-", ::getpid(), ".yaml");
  std::ofstream(path) << "{clusters: [{name: t, cluster: {server: 'https://127.0.0.1:1'}}], contexts: [{name: t, context: {cluster: t, "
                         "user: t}}], users: [{name: t, user: {exec: {command: sleep, args: ['1000'], apiVersion: "
                         "client.authentication.k8s.io/v1, interactiveMode: IfAvailable}}}], current-context: t}\n";
  const std::string config = StrCat("--kubeconfig=", path);
  const std::vector<std::string_view> words = {"__complete", "--", "get", config, "pods", ""};
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(RunProgram(words), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(100));  // it hangs for 1000
  std::remove(path.c_str());
}

}  // namespace
}  // namespace allot::cli
