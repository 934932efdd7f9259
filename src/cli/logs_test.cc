#include "base/test_util.h"
#include "cli/fake_api.h"

namespace allot::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

http::Response TwoContainers(const http::Request& request) {
  if (request.target.find("/log?") != std::string::npos) return {200, {{"Content-Type", "text/plain"}}, "one\ntwo"};
  return FakeApi::Json(
      200,
      R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1","containers":[{"name":"a"},{"name":"b"}],"initContainers":[{"name":"i"}]}})");
}

TEST(Logs, PrintsTheFirstContainerAndSaysSo) {
  FakeApi api(TwoContainers);
  const FakeApi::Outcome outcome = api.Run({"logs", "pod/p", "-n", "lab"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "one\ntwo");
  EXPECT_EQ(outcome.err, "Defaulted container \"a\" out of: a, b, i (init)\n");
  EXPECT_THAT(api.requests(), Contains("GET /api/v1/namespaces/lab/pods/p/log?container=a"));
}

TEST(Logs, FlagsBecomeQueryParameters) {
  FakeApi api(TwoContainers);
  const FakeApi::Outcome outcome =
      api.Run({"logs", "p", "-c", "b", "-f", "-p", "--timestamps", "--tail", "20", "--since", "1m500ms", "-n", "lab"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(api.requests(), ElementsAre("GET /api/v1/namespaces/lab/pods/p/log?container=b&follow=true&previous=true&timestamps=true&"
                                          "tailLines=20&sinceSeconds=61"));
}

TEST(Logs, ThePodMayNameItsDefaultContainer) {
  FakeApi api([](const http::Request& request) {
    if (request.target.find("/log?") != std::string::npos) return TwoContainers(request);
    return FakeApi::Json(
        200,
        R"({"metadata":{"name":"p","annotations":{"kubectl.kubernetes.io/default-container":"b"}},"spec":{"nodeName":"n1","containers":[
      {"name":"a"},{"name":"b"}]}})");
  });
  EXPECT_EQ(api.Run({"logs", "p", "--tail=-1"}).err, "");
  EXPECT_THAT(api.requests(), Contains("GET /api/v1/namespaces/default/pods/p/log?container=b"));
}

TEST(Logs, APodWithoutANodeGetsAHint) {
  FakeApi api([](const http::Request& request) -> http::Response {
    if (request.target.find("/log?") != std::string::npos) return {200, {{"Content-Type", "text/plain"}}, ""};
    return FakeApi::Json(200, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a"}]}})");
  });
  const FakeApi::Outcome outcome = api.Run({"logs", "p"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "Pod p has no node yet, so it has no log; to see why: allot explain pod/p -n default\n");
}

TEST(Logs, AWaitingContainerShowsTheServersErrorAndAHint) {
  FakeApi api([](const http::Request&) { return FakeApi::Refused(400, "BadRequest", "container \"a\" in pod \"p\" is waiting to start"); });
  const FakeApi::Outcome outcome = api.Run({"logs", "p", "-c", "a"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "Error from server (BadRequest): container \"a\" in pod \"p\" is waiting to start\n"
            "to see why: allot explain pod/p -n default\n");
}

TEST(Logs, ACommandOfRunHasNoLogAndTheErrorSaysWhereItsOutputIs) {
  FakeApi api([](const http::Request&) {
    return FakeApi::Json(
        200,
        R"({"metadata":{"name":"p","labels":{"allot.dev/run":"command"}},"spec":{"nodeName":"n1","containers":[{"name":"command"}]}})");
  });
  const FakeApi::Outcome outcome = api.Run({"logs", "p"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(
      outcome.err,
      "error: Pod default/p represents a command of `allot run`, which has no log: its output goes to the terminal that it was started "
      "from\n");
  EXPECT_THAT(api.requests(), ElementsAre("GET /api/v1/namespaces/default/pods/p"));
}

TEST(Logs, RefusesInvalidArguments) {
  FakeApi api(TwoContainers);
  EXPECT_THAT(api.Run({"logs", "p", "--tail", "x"}).err, HasSubstr("--tail: \"x\" is not a number of lines"));
  EXPECT_EQ(api.Run({"logs", "p", "--tail", "-5"}).code, 2);
  EXPECT_THAT(api.Run({"logs", "p", "q"}).err, HasSubstr("one Pod at a time"));
  EXPECT_THAT(api.Run({"logs", "node/n1"}).err, HasSubstr("\"node/n1\" is not a Pod"));
  EXPECT_THAT(api.Run({"logs"}).err, HasSubstr("which Pod? allot logs pod/NAME"));
  EXPECT_THAT(api.Run({"logs", "../x"}).err, HasSubstr("is not a Pod"));
}

}  // namespace
}  // namespace allot::cli
