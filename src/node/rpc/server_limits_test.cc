// Peers that are hostile or broken.

#include <string>
#include <vector>

#include "node/rpc/test_server.h"

namespace allot::node::rpc {
namespace {

using http::test::RawClient;
using test::Client;
using test::Eventually;
using test::Framed;
using test::kEcho;
using test::kWait;
using test::Reply;
using test::ServerTest;
using ::testing::HasSubstr;

TEST_F(ServerTest, RefusesAMessageBeyondTheLimitBeforeItComes) {
  Start({.limits = {.max_message = 1000}});
  Client client(path);
  EXPECT_EQ(client.Do(kEcho, std::string(1000, 'x')).code(), 0);
  EXPECT_EQ(client.Do(kEcho, std::string(1001, 'x')).code(), 8);
  // The server answers before the client has sent all of it.
  const Reply& reply = client.Do({.path = kEcho, .body = FramePrefix(1 << 30), .end = false});
  EXPECT_EQ(reply.code(), 8);
  EXPECT_TRUE(reply.closed);
  EXPECT_EQ(client.Do(kEcho, "").code(), 0);
}

TEST_F(ServerTest, RefusesMoreRequestBytesThanAConnectionMayHold) {
  Start({.limits = {.max_message = 1000, .max_requests = 1500}});
  Client client(path);
  const int32_t first = client.Start(kWait, std::string(1000, 'x'));
  ASSERT_TRUE(waiting.Await());
  EXPECT_EQ(client.Do(kEcho, std::string(1000, 'x')).code(), 8);
  EXPECT_EQ(client.Do(kEcho, std::string(400, 'x')).code(), 0);
  release.Request();
  EXPECT_EQ(client.Await(first).code(), 0);
  EXPECT_EQ(client.Do(kEcho, std::string(1000, 'x')).code(), 0);
}

TEST_F(ServerTest, RefusesFramesThatAreNone) {
  Start();
  Client client(path);
  const Reply& compressed = client.Do({.path = kEcho, .body = std::string("\1\0\0\0\1x", 6)});
  EXPECT_EQ(compressed.code(), 12);
  EXPECT_EQ(compressed.header("grpc-accept-encoding"), "identity");
  EXPECT_EQ(client.Do({.path = kEcho, .body = "\x7fxxxxx"}).code(), 13);
  EXPECT_EQ(client.Do({.path = kEcho, .body = Framed("one") + Framed("two")}).code(), 13);
  EXPECT_EQ(client.Do({.path = kEcho, .body = Framed("cut").substr(0, 6)}).code(), 13);
  EXPECT_EQ(client.Do({.path = kEcho, .body = ""}).code(), 13);
}

TEST_F(ServerTest, RefusesRequestsThatAreNoCalls) {
  Start();
  Client client(path);
  EXPECT_EQ(client.Do({.path = kEcho, .body = Framed(""), .method = "GET"}).header(":status"), "405");
  EXPECT_EQ(client.Do({.path = kEcho, .body = Framed(""), .content_type = "application/json"}).header(":status"), "415");
  EXPECT_EQ(client.Do({.path = kEcho, .body = Framed(""), .content_type = "application/grpc+proto"}).code(), 0);
  const Reply& timeout = client.Do({.path = kEcho, .body = Framed(""), .headers = {{"grpc-timeout", "soon"}}});
  EXPECT_EQ(timeout.code(), 13);
  EXPECT_THAT(timeout.text(), HasSubstr("grpc-timeout \"soon\""));
}

TEST_F(ServerTest, ResetsACallWithTooManyHeaders) {
  Start();
  Client client(path);
  const Reply& reply = client.Do({.path = kEcho, .body = Framed(""), .headers = {{"x-long", std::string(20'000, 'x')}}});
  EXPECT_TRUE(reply.closed);
  EXPECT_NE(reply.error, 0U);
  EXPECT_EQ(client.Do(kEcho, "").code(), 0);
}

TEST_F(ServerTest, ClosesAConnectionThatIsNoHttp2) {
  Start();
  for (const std::string& bytes : {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), std::string(100, '\0'),
                                   std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + std::string(64, '\xff')}) {
    RawClient raw(path);
    raw.Send(bytes);
    raw.ReadUntil("nothing like this");  // to the end
    EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; })) << bytes;
  }
  EXPECT_EQ(Client(path).Do(kEcho, "").code(), 0);
}

TEST_F(ServerTest, CutsAPeerThatOpensCallsOnlyToResetThem) {
  Start({.limits = {.resets = 50, .resets_per_second = 1}});
  Client client(path);
  for (int i = 0; i < 200; ++i) client.Reset(client.Start({.path = kEcho, .body = "", .end = false}));
  EXPECT_TRUE(client.AwaitEnd());
  EXPECT_TRUE(client.told_to_go());
}

TEST_F(ServerTest, NeverHasMoreCallsOfAConnectionThanAllowed) {
  Start({.limits = {.max_streams = 2}}, {.max_threads = 8});
  Client client(path);
  ASSERT_EQ(client.Do(kEcho, "").code(), 0);  // now the client knows the limit and keeps it
  std::vector<int32_t> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(client.Start(kWait, ""));
  ASSERT_TRUE(waiting.Await(2));
  EXPECT_EQ(server->stats().calls, 3U);
  release.Request();
  for (const int32_t id : ids) EXPECT_EQ(client.Await(id).code(), 0);
}

TEST_F(ServerTest, RefusesACallWhenTooManyWaitForAThread) {
  Start({}, {.max_threads = 1, .max_waiting = 1});
  Client client(path);
  const int32_t runs = client.Start(kWait, "");
  ASSERT_TRUE(waiting.Await());
  const int32_t waits = client.Start(kEcho, "");
  EXPECT_EQ(client.Do(kEcho, "").code(), 8);
  release.Request();
  EXPECT_EQ(client.Await(runs).code(), 0);
  EXPECT_EQ(client.Await(waits).code(), 0);
}

TEST_F(ServerTest, TheConnectionIdleForTheLongestMakesRoomForANewOne) {
  Start({.max_connections = 2});
  Client busy(path);
  const int32_t waits = busy.Start(kWait, "");
  ASSERT_TRUE(waiting.Await());
  Client idle(path);
  EXPECT_EQ(idle.Do(kEcho, "").code(), 0);
  Client third(path);
  EXPECT_EQ(third.Do(kEcho, "").code(), 0);
  EXPECT_TRUE(idle.AwaitEnd());
  const int32_t also = third.Start(kWait, "");
  ASSERT_TRUE(waiting.Await(2));
  Client refused(path);
  EXPECT_TRUE(refused.AwaitEnd());
  release.Request();
  EXPECT_EQ(busy.Await(waits).code(), 0);
  EXPECT_EQ(third.Await(also).code(), 0);
}

TEST_F(ServerTest, ForgetsACallOfAPeerThatIsGoneBeforeAWorkerWasFree) {
  Start({}, {.max_threads = 1});
  Client client(path);
  const int32_t runs = client.Start(kWait, "");
  ASSERT_TRUE(waiting.Await());
  {
    Client gone(path);
    gone.Start(kWait, "");
    ASSERT_TRUE(Eventually([&] { return server->stats().calls == 2; }));
  }
  ASSERT_TRUE(Eventually([&] { return server->stats().connections == 1; }));
  release.Request();
  EXPECT_EQ(client.Await(runs).code(), 0);
  EXPECT_EQ(client.Do(kEcho, "").code(), 0);
  EXPECT_EQ(waiting.count(), 1);
}

}  // namespace
}  // namespace allot::node::rpc
