// What the server does with clients that are wrong, slow, silent or too many.

#include <sys/syscall.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/test_util.h"
#include "http/server.h"
#include "http/test_client.h"
#include "tests/support/requirements.h"

namespace allot::http {
namespace {

using std::chrono::milliseconds;
using test::Get;
using test::RawClient;
using test::StartServer;

void Ok(const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
  writer->Send({.status = 200, .headers = {}, .body = "ok"});
}

void ExpectRefused(Server& server, std::string_view bytes, int status) {
  RawClient client(server.port());
  ASSERT_TRUE(client.Send(bytes));
  const auto answer = client.Read();
  ASSERT_TRUE(answer) << bytes.substr(0, 80);
  EXPECT_EQ(answer->head.status, status) << bytes.substr(0, 80);
  EXPECT_FALSE(answer->head.keep_alive);
  EXPECT_TRUE(client.AtEnd());
}

TEST(ServerLimits, RefusesBytesThatAreNotARequest) {
  const auto server = StartServer(Ok);
  ExpectRefused(*server, std::string_view("\x16\x03\x01\x02\x00\x01", 6), 400);  // TLS
  ExpectRefused(*server, "hello\n", 400);
  ExpectRefused(*server, "GET / HTTP/2.0\r\n\r\n", 400);
  ExpectRefused(*server, "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400);
  ExpectRefused(*server, "GET / HTTP/1.1\r\n\r\n", 400);  // no Host
  ExpectRefused(*server, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400);
  ExpectRefused(*server, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400);
  ExpectRefused(*server, "GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n", 417);
  EXPECT_TRUE(test::Eventually([&] { return server->stats().open == 0; }));
}

TEST(ServerLimits, RefusesBodiesWhoseLengthOthersMayReadDifferently) {
  const auto server = StartServer(Ok);
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n", 501);
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501);
  ExpectRefused(*server, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400);
}

TEST(ServerLimits, RefusesLongHeaders) {
  const auto server = StartServer(Ok, {.max_head = 4096});
  ExpectRefused(*server, Get("/", StrCat("X: ", std::string(5000, 'x'), "\r\n")), 431);
  ExpectRefused(*server, StrCat("GET /", std::string(5000, 'x')), 431);
  RawClient many(server->port());
  // Many short ones, each in a packet of its own.
  ASSERT_TRUE(many.Send("GET / HTTP/1.1\r\n"));
  for (int i = 0; i < 4096 / 8; ++i) many.Send("X: 456\r\n");
  const auto answer = many.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 431);
}

TEST(ServerLimits, RefusesLongBodies) {
  const auto server = StartServer(Ok, {.max_body = 1000});
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n", 413);
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n", 413);
  ExpectRefused(*server,
                StrCat("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n320\r\n", std::string(800, 'x'), "\r\n320\r\n"),
                413);
  RawClient client(server->port());
  const auto answer = client.Ask(StrCat("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", std::string(1000, 'x')));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 200);
}

TEST(ServerLimits, AClientThatStillSendsReadsTheRefusal) {
  const auto server = StartServer(Ok, {.max_body = 1000});
  for (int i = 0; i < 20; ++i) {
    RawClient client(server->port());
    ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n"));
    ASSERT_TRUE(client.Send(std::string(2'000'000, 'x')));
    const auto answer = client.Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->head.status, 413);
  }
}

