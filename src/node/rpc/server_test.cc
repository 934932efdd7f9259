#include "node/rpc/server.h"

#include <chrono>
#include <string>
#include <vector>

#include "node/rpc/test_server.h"

namespace allot::node::rpc {
namespace {

using test::Client;
using test::Eventually;
using test::Framed;
using test::kEcho;
using test::kFail;
using test::kQuick;
using test::kWait;
using test::Reply;
using test::ServerTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST_F(ServerTest, AnswersACall) {
  Start();
  Client client(path);
  for (const char* const method : {kEcho, kQuick}) {
    const Reply& reply = client.Do(method, "hello");
    EXPECT_THAT(reply.messages(), ElementsAre("hello"));
    EXPECT_EQ(reply.code(), 0);
    EXPECT_EQ(reply.header(":status"), "200");
    EXPECT_EQ(reply.header("content-type"), "application/grpc");
  }
}

// Bug: the server kept the socket of every file that was deleted and made again.
TEST_F(ServerTest, SocketThatReplacesAnotherLeavesOnlyItsConnections) {
  auto started = Server::Start({});
  ASSERT_OK(started);
  server = *std::move(started);
  auto services = std::make_shared<Services>();
  services->Add(kEcho, [](const Call&, std::string_view request) -> Result<std::string> { return std::string(request); });
  const auto serve = [&] {
    std::filesystem::remove(path);
    auto listener = http::Listener::Unix(path, 0600);
    ASSERT_OK(listener);
    server->Serve(*std::move(listener), services);
  };
  serve();
  {
    Client first(path);
    EXPECT_THAT(first.Do(kEcho, "1").messages(), ElementsAre("1"));
    for (int i = 0; i < 5; ++i) serve();
    EXPECT_THAT(first.Do(kEcho, "2").messages(), ElementsAre("2"));
    EXPECT_THAT(Client(path).Do(kEcho, "3").messages(), ElementsAre("3"));
  }
  EXPECT_TRUE(Eventually([&] { return server->stats().sockets == 1; }));
}

TEST_F(ServerTest, TakesAndSendsEmptyMessages) {
  Start();
  EXPECT_THAT(Client(path).Do(kEcho, "").messages(), ElementsAre(""));
}

TEST_F(ServerTest, TellsTheCallerWhatWentWrong) {
  Start();
  Client client(path);
  const Reply& reply = client.Do(kFail, "100 % taken");
  EXPECT_EQ(reply.code(), 8);
  EXPECT_EQ(reply.text(), "100 %25 taken");
  EXPECT_EQ(reply.header(":status"), "200");
  EXPECT_THAT(reply.body, IsEmpty());
}

TEST_F(ServerTest, SaysUnimplementedToAMethodThatItLacks) {
  Start();
  Client client(path);
  const Reply& reply = client.Do("/test.Test/Nothing", "hello");
  EXPECT_EQ(reply.code(), 12);
  EXPECT_THAT(reply.text(), HasSubstr("/test.Test/Nothing"));
  EXPECT_EQ(client.Do(kEcho, "").code(), 0);
}

TEST_F(ServerTest, TakesBigMessagesBothWays) {
  Start();
  Client client(path);
  const std::string big(4 << 20, 'x');
  const Reply& reply = client.Do(kEcho, big);
  EXPECT_EQ(reply.code(), 0);
  EXPECT_TRUE(reply.body == Framed(big));
}

TEST_F(ServerTest, TakesTheAuthoritiesThatKubeletSends) {
  Start();
  Client client(path);
  for (const char* const authority : {"localhost", "%2Fvar%2Flib%2Fkubelet%2Fplugins_registry%2Fgpu.allot-reg.sock"}) {
    EXPECT_EQ(client.Do({.path = kEcho, .body = Framed("x"), .authority = authority}).code(), 0) << authority;
  }
}

TEST_F(ServerTest, ShowsTheHandlerTheCallersDeadlineAndUser) {
  Start();
  Client client(path);
  const auto before = test::In(45s);
  const int32_t id = client.Start({.path = kWait, .body = Framed("x"), .headers = {{"grpc-timeout", "45S"}}});
  ASSERT_TRUE(waiting.Await());
  release.Request();
  EXPECT_EQ(client.Await(id).code(), 0);
  ASSERT_TRUE(last_call().patience.deadline);
  EXPECT_GE(*last_call().patience.deadline, before);
  EXPECT_LE(*last_call().patience.deadline, test::In(45s));
  ASSERT_TRUE(last_call().peer);
  EXPECT_EQ(last_call().peer->uid, getuid());
}

TEST_F(ServerTest, AnErrorAfterTheDeadlineIsDeadlineExceeded) {
  Start();
  Client client(path);
  EXPECT_EQ(client.Do({.path = kWait, .body = Framed("x"), .headers = {{"grpc-timeout", "20m"}}}).code(), 4);
}

TEST_F(ServerTest, DoesNotBeginACallWhoseDeadlineIsOver) {
  Start();
  Client client(path);
  EXPECT_EQ(client.Do({.path = kWait, .body = Framed("x"), .headers = {{"grpc-timeout", "0n"}}}).code(), 4);
  EXPECT_EQ(waiting.count(), 0);
}

TEST_F(ServerTest, CancelsTheHandlerWhenTheCallIsReset) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWait, "x");
  ASSERT_TRUE(waiting.Await());
  client.Reset(id);
  EXPECT_TRUE(cancelled.Await());
  EXPECT_EQ(client.Do(kEcho, "").code(), 0);
}

