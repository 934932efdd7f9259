#include "cli/kubeconfig.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/test_util.h"
#include "http/server.h"

namespace allot::cli {
namespace {

using ::testing::HasSubstr;

class KubeconfigTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/allot-kubeconfig-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Answer(int status, const std::string& body) {
    Result<http::Listener> listener = http::Listener::Unix(Socket(), 0600);
    ASSERT_OK(listener);
    const auto handler = [=, this](const http::RequestContext& context, const std::shared_ptr<http::ResponseWriter>& writer) {
      asked_ = StrCat(context.request.method, " ", context.request.target);
      writer->Send({.status = status, .headers = {}, .body = body});
    };
    Result<std::unique_ptr<http::Server>> server = http::Server::Start(*std::move(listener), {}, handler);
    ASSERT_OK(server);
    server_ = *std::move(server);
  }
  std::string Socket() const { return folder_ + "/api.sock"; }

  std::string folder_, asked_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(KubeconfigTest, IsWhatTheServerGives) {
  Answer(201, "kind: Config\n");
  EXPECT_THAT(AskForKubeconfig(Socket()), IsOkAndHolds(std::string("kind: Config\n")));
  EXPECT_EQ(asked_, "POST /allot/v1/kubeconfig");
}

TEST_F(KubeconfigTest, ARefusalIsInTheServersWords) {
  Answer(403, R"({"kind":"Status","message":"not you"})");
  EXPECT_THAT(AskForKubeconfig(Socket()), IsStatus(Code::kUnavailable, HasSubstr("answers 403: not you")));
}

TEST_F(KubeconfigTest, AnAnswerThatIsNoStatusIsItsCode) {
  Answer(502, "<html>");
  EXPECT_THAT(AskForKubeconfig(Socket()), IsStatus(Code::kUnavailable, HasSubstr("answers 502")));
}

TEST_F(KubeconfigTest, WithoutAServerTheErrorSaysHowToStartOne) {
  EXPECT_THAT(AskForKubeconfig(Socket()), IsStatus(Code::kUnavailable, AllOf(HasSubstr(Socket()), HasSubstr("allot apiserver"))));
}

}  // namespace
}  // namespace allot::cli