TEST(ServerLimits, GivesUpOnARequestThatDoesNotArrive) {
  const auto server = StartServer(Ok, {.header_timeout = milliseconds(50), .body_timeout = milliseconds(100)});
  ExpectRefused(*server, "GET / HTTP/1.1\r\nHos", 408);
  ExpectRefused(*server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf", 408);
}

TEST(ServerLimits, ClosesSilentConnections) {
  const auto server = StartServer(Ok, {.header_timeout = milliseconds(50), .idle_timeout = milliseconds(100)});
  RawClient silent(server->port()), idle(server->port());
  const auto answer = idle.Ask(Get("/"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(silent.AtEnd());
  EXPECT_TRUE(idle.AtEnd());
  EXPECT_TRUE(test::Eventually([&] { return server->stats().open == 0; }));
}

TEST(ServerLimits, DropsAClientThatTakesNothing) {
  const auto server = StartServer(
      [](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
        writer->Send({.status = 200, .headers = {}, .body = std::string(32 << 20, 'x')});
      },
      {.write_timeout = milliseconds(100)});
  RawClient client(server->port(), 4096);
  ASSERT_TRUE(client.Send(Get("/")));
  EXPECT_TRUE(test::Eventually([&] { return server->stats().total == 1 && server->stats().open == 0; }));
  EXPECT_EQ(server->stats().served, 0U);
}

TEST(ServerLimits, SaysTryAgainWhenTooManyRequestsWait) {
  test::Signal running, release;
  const auto server = StartServer(
      [&](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
        running.Raise();
        release.Await();
        writer->Send({});
      },
      {.workers = 1, .max_waiting = 1});
  RawClient first(server->port()), second(server->port());
  ASSERT_TRUE(first.Send(Get("/")));
  ASSERT_TRUE(running.Await());
  ASSERT_TRUE(second.Send(Get("/")));
  // Of three, one finds room to wait, in whatever order they are read.
  RawClient third(server->port());
  ASSERT_TRUE(third.Send(Get("/")));
  RawClient fourth(server->port());
  ASSERT_TRUE(fourth.Send(Get("/")));
  ASSERT_TRUE(test::Eventually([&] { return server->stats().served >= 2; }));
  release.Raise();
  int busy = 0;
  for (RawClient* client : {&second, &third, &fourth}) {
    const auto answer = client->Read();
    ASSERT_TRUE(answer);
    if (answer->head.status != 503) continue;
    ++busy;
    EXPECT_EQ(answer->head.headers.Get("Retry-After"), "1");
    EXPECT_TRUE(answer->head.keep_alive);
  }
  EXPECT_EQ(busy, 2);
}

TEST(ServerLimits, RefusesConnectionsBeyondTheLimitAndCountsThem) {
  const auto server = StartServer(Ok, {.max_connections = 2});
  RawClient first(server->port());
  auto second = std::make_optional<RawClient>(server->port());
  ASSERT_TRUE(first.Ask(Get("/")));
  ASSERT_TRUE(second->Ask(Get("/")));
  RawClient third(server->port());
  EXPECT_TRUE(third.AtEnd());
  EXPECT_EQ(server->stats().refused, 1U);
  second.reset();
  ASSERT_TRUE(test::Eventually([&] { return server->stats().open == 1; }));
  RawClient fourth(server->port());
  EXPECT_TRUE(fourth.Ask(Get("/")));
}

// Runs it as another user: a thread can be one for itself.
void AsNobody(const std::function<void()>& run) {
  std::thread([&] {
    constexpr unsigned kNobody = 65534;
    ASSERT_EQ(::syscall(SYS_setresuid, kNobody, kNobody, kNobody), 0);
    run();
  }).join();
}

TEST(ServerLimits, AUserCannotTakeOtherUsersConnections) {
  ALLOT_NEEDS(kRoot);
  const std::string path = StrCat("/tmp/allot-server-limits-test-", getpid(), ".sock");
  ASSERT_OK_AND_ASSIGN(Listener listener, Listener::Unix(path, 0666));
  ASSERT_OK_AND_ASSIGN(const auto server, Server::Start(std::move(listener), {.max_of_user = 2}, Ok));
  std::optional<RawClient> first, second, third, again;
  AsNobody([&] {
    EXPECT_TRUE(first.emplace(path).Ask(Get("/")));
    EXPECT_TRUE(second.emplace(path).Ask(Get("/")));
    EXPECT_TRUE(third.emplace(path).AtEnd());
  });
  EXPECT_EQ(server->stats().refused, 1U);
  std::vector<std::unique_ptr<RawClient>> own;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(own.emplace_back(std::make_unique<RawClient>(path))->Ask(Get("/")));
  second.reset();
  ASSERT_TRUE(test::Eventually([&] { return server->stats().open == 4; }));
  AsNobody([&] { EXPECT_TRUE(again.emplace(path).Ask(Get("/"))); });
}

}  // namespace
}  // namespace allot::http
