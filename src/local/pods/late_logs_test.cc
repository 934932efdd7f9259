#include "local/pods/late_logs.h"

#include "apiserver/rest/test_handler.h"
#include "base/test_util.h"

namespace allot::local {
namespace {

class Hello final : public apiserver::PodLogs {
 public:
  void Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) override {
    http::Response response;
    response.body = "hello from " + request.pod;
    writer->Send(std::move(response));
  }
};

TEST(LateLogs, AnswersWhileThereIsASource) {
  LateLogs logs;
  Hello hello;
  const auto ask = [&] {
    const auto writer = std::make_shared<apiserver::Sent>();
    apiserver::PodLogs::Request request;
    request.pod = "train";
    logs.Serve(request, writer);
    return writer->response;
  };
  EXPECT_EQ(ask().status, 501);
  logs.Set(&hello);
  EXPECT_EQ(ask().body, "hello from train");
  logs.Set(nullptr);
  EXPECT_EQ(ask().status, 501);
}

}  // namespace
}  // namespace allot::local
