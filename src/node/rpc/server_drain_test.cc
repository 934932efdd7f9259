#include <filesystem>
#include <thread>

#include "node/rpc/test_server.h"

namespace allot::node::rpc {
namespace {

using test::Client;
using test::In;
using test::kEcho;
using test::kPatience;
using test::kWait;
using test::kWatch;
using test::ServerTest;
using ::testing::ElementsAre;
using namespace std::chrono_literals;

TEST_F(ServerTest, DrainLetsCallsEnd) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWait, "done");
  ASSERT_TRUE(waiting.Await());
  std::thread drain([&] { server->Drain(In(kPatience)); });
  ASSERT_TRUE(client.Until([&] { return client.told_to_go(); }));
  EXPECT_FALSE(std::filesystem::exists(path));
  release.Request();
  EXPECT_THAT(client.Await(id).messages(), ElementsAre("done"));
  EXPECT_TRUE(client.AwaitEnd());
  drain.join();
  EXPECT_EQ(cancelled.count(), 0);
}

TEST_F(ServerTest, DrainClosesIdleConnectionsAndEndsStreams) {
  Start();
  Client idle(path), watching(path);
  ASSERT_EQ(idle.Do(kEcho, "").code(), 0);
  const int32_t id = watching.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  server->Drain(In(kPatience));
  EXPECT_EQ(watching.Await(id).code(), 14);
  EXPECT_TRUE(idle.AwaitEnd());
  EXPECT_TRUE(watching.AwaitEnd());
  EXPECT_TRUE(stream(0)->closed());
  EXPECT_EQ(server->stats().connections, 0U);
}

TEST_F(ServerTest, DrainCutsWhatIsLeftAtTheDeadline) {
  Start();
  Client client(path);
  client.Start(kWait, "");
  ASSERT_TRUE(waiting.Await());
  server->Drain(In(20ms));
  EXPECT_EQ(cancelled.count(), 1);
  EXPECT_TRUE(client.AwaitEnd());
}

TEST_F(ServerTest, DrainDropsCallsThatWaitForAThreadAtTheDeadline) {
  Start({}, {.max_threads = 1});
  Client client(path);
  client.Start(kWait, "");
  client.Start(kWait, "");
  ASSERT_TRUE(waiting.Await());
  server->Drain(In(20ms));
  EXPECT_EQ(waiting.count(), 1);
}

TEST_F(ServerTest, AfterDrainASocketIsClosedAtOnce) {
  Start();
  server->Drain(In(kPatience));
  const std::string other = dir_ / "other.sock";
  ASSERT_OK_AND_ASSIGN(auto listener, http::Listener::Unix(other, 0600));
  server->Serve(std::move(listener), std::make_shared<Services>());
  EXPECT_FALSE(std::filesystem::exists(other));
  server->Drain(In(kPatience));
}

}  // namespace
}  // namespace allot::node::rpc
