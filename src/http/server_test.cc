#include "http/server.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/test_util.h"
#include "http/server_exchange.h"
#include "http/test_client.h"

namespace allot::http {
namespace {

using test::Get;
using test::RawClient;
using test::StartServer;
using ::testing::HasSubstr;
using ::testing::Not;

// Says what the request was: "GET /path [body]".
void Echo(const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
  const Request& request = context.request;
  writer->Send({.status = 200, .headers = {}, .body = StrCat(request.method, " ", request.target, " [", request.body, "]")});
}

TEST(Server, AnswersRequestsOnOneConnection) {
  const auto server = StartServer(Echo);
  RawClient client(server->port());
  for (const std::string target : {"/first", "/second?x=1"}) {
    const auto answer = client.Ask(Get(target));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->head.status, 200);
    EXPECT_EQ(answer->body, StrCat("GET ", target, " []"));
    EXPECT_TRUE(answer->head.keep_alive);
    EXPECT_THAT(std::string(answer->head.headers.Get("Date")), HasSubstr(" GMT"));
  }
  EXPECT_EQ(server->stats().total, 1U);
  EXPECT_EQ(server->stats().open, 1U);
  EXPECT_TRUE(test::Eventually([&] { return server->stats().served == 2; }));
}

TEST(Server, TakesARequestByteByByte) {
  const auto server = StartServer(Echo);
  RawClient client(server->port());
  for (const char byte : std::string("POST /slow HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc")) {
    ASSERT_TRUE(client.Send(std::string_view(&byte, 1)));
  }
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST /slow [abc]");
}

TEST(Server, HandlesTheNextRequestOfAPacketWhenTheFormerIsAnswered) {
  std::shared_ptr<ResponseWriter> first;
  test::Signal came, second_came;
  const auto server = StartServer([&](const RequestContext& context, std::shared_ptr<ResponseWriter> writer) {
    if (context.request.target == "/first") {
      first = std::move(writer);
      return came.Raise();
    }
    second_came.Raise();
    Echo(context, writer);
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/first") + Get("/second") + Get("/third")));
  ASSERT_TRUE(came.Await());
  EXPECT_EQ(second_came.count(), 0);
  first->Send({.status = 201, .headers = {}, .body = "one"});
  const auto one = client.Read(), two = client.Read(), three = client.Read();
  ASSERT_TRUE(one && two && three);
  EXPECT_EQ(one->head.status, 201);
  EXPECT_EQ(two->body, "GET /second []");
  EXPECT_EQ(three->body, "GET /third []");
}

TEST(Server, ReadsAChunkedBodyAndDropsItsTrailers) {
  test::Signal clean;
  const auto server = StartServer([&](const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
    if (!context.request.headers.Has("X-User")) clean.Raise();
    Echo(context, writer);
  });
  RawClient client(server->port());
  const auto answer = client.Ask(
      "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-User: root\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "POST / [hello world]");
  EXPECT_TRUE(clean.Await());
}

TEST(Server, TellsAClientThatAsksToContinue) {
  const auto server = StartServer(Echo);
  RawClient client(server->port());
  ASSERT_TRUE(client.Send("PUT / HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  const auto answer = client.Ask("ok");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "PUT / [ok]");
}

TEST(Server, AnswersHeadWithTheLengthAndNoBody) {
  const auto server = StartServer(Echo);
  RawClient client(server->port());
  ASSERT_TRUE(client.Send("HEAD /a HTTP/1.1\r\nHost: test\r\n\r\n" + Get("/next")));
  const auto head = client.Read(true), next = client.Read();
  ASSERT_TRUE(head && next);
  EXPECT_EQ(head->head.headers.Get("Content-Length"), "10");
  EXPECT_EQ(next->body, "GET /next []");
}

TEST(Server, SendsNoBodyWithNoContent) {
  const auto server = StartServer([](const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
    if (context.request.target == "/next") return Echo(context, writer);
    writer->Send({.status = 204, .headers = {}, .body = "not for the wire"});
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/") + Get("/next")));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), Not(HasSubstr("Content-Length")));
  const auto next = client.Read();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "GET /next []");
}

TEST(Server, ClosesAfterTheResponseWhereTheClientAsks) {
  const auto server = StartServer(Echo);
  for (const std::string& request : {std::string("GET / HTTP/1.0\r\n\r\n"), std::string("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
                                     Get("/", "Connection: close\r\n")}) {
    RawClient client(server->port());
    const auto answer = client.Ask(request);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "GET / []");
    EXPECT_EQ(answer->head.headers.Get("Connection"), "close");
    EXPECT_TRUE(client.AtEnd());
  }
}

TEST(Server, ClosesWhereTheHandlerAsks) {
  const auto server = StartServer([](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
    writer->Send({.status = 403, .headers = {{"Connection", "close"}}, .body = ""});
  });
  RawClient client(server->port());
  const auto answer = client.Ask(Get("/"));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->head.keep_alive);
  EXPECT_TRUE(client.AtEnd());
}

TEST(Server, AnswersAClientThatClosedItsSendingSide) {
  const auto server = StartServer(Echo);
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/one") + Get("/two")));
  client.CloseWrite();
  const auto one = client.Read(), two = client.Read();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(two->body, "GET /two []");
  EXPECT_TRUE(client.AtEnd());
}

TEST(Server, AnswersForAHandlerThatDoesNot) {
  const auto server = StartServer([](const RequestContext&, const std::shared_ptr<ResponseWriter>&) {});
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask(Get("/"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->head.status, 500);
  }
}

TEST(Server, DoesNotSendAHeaderWithALineBreak) {
  const auto server = StartServer([](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
    writer->Send({.status = 200, .headers = {{"X-A", "a\r\nSet-Cookie: b"}}, .body = ""});
  });
  RawClient client(server->port());
  const auto answer = client.Ask(Get("/"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 500);
  EXPECT_FALSE(answer->head.headers.Has("Set-Cookie"));
}

TEST(Server, SendsALongResponseWhole) {
  std::string body(20 << 20, 'x');
  for (size_t i = 0; i < body.size(); i += 4096) body[i] = static_cast<char>('a' + i / 4096 % 26);
  const auto server = StartServer([&](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
    EXPECT_EQ(writer->Send({.status = 200, .headers = {}, .body = body}), WriteState::kAccepted);
  });
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.Ask(Get("/"));
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->body == body);
  }
}

TEST(Server, KnowsThePeerOfAUnixSocket) {
  const std::string path = StrCat(std::filesystem::temp_directory_path().string(), "/allot-server-test-", getpid(), ".sock");
  ASSERT_OK_AND_ASSIGN(Listener listener, Listener::Unix(path, 0600));
  const auto handler = [](const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
    const auto who = context.credentials.value_or(PeerCredentials{.uid = 0, .gid = 0, .pid = -1});
    writer->Send({.status = 200, .headers = {}, .body = StrCat(context.peer, " ", who.uid, " ", who.gid, " ", who.pid)});
  };
  ASSERT_OK_AND_ASSIGN(const auto server, Server::Start(std::move(listener), {}, handler));
  EXPECT_EQ(server->port(), 0);
  RawClient client(path);
  const auto answer = client.Ask(Get("/"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, StrCat("unix ", getuid(), " ", getgid(), " ", getpid()));
}

TEST(HttpDate, IsWrittenAsTheStandardSays) {
  EXPECT_EQ(HttpDate(WallTime(std::chrono::seconds(784111777))), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace allot::http