TEST_F(ServerTest, CancelsTheHandlerWhenTheConnectionIsLost) {
  Start();
  {
    Client client(path);
    client.Start(kWait, "x");
    ASSERT_TRUE(waiting.Await());
  }
  EXPECT_TRUE(cancelled.Await());
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
}

TEST_F(ServerTest, ServesConnectionsSideBySide) {
  Start();
  Client first(path), second(path);
  const int32_t waits = first.Start(kWait, "x");
  ASSERT_TRUE(waiting.Await());
  EXPECT_THAT(second.Do(kEcho, "second").messages(), ElementsAre("second"));
  EXPECT_THAT(first.Do(kEcho, "first").messages(), ElementsAre("first"));
  release.Request();
  EXPECT_THAT(first.Await(waits).messages(), ElementsAre("x"));
}

TEST_F(ServerTest, AnswersAThousandCallsInARow) {
  Start();
  Client client(path);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_THAT(client.Do(kEcho, StrCat(i)).messages(), ElementsAre(StrCat(i)));
    // A worker that has just answered may not be idle yet.
    ASSERT_TRUE(Eventually([&] { return server->stats().idle > 0; }));
  }
  EXPECT_EQ(server->stats().calls, 1000U);
  EXPECT_EQ(server->stats().threads, 1U);  // the worker was used again
}

TEST_F(ServerTest, SixtyCallsThatWaitDoNotHoldUpAnother) {
  Start();
  Client client(path);
  std::vector<int32_t> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(client.Start(kWait, StrCat(i)));
  ASSERT_TRUE(waiting.Await(60));
  EXPECT_THAT(client.Do(kEcho, "61").messages(), ElementsAre("61"));
  release.Request();
  for (int i = 0; i < 60; ++i) EXPECT_THAT(client.Await(ids[static_cast<size_t>(i)]).messages(), ElementsAre(StrCat(i)));
}

TEST_F(ServerTest, QuickMethodsAnswerWhileAllWorkersWait) {
  Start({}, {.max_threads = 1});
  Client client(path);
  const int32_t waits = client.Start(kWait, "");
  ASSERT_TRUE(waiting.Await());
  const int32_t queued = client.Start(kEcho, "queued");
  EXPECT_THAT(client.Do(kQuick, "quick").messages(), ElementsAre("quick"));
  EXPECT_FALSE(client.reply(queued).closed);
  release.Request();
  EXPECT_THAT(client.Await(queued).messages(), ElementsAre("queued"));
  EXPECT_EQ(client.Await(waits).code(), 0);
}

TEST_F(ServerTest, ItsWorkersEndAfterABurst) {
  Start({}, {.idle = 20ms});
  Client client(path);
  for (int i = 0; i < 10; ++i) client.Start(kWait, "");
  ASSERT_TRUE(waiting.Await(10));
  EXPECT_EQ(server->stats().threads, 10U);
  release.Request();
  EXPECT_TRUE(Eventually([&] { return server->stats().threads == 0; }));
  EXPECT_THAT(client.Do(kEcho, "again").messages(), ElementsAre("again"));
}

TEST_F(ServerTest, ListensOnTcpToo) {
  Start();
  auto listener = http::Listener::Tcp("127.0.0.1", 0);
  ASSERT_OK(listener);
  const int port = listener->port();
  auto services = std::make_shared<Services>();
  services->AddQuick(kQuick,
                     [](const Call& call, std::string_view) -> Result<std::string> { return std::string(call.peer ? "unix" : "tcp"); });
  server->Serve(*std::move(listener), services);
  Client client(http::Address{.host = "127.0.0.1", .port = port, .unix_path = {}});
  EXPECT_THAT(client.Do(kQuick, "").messages(), ElementsAre("tcp"));
  EXPECT_EQ(client.Do(kEcho, "").code(), 12);
}

}  // namespace
}  // namespace allot::node::rpc
