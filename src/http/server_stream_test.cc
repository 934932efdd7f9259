// Responses that outlive their handlers: streams, slow readers, clients that go away.

#include <sys/resource.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/test_util.h"
#include "http/server.h"
#include "http/test_client.h"

namespace allot::http {
namespace {

using test::Get;
using test::RawClient;
using test::StartServer;

// A handler that starts a stream and leaves it to the test.
struct Watches {
  Handler handler() {
    return [this](const RequestContext&, std::shared_ptr<ResponseWriter> writer) {
      writer->OnGone([this] { gone.Raise(); });
      EXPECT_EQ(writer->Start(200, {{"Content-Type", "application/json"}}), WriteState::kAccepted);
      {
        const std::lock_guard lock(mutex);
        writers.push_back(std::move(writer));
      }
      started.Raise();
    };
  }
  std::shared_ptr<ResponseWriter> Take() {
    const std::lock_guard lock(mutex);
    auto writer = std::move(writers.back());
    writers.pop_back();
    return writer;
  }

  std::mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  test::Signal started, gone;
};

std::shared_ptr<const std::string> Shared(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

TEST(ServerStream, SendsPiecesAsTheyAreWrittenAndThenTheNextResponse) {
  Watches watches;
  const auto server = StartServer(watches.handler());
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(watches.started.Await());
  EXPECT_NE(client.ReadUntil("\r\n\r\n").find("Transfer-Encoding: chunked"), std::string::npos);
  for (int i = 0; i < 2; ++i) {
    const auto writer = watches.Take();
    EXPECT_EQ(writer->Write("event"), WriteState::kAccepted);
    EXPECT_EQ(client.ReadUntil("event\r\n"), "5\r\nevent\r\n");
    EXPECT_EQ(writer->Write(""), WriteState::kAccepted);
    EXPECT_EQ(writer->Write(std::array{Shared("sha"), Shared("red")}), WriteState::kAccepted);
    EXPECT_EQ(client.ReadUntil("shared\r\n"), "6\r\nshared\r\n");
    EXPECT_TRUE(test::Eventually([&] { return writer->queued_bytes() == 0; }));
    writer->End();
    writer->End();
    EXPECT_EQ(writer->Write("late"), WriteState::kGone);
    EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
    if (i == 1) break;
    ASSERT_TRUE(client.Send(Get("/")));
    ASSERT_TRUE(watches.started.Await(2));
    client.ReadUntil("\r\n\r\n");
  }
  EXPECT_EQ(watches.gone.count(), 0);
}

TEST(ServerStream, HoldsSharedBytesWithoutACopyAndLetsGoOfThem) {
  Watches watches;
  const auto server = StartServer(watches.handler());
  RawClient client(server->port(), 4096);
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(watches.started.Await());
  const auto writer = watches.Take();
  ASSERT_TRUE(test::Eventually([&] { return writer->queued_bytes() == 0; }));  // only then it takes more than max_queued
  const auto big = Shared(std::string(16 << 20, 'x'));                         // more than the kernel takes
  ASSERT_EQ(writer->Write({&big, 1}), WriteState::kAccepted);
  EXPECT_GT(big.use_count(), 1);
  EXPECT_GT(writer->queued_bytes(), 0U);
  writer->End();
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body.size(), big->size());
  EXPECT_TRUE(test::Eventually([&] { return big.use_count() == 1 && writer->queued_bytes() == 0; }));
}

TEST(ServerStream, EndsWithTheConnectionForHttp10) {
  const auto server = StartServer([](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
    writer->Start(200, {});
    writer->Write("a");
    writer->Write("b");
    writer->End();
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.Send("GET / HTTP/1.0\r\n\r\n"));
  const std::string all = client.ReadAll();
  EXPECT_EQ(all.find("chunked"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\nab")) << all;
}

TEST(ServerStream, SendsNoPiecesForHead) {
  const auto server = StartServer([](const RequestContext&, const std::shared_ptr<ResponseWriter>& writer) {
    writer->Start(200, {});
    EXPECT_EQ(writer->Write("piece"), WriteState::kAccepted);
    writer->End();
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.Send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  EXPECT_TRUE(client.ReadAll().ends_with("\r\n\r\n"));
}

TEST(ServerStream, CutsASlowReaderAndTellsItsHandlerOnce) {
  Watches watches;
  const auto server = StartServer(watches.handler(), {.max_queued = 1 << 20, .write_timeout = std::chrono::milliseconds(200)});
  RawClient slow(server->port(), 4096);
  ASSERT_TRUE(slow.Send(Get("/")));
  ASSERT_TRUE(watches.started.Await());
  const auto writer = watches.Take();
  const auto event = Shared(std::string(64 << 10, 'x'));
  WriteState state = WriteState::kAccepted;
  size_t accepted = 0;
  for (; state == WriteState::kAccepted; ++accepted) {
    EXPECT_LE(writer->queued_bytes(), (1U << 20) + 100);
    state = writer->Write({&event, 1});
  }
  EXPECT_EQ(state, WriteState::kFull);
  EXPECT_GE(accepted, 16U);
  EXPECT_EQ(writer->Write({&event, 1}), WriteState::kGone);
  EXPECT_TRUE(watches.gone.Await());
  EXPECT_TRUE(test::Eventually([&] { return server->stats().open == 0 && event.use_count() == 1; }));
  EXPECT_EQ(watches.gone.count(), 1);
}

TEST(ServerStream, GivesASlowReaderWhatIsQueuedAndNoEnd) {
  Watches watches;
  const auto server = StartServer(watches.handler(), {.max_queued = 1 << 20});
  RawClient slow(server->port(), 4096);
  ASSERT_TRUE(slow.Send(Get("/")));
  ASSERT_TRUE(watches.started.Await());
  const auto writer = watches.Take();
  const auto event = Shared(std::string(64 << 10, 'x'));
  size_t accepted = 0;
  while (writer->Write({&event, 1}) == WriteState::kAccepted) ++accepted;
  slow.ReadUntil("\r\n\r\n");
  const std::string all = slow.ReadAll();
  EXPECT_EQ(all.size(), accepted * (event->size() + 5 + 2 + 2));
  EXPECT_FALSE(all.ends_with("0\r\n\r\n"));
}

TEST(ServerStream, TellsTheHandlerOfAClientThatLeft) {
  Watches watches;
  const auto server = StartServer(watches.handler());
  for (int i = 0; i < 3; ++i) {
    std::optional<RawClient> client(server->port());
    ASSERT_TRUE(client->Send(Get("/")));
    ASSERT_TRUE(watches.started.Await(i + 1));
    const auto writer = watches.Take();
    if (i == 0) client->Kill();
    if (i == 1) client->CloseWrite();
    client.reset();
    EXPECT_TRUE(watches.gone.Await(i + 1));
    EXPECT_EQ(writer->Write("late"), WriteState::kGone);
    EXPECT_EQ(writer->queued_bytes(), 0U);
  }
  EXPECT_TRUE(test::Eventually([&] { return server->stats().open == 0; }));
  EXPECT_EQ(watches.gone.count(), 3);
}

TEST(ServerStream, TellsAHandlerThatAsksWhenTheClientHasLeft) {
  std::shared_ptr<ResponseWriter> writer;
  test::Signal came, gone;
  const auto server = StartServer([&](const RequestContext&, std::shared_ptr<ResponseWriter> given) {
    writer = std::move(given);
    came.Raise();
  });
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(came.Await());
  client.Kill();
  ASSERT_TRUE(test::Eventually([&] { return server->stats().open == 0; }));
  writer->OnGone([&] { gone.Raise(); });
  EXPECT_TRUE(gone.Await());
  EXPECT_EQ(writer->Start(200, {}), WriteState::kGone);
  EXPECT_EQ(writer->Write("late"), WriteState::kGone);
  writer->End();
}

TEST(ServerStream, CutsAStreamThatIsDropped) {
  Watches watches;
  const auto server = StartServer(watches.handler());
  RawClient client(server->port());
  ASSERT_TRUE(client.Send(Get("/")));
  ASSERT_TRUE(watches.started.Await());
  watches.Take()->Write("half");
  const std::string all = client.ReadAll();
  EXPECT_TRUE(all.ends_with("4\r\nhalf\r\n")) << all;
}

TEST(ServerStream, SurvivesClientsKilledInTheMiddle) {
  Watches watches;
  const auto server = StartServer(watches.handler(), {.max_queued = 64 << 10});
  for (int i = 0; i < 50; ++i) {
    RawClient client(server->port());
    ASSERT_TRUE(client.Send(Get("/") + Get("/more").substr(0, static_cast<size_t>(i % 20))));
    ASSERT_TRUE(watches.started.Await(i + 1));
    const auto writer = watches.Take();
    const auto event = Shared(std::string(10'000, 'x'));
    std::thread writing([&] {
      while (writer->Write({&event, 1}) == WriteState::kAccepted) continue;
    });
    client.ReadUntil("xxx");
    client.Kill();
    writing.join();
  }
  EXPECT_TRUE(watches.gone.Await(50));
  EXPECT_TRUE(test::Eventually([&] { return server->stats().open == 0; }));
}

TEST(ServerStream, TwoThousandStreamsAllGetTenSharedEvents) {
  constexpr int kStreams = 2000;
  constexpr int kEvents = 10;
  rlimit files = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 2 * kStreams + 100) GTEST_SKIP() << "SKIP: needs files: the limit is " << files.rlim_max;

  Watches watches;
  const auto server = StartServer(watches.handler());
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_TRUE(clients.back()->Send(Get("/watch")));
  }
  ASSERT_TRUE(watches.started.Await(kStreams));
  EXPECT_EQ(server->stats().open, static_cast<uint64_t>(kStreams));
  for (int i = 0; i < kEvents; ++i) {
    const auto event = Shared(StrCat("{\"event\":", i, "}\n"));
    for (const auto& writer : watches.writers) ASSERT_EQ(writer->Write({&event, 1}), WriteState::kAccepted);
  }
  for (const auto& writer : watches.writers) writer->End();
  std::string expected;
  for (int i = 0; i < kEvents; ++i) expected += StrCat("{\"event\":", i, "}\n");
  for (const auto& client : clients) {
    const auto answer = client->Read();
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->body, expected);
  }
  EXPECT_EQ(watches.gone.count(), 0);
}

}  // namespace
}  // namespace allot::http
