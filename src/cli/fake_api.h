#pragma once
// For tests: runs the program against the test's own server.
//
//   FakeApi api([](const http::Request& request) { return FakeApi::Json(200, "{...}"); });
//   const FakeApi::Outcome outcome = api.Run({"get", "pods"});
//
// Included by *_test.cc only. Not thread-safe.

#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/test_util.h"
#include "cli/program/verbs.h"
#include "http/server.h"

namespace allot::cli {

class FakeApi {
 public:
  struct Outcome {
    int code = 0;
    std::string out, err;
  };
  using Answer = std::function<http::Response(const http::Request&)>;

  explicit FakeApi(Answer answer) : answer_(std::move(answer)) {
    auto listener = http::Listener::Tcp("127.0.0.1", 0);
    CHECK(listener.ok());
    auto server = http::Server::Start(*std::move(listener), {},
                                      [this](const http::RequestContext& context, const std::shared_ptr<http::ResponseWriter>& writer) {
                                        {
                                          const std::lock_guard lock(mutex_);
                                          requests_.push_back(StrCat(context.request.method, " ", context.request.target));
                                        }
                                        writer->Send(answer_(context.request));
                                      });
    CHECK(server.ok());
    server_ = *std::move(server);
    config_ = StrCat(testing::TempDir(), "allot-fake-api-", server_->port(), ".yaml");
    std::ofstream(config_) << "{clusters: [{name: t, cluster: {server: 'http://127.0.0.1:" << server_->port()
                           << "'}}], contexts: [{name: t, context: {cluster: t, user: t}}, {name: other, context: {cluster: t}}], users: "
                              "[{name: t, user: {}}], current-context: t}\n";
  }
  ~FakeApi() { std::remove(config_.c_str()); }

  static http::Response Json(int status, std::string_view body) {
    return {status, {{"Content-Type", "application/json"}}, std::string(body)};
  }
  static http::Response Refused(int status, std::string_view reason, std::string_view message) {
    return Json(status, StrCat(R"({"kind":"Status","status":"Failure","reason":")", reason, R"(","message":)", Quoted(message, 400),
                               R"(,"code":)", status, "}"));
  }

  // The verb is the first of the words.
  Outcome Run(std::vector<std::string> words) {
    words.insert(words.begin() + 1, StrCat("--kubeconfig=", config_));
    const std::vector<std::string_view> views(words.begin(), words.end());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Outcome outcome;
    outcome.code = RunProgram(views);
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
  }

  const std::string& config() const { return config_; }
  // "GET /api/v1/namespaces/default/pods?limit=500"
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  const Answer answer_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::unique_ptr<http::Server> server_;
  std::string config_;
};

}  // namespace allot::cli
