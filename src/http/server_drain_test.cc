// How the server ends.

#include <sys/socket.h>

#include <optional>
#include <string>
#include <thread>

#include "base/test_util.h"
#include "http/server.h"
#include "http/test_client.h"

namespace allot::http {
namespace {

using test::Get;
using test::RawClient;
using test::StartServer;

MonotonicTime In(std::chrono::milliseconds time) { return SystemClock().MonotonicNow() + time; }
MonotonicTime Late() { return In(test::kPatience); }

void Ok(const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
  writer->Send({.status = 200, .headers = {}, .body = "ok"});
}

TEST(ServerDrain, ClosesIdleConnectionsAndStopsListening) {
  const auto server = StartServer(Ok);
  RawClient idle(server->port()), fresh(server->port());
  ASSERT_TRUE(idle.Ask(Get("/")));
  ASSERT_TRUE(test::Eventually([&] { return server->stats().total == 2; }));
  server->Drain(Late());
  EXPECT_TRUE(idle.AtEnd());
  EXPECT_TRUE(fresh.AtEnd());
  EXPECT_EQ(server->stats().open, 0U);
  EXPECT_OK(Listener::Tcp("127.0.0.1", server->port()));  // no holder is left
  server->Drain(Late());
}

TEST(ServerDrain, LetsARunningRequestEndAndClosesItsConnection) {
  test::Signal came, release;
  const auto server = StartServer([&](const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
    came.Raise();
    release.Await();
    Ok(context, writer);
  });
  RawClient client(server->port()), idle(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(came.Await());
  std::thread draining([&] { server->Drain(Late()); });
  EXPECT_TRUE(idle.AtEnd());  // so the drain has begun
  release.Raise();
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "ok");
  EXPECT_EQ(answer->head.headers.Get("Connection"), "close");
  EXPECT_TRUE(client.AtEnd());
  draining.join();
  EXPECT_EQ(server->stats().served, 1U);
}

TEST(ServerDrain, LetsARequestThatHasBegunArrive) {
  const auto server = StartServer(Ok);
  RawClient client(server->port()), idle(server->port());
  ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  client.ReadUntil("\r\n\r\n");
  std::thread draining([&] { server->Drain(Late()); });
  EXPECT_TRUE(idle.AtEnd());
  const auto answer = client.Ask("body");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->head.keep_alive);
  draining.join();
}

TEST(ServerDrain, TellsStreamsWhichThenEndCleanly) {
  test::Signal started, gone;
  const auto server = StartServer([&](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
    writer->Start(200, {});
    writer->OnGone([&] { gone.Raise(); });
    writer->OnDrain([writer] {
      writer->Write("bye");
      writer->End();
    });
    started.Raise();
  });
  RawClient first(server->port()), second(server->port());
  ASSERT_TRUE(first.Send(Get("/")));
  ASSERT_TRUE(second.Send(Get("/")));
  ASSERT_TRUE(started.Await(2));
  server->Drain(Late());
  for (RawClient* client : {&first, &second}) {
    const auto answer = client->Read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "bye");
    EXPECT_TRUE(client->AtEnd());
  }
  EXPECT_EQ(gone.count(), 0);
}

TEST(ServerDrain, CutsAtTheDeadlineWhatDoesNotEnd) {
  test::Signal started, gone;
  std::shared_ptr<ResponseWriter> kept;
  const auto server = StartServer([&](const RequestContext&, std::shared_ptr<ResponseWriter> writer) {
    writer->Start(200, {});
    writer->OnGone([&] { gone.Raise(); });
    kept = std::move(writer);
    started.Raise();
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(started.Await());
  server->Drain(In(std::chrono::milliseconds(50)));
  EXPECT_EQ(gone.count(), 1);
  EXPECT_EQ(kept->Write("late"), WriteState::kGone);
  EXPECT_FALSE(client.ReadAll().ends_with("0\r\n\r\n"));
}

TEST(ServerDrain, ASecondCallBringsTheDeadlineForward) {
  test::Signal started;
  std::shared_ptr<ResponseWriter> kept;
  const auto server = StartServer([&](const RequestContext&, std::shared_ptr<ResponseWriter> writer) {
    writer->Start(200, {});
    kept = std::move(writer);
    started.Raise();
  });
  RawClient client(server->port()), idle(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(started.Await());
  std::thread draining([&] { server->Drain(MonotonicTime::max()); });
  EXPECT_TRUE(idle.AtEnd());
  server->Drain(In(std::chrono::milliseconds(0)));
  draining.join();
  EXPECT_EQ(server->stats().open, 0U);
}

TEST(ServerDrain, TheDestructorCutsAndWritersOutliveIt) {
  test::Signal started, gone, gone_after;
  std::shared_ptr<ResponseWriter> kept, silent;
  auto server = StartServer([&](const RequestContext& context, std::shared_ptr<ResponseWriter> writer) {
    if (context.request.target == "/silent") {
      silent = std::move(writer);
    } else {
      writer->OnGone([&] { gone.Raise(); });
      writer->Start(200, {});
      kept = std::move(writer);
    }
    started.Raise();
  });
  RawClient client(server->port()), other(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(other.Send(Get("/silent")));
  ASSERT_TRUE(started.Await(2));
  server.reset();
  EXPECT_EQ(gone.count(), 1);
  EXPECT_TRUE(other.AtEnd());
  EXPECT_EQ(kept->Write("late"), WriteState::kGone);
  kept->End();
  silent->OnGone([&] { gone_after.Raise(); });
  EXPECT_EQ(gone_after.count(), 1);
  EXPECT_EQ(silent->Send({}), WriteState::kGone);
}

TEST(ServerDrain, TheDestructorDropsRequestsThatWaitForAWorker) {
  test::Signal came, release;
  auto server = StartServer(
      [&](const RequestContext& context, const std::shared_ptr<ResponseWriter>& writer) {
        came.Raise();
        release.Await();
        Ok(context, writer);
      },
      {.workers = 1});
  RawClient running(server->port()), waiting(server->port());
  ASSERT_TRUE(running.Send(Get("/")));
  ASSERT_TRUE(came.Await());
  ASSERT_TRUE(waiting.Send(Get("/")));
  std::thread ending([&] { server.reset(); });
  EXPECT_TRUE(waiting.AtEnd());
  EXPECT_TRUE(running.AtEnd());
  release.Raise();
  ending.join();
  EXPECT_EQ(came.count(), 1);
}

}  // namespace
}  // namespace allot::http
