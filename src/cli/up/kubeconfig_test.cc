#include "cli/up/kubeconfig.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/test_util.h"
#include "cli/program/verbs.h"
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

TEST_F(KubeconfigTest, IsTheServersAnswer) {
  Answer(201, "kind: Config\n");
  EXPECT_THAT(AskForKubeconfig(Socket()), IsOkAndHolds(std::string("kind: Config\n")));
  EXPECT_EQ(asked_, "POST /allot/v1/kubeconfig");
}

TEST_F(KubeconfigTest, ARefusalIsInTheServersWords) {
  Answer(403, R"({"kind":"Status","message":"not you"})");
  EXPECT_THAT(AskForKubeconfig(Socket()), IsStatus(Code::kUnavailable, HasSubstr("answers 403: not you")));
}

TEST_F(KubeconfigTest, AnAnswerWithoutAStatusShowsItsCode) {
  Answer(502, "<html>");
  EXPECT_THAT(AskForKubeconfig(Socket()), IsStatus(Code::kUnavailable, HasSubstr("answers 502")));
}

TEST_F(KubeconfigTest, ASocketThatAServerLeftBehindGivesWayToTheMachines) {
  const std::string own = folder_ + "/own.sock";
  EXPECT_EQ(ChooseSocket(own, Socket()), Socket());
  ASSERT_OK(http::Listener::Unix(own, 0600));  // closed at once
  std::ofstream(own).put('x');                 // a file without a listener
  EXPECT_EQ(ChooseSocket(own, Socket()), own);
  Answer(201, "kind: Config\n");
  EXPECT_EQ(ChooseSocket(own, Socket()), Socket());
  EXPECT_EQ(ChooseSocket(Socket(), folder_ + "/other.sock"), Socket());
}

TEST_F(KubeconfigTest, TheServerIsNamedByItsSocketAsAUrlOrAPath) {
  Answer(201, "kind: Config\n");
  for (const std::string& server : {Socket(), "unix://" + Socket()}) {
    ::testing::internal::CaptureStdout();
    const int code = RunProgram(std::vector<std::string_view>{"kubeconfig", "--server", server});
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "kind: Config\n") << server;
    EXPECT_EQ(code, 0);
  }
}

TEST_F(KubeconfigTest, AServerThatCannotIdentifyTheCallerIsBadUsage) {
  for (const auto& [words, error] :
       {std::pair<std::vector<std::string_view>, const char*>{{"--server", "https://127.0.0.1:6480"}, "is not a unix socket"},
        {{"--server=/a", "--data=/b"}, "give only one of them"},
        {{"--server="}, "--server needs a value"}}) {
    std::vector<std::string_view> all = {"kubeconfig"};
    all.insert(all.end(), words.begin(), words.end());
    ::testing::internal::CaptureStderr();
    const int code = RunProgram(all);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(error));
    EXPECT_EQ(code, 2);
  }
}

TEST_F(KubeconfigTest, WithoutAServerTheErrorSaysHowToStartOne) {
  EXPECT_THAT(AskForKubeconfig(Socket()), IsStatus(Code::kUnavailable, AllOf(HasSubstr(Socket()), HasSubstr("allot apiserver"))));
}

}  // namespace
}  // namespace allot::cli
