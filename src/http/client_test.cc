#include "http/client.h"

#include <chrono>
#include <thread>

#include "base/test_util.h"
#include "http/scripted_server.h"

namespace allot::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

Patience Within(milliseconds time) { return {std::chrono::steady_clock::now() + time, nullptr}; }

TEST(HttpClient, KeepsAConnectionForTheNextCall) {
  ScriptedServer server({[](Peer& peer) {
    for (int i = 0; i < 3; ++i) peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  }});
  Client client(server.Options());
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Within(seconds(5))));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "ok");
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, SendsMethodTargetHeadersAndBody) {
  std::string seen;
  {
    ScriptedServer server({[&](Peer& peer) {
      seen = peer.ReadUntil("{}");
      peer.Send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
    }});
    Client client(server.Options());
    ASSERT_OK_AND_ASSIGN(const Response response, client.Send({"POST", "/a?b=c", {{"X-One", "1"}}, "{}"}, Within(seconds(5))));
    EXPECT_EQ(response.status, 201);
  }
  EXPECT_THAT(seen, HasSubstr("POST /a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(seen, HasSubstr("X-One: 1\r\n"));
  EXPECT_THAT(seen, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(seen, HasSubstr("Host: 127.0.0.1\r\n"));
}

TEST(HttpClient, ReadsAChunkedBodyHoweverItIsCut) {
  ScriptedServer server({[](Peer& peer) {
    peer.ReadUntil("\r\n\r\n");
    for (const char c : std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n")) {
      peer.Send(std::string(1, c));
    }
  }});
  Client client(server.Options());
  ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Within(seconds(5))));
  EXPECT_EQ(response.body, "hello world");
}

TEST(HttpClient, AHeadResponseHasNoBodyAndAnInterimResponseIsSkipped) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    peer.Answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
  }});
  Client client(server.Options());
  ASSERT_OK_AND_ASSIGN(const Response head, client.Send({"HEAD", "/", {}, ""}, Within(seconds(5))));
  EXPECT_EQ(head.body, "");
  ASSERT_OK_AND_ASSIGN(const Response interim, client.Send({}, Within(seconds(5))));
  EXPECT_EQ(interim.status, 204);
}

