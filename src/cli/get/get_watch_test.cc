#include <cstdio>
#include <fstream>

#include "base/test_util.h"
#include "cli/program/verbs.h"
#include "http/codec.h"
#include "http/scripted_server.h"

namespace allot::cli {
namespace {

using http::Peer;
using http::ScriptedServer;
using testing::HasSubstr;

std::string Answer(int status, std::string_view body) {
  return StrCat("HTTP/1.1 ", status, " X\r\nConnection: close\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
}

std::string Stream(const std::vector<std::string>& events) {
  std::string text = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& event : events) text += http::WriteChunk(event + "\n");
  return text + "0\r\n\r\n";
}

std::string RowOf(std::string_view name, int version, std::string_view status) {
  return StrCat(R"({"cells":[")", name, R"(",")", status, R"("],"object":{"metadata":{"name":")", name, R"(","resourceVersion":")", version,
                R"("}}})");
}

std::string TableOf(int version, const std::vector<std::string>& rows) {
  return StrCat(R"({"kind":"Table","metadata":{"resourceVersion":")", version,
                R"("},"columnDefinitions":[{"name":"Name","format":"name"},{"name":"Status"}],"rows":[)", Join(rows, ","), "]}");
}

std::string Event(std::string_view type, const std::string& table) { return StrCat(R"({"type":")", type, R"(","object":)", table, "}"); }

// What `allot get pods -w` prints until the server refuses.
std::string Watched(const std::vector<std::string>& answers, std::vector<std::string>& requests) {
  std::vector<std::function<void(Peer&)>> script;
  requests.resize(answers.size());
  for (size_t i = 0; i < answers.size(); ++i) script.emplace_back([&, i](Peer& peer) { requests[i] = peer.Answer(answers[i]); });
  ScriptedServer server(std::move(script));
  const std::string path = StrCat(testing::TempDir(), "allot-watch-", server.port(), ".yaml");
  std::ofstream(path) << "{clusters: [{name: t, cluster: {server: 'http://127.0.0.1:" << server.port()
                      << "'}}], contexts: [{name: t, context: {cluster: t, user: t}}], users: [{name: t, user: {}}], current-context: t}\n";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const std::string flag = StrCat("--kubeconfig=", path);
  const std::vector<std::string_view> words = {"get", "pods", "-w", flag};
  EXPECT_EQ(RunProgram(words), 1);
  std::remove(path.c_str());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("Forbidden"));
  return testing::internal::GetCapturedStdout();
}

const std::string kRefused = Answer(403, R"({"kind":"Status","reason":"Forbidden","message":"no","code":403})");

TEST(GetWatch, PrintsARowForEachChangeInColumnsThatStay) {
  std::vector<std::string> requests;
  EXPECT_EQ(Watched({Answer(200, TableOf(5, {RowOf("a-long-name", 3, "Pending")})),
                     Stream({Event("ADDED", TableOf(6, {RowOf("b", 6, "Pending")})),
                             Event("BOOKMARK", R"({"kind":"Table","metadata":{"resourceVersion":"9"},"rows":[]})")}),
                     kRefused},
                    requests),
            "NAME          STATUS\n"
            "a-long-name   Pending\n"
            "b             Pending\n");
  EXPECT_THAT(requests[1], HasSubstr("resourceVersion=5"));
  EXPECT_THAT(requests[1], HasSubstr("as=Table"));
  EXPECT_THAT(requests[2], HasSubstr("resourceVersion=9"));  // continues after the bookmark
}

TEST(GetWatch, AfterAnExpiredVersionOnlyChangedRowsArePrintedAgain) {
  std::vector<std::string> requests;
  EXPECT_EQ(Watched({Answer(200, TableOf(5, {RowOf("a", 3, "Pending"), RowOf("b", 4, "Pending")})),
                     Stream({Event("ERROR", R"({"kind":"Status","reason":"Expired","message":"too old","code":410})")}),
                     Answer(200, TableOf(9, {RowOf("a", 3, "Pending"), RowOf("b", 8, "Running")})), kRefused},
                    requests),
            "NAME   STATUS\n"
            "a      Pending\n"
            "b      Pending\n"
            "b      Running\n");
  EXPECT_THAT(requests[3], HasSubstr("resourceVersion=9"));
}

}  // namespace
}  // namespace allot::cli