TEST(HttpClient, AKeptConnectionThatTheServerClosedIsReplacedForGet) {
  ScriptedServer server({[](Peer& peer) {
                           peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1");
                           peer.ReadUntil("\r\n\r\n");  // closes without an answer
                         },
                         [](Peer& peer) { peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"); }});
  Client client(server.Options());
  ASSERT_OK(client.Send({}, Within(seconds(5))));
  ASSERT_OK_AND_ASSIGN(const Response second, client.Send({}, Within(seconds(5))));
  EXPECT_EQ(second.body, "2");
}

TEST(HttpClient, APostThatMayHaveBeenHeardIsNotSentTwice) {
  ScriptedServer server({[](Peer& peer) {
                           peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1");
                           peer.ReadUntil("\r\n\r\n");
                         },
                         [](Peer& peer) { peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"); }});
  Client client(server.Options());
  ASSERT_OK(client.Send({}, Within(seconds(5))));
  EXPECT_THAT(client.Send({"POST", "/", {}, "x"}, Within(seconds(5))), IsStatus(Code::kUnavailable, HasSubstr("127.0.0.1:")));
}

TEST(HttpClient, AConnectionWithHalfARequestIsNotUsedAgain) {
  std::atomic<bool> done{false};
  ScriptedServer server({[&](Peer& peer) {
                           peer.Answer("HTTP/1.1 413 X\r\nContent-Length: 0\r\n\r\n");
                           while (!done) std::this_thread::yield();  // reads no more
                         },
                         [](Peer& peer) { peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"); }});
  Client client(server.Options());
  static_cast<void>(client.Send({"PUT", "/", {}, std::string(64 << 20, 'x')}, Within(milliseconds(300))));
  done = true;
  ASSERT_OK_AND_ASSIGN(const Response response, client.Send({}, Within(seconds(5))));
  EXPECT_EQ(response.body, "2");
}

TEST(HttpClient, InterimAnswersWithoutEndAreRefused) {
  ScriptedServer server({[](Peer& peer) {
    peer.ReadUntil("\r\n\r\n");
    for (int i = 0; i < 1000; ++i) peer.Send("HTTP/1.1 100 Continue\r\n\r\n");
  }});
  EXPECT_THAT(Client(server.Options()).Send({}, Within(seconds(5))), IsStatus(Code::kInvalid, HasSubstr("interim")));
}

TEST(HttpClient, AServerThatAnswersAndThenFallsSilentMeetsTheDeadline) {
  std::atomic<bool> done{false};
  ScriptedServer server({[&](Peer& peer) {
    peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    while (!done) std::this_thread::yield();
  }});
  Client client(server.Options());
  EXPECT_THAT(client.Send({}, Within(milliseconds(100))), IsStatus(Code::kUnavailable, HasSubstr("no answer in time")));
  done = true;
}

TEST(HttpClient, AnotherThreadCanCancelACallThatWaits) {
  Cancel cancel;
  ScriptedServer server({[&](Peer& peer) {
    peer.ReadUntil("\r\n\r\n");
    cancel.Request();
    peer.ReadUntil("\r\n\r\n");
  }});
  Client client(server.Options());
  EXPECT_THAT(client.Send({}, {std::nullopt, &cancel}), IsStatus(Code::kUnavailable, HasSubstr("cancelled")));
}

TEST(HttpClient, AStreamGivesItsBytesAsTheyCome) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n");
    peer.ReadUntil("more");  // never comes: ends with the client
  }});
  Client client(server.Options());
  ASSERT_OK_AND_ASSIGN(const auto stream, client.Open({}, Within(seconds(5))));
  EXPECT_THAT(stream->Read(Within(seconds(5))), IsOkAndHolds("one\n"));
  EXPECT_THAT(stream->Read(Within(milliseconds(50))), IsStatus(Code::kUnavailable));
}

TEST(HttpClient, AnAnswerBeyondTheLimitsIsRefused) {
  ScriptedServer server({[](Peer& peer) { peer.Answer("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"); },
                         [](Peer& peer) { peer.Answer(StrCat("HTTP/1.1 200 OK\r\nX: ", std::string(100'000, 'x'), "\r\n\r\n")); },
                         [](Peer& peer) { peer.Answer("SSH-2.0-OpenSSH_9.2\r\n"); }});
  ClientOptions options = server.Options();
  options.max_body = 999;
  Client client(options);
  EXPECT_THAT(client.Send({}, Within(seconds(5))), IsStatus(Code::kExhausted, HasSubstr("longer than 999 bytes")));
  EXPECT_THAT(client.Send({}, Within(seconds(5))), IsStatus(Code::kExhausted, HasSubstr("headers")));
  EXPECT_THAT(client.Send({}, Within(seconds(5))), IsStatus(Code::kInvalid, HasSubstr("not HTTP")));
}

TEST(HttpClient, WhatWouldBreakTheFramingIsNotSent) {
  ScriptedServer server({});
  Client client(server.Options());
  EXPECT_THAT(client.Send({"GET", "/a b", {}, ""}, {}), IsStatus(Code::kInvalid, HasSubstr("target")));
  EXPECT_THAT(client.Send({"GET", "/", {{"Authorization", "x\r\nEvil: 1"}}, ""}, {}),
              IsStatus(Code::kInvalid, AllOf(HasSubstr("Authorization"), Not(HasSubstr("Evil")))));
}

TEST(HttpClient, AnUnreachableServerIsNamedByItsAddress) {
  ClientOptions options;
  options.address = {.host = "127.0.0.1", .port = 1, .unix_path = ""};
  EXPECT_THAT(Client(options).Send({}, Within(seconds(5))), IsStatus(Code::kUnavailable, HasSubstr("127.0.0.1:1: Connection refused")));
  options.address = {.host = "", .port = 0, .unix_path = "/does/not/exist.sock"};
  EXPECT_THAT(Client(options).Send({}, Within(seconds(5))), IsStatus(Code::kUnavailable, HasSubstr("unix:/does/not/exist.sock")));
}

}  // namespace
}  // namespace allot::http
