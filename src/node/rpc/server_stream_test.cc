#include <string>
#include <vector>

#include "node/rpc/test_server.h"

namespace allot::node::rpc {
namespace {

using test::Client;
using test::Eventually;
using test::kFail;
using test::kWatch;
using test::Reply;
using test::ServerTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

TEST_F(ServerTest, AStreamSendsWhatItsHolderSends) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  for (const char* const message : {"one", "", "three"}) {
    const size_t before = client.reply(id).messages().size();
    EXPECT_TRUE(stream(0)->Send(message));
    ASSERT_TRUE(client.Until([&] { return client.reply(id).messages().size() > before; }));
  }
  stream(0)->End(Status());
  EXPECT_THAT(client.Await(id).messages(), ElementsAre("one", "", "three"));
  EXPECT_EQ(client.reply(id).code(), 0);
  EXPECT_TRUE(stream(0)->closed());
  EXPECT_FALSE(stream(0)->Send("late"));
}

TEST_F(ServerTest, AStreamEndsAfterItsLastMessage) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  stream(0)->Send("last");
  stream(0)->End(NotFound("no more"));
  EXPECT_THAT(client.Await(id).messages(), ElementsAre("last"));
  EXPECT_EQ(client.reply(id).code(), 5);
  EXPECT_EQ(client.reply(id).text(), "no more");
}

TEST_F(ServerTest, AStreamMayEndWithoutAMessage) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  stream(0)->End(Status());
  EXPECT_EQ(client.Await(id).code(), 0);
  EXPECT_THAT(client.reply(id).body, IsEmpty());
  EXPECT_EQ(client.Do(kWatch, "no").code(), 3);
}

TEST_F(ServerTest, ASlowReaderGetsTheNewestState) {
  Start();
  Client client(path, /*reads=*/false);
  const int32_t id = client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  // The first two fill the reader's 64 KiB.
  const auto state = [](int i) { return std::string(40'000, static_cast<char>('0' + i % 10)) + StrCat("#", i); };
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(stream(0)->Send(state(i)));
  ASSERT_TRUE(client.Do(kFail, "").closed);  // now the server has seen all of them; an error needs no room in the window
  EXPECT_THAT(client.reply(id).messages(), SizeIs(1));

  size_t read = 0;
  ASSERT_TRUE(client.Until([&] {
    const size_t came = client.reply(id).body.size();
    if (came > read) client.Read(id, came - read);
    read = came;
    const auto messages = client.reply(id).messages();
    return !messages.empty() && messages.back() == state(99);
  }));
  EXPECT_THAT(client.reply(id).messages(), SizeIs(Lt(10)));
}

TEST_F(ServerTest, AStreamIsClosedWhenItsReaderIsGone) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  EXPECT_FALSE(stream(0)->closed());
  client.Reset(id);
  EXPECT_TRUE(Eventually([&] { return stream(0)->closed(); }));
  {
    Client gone(path);
    gone.Start(kWatch, "");
    ASSERT_TRUE(watched.Await(2));
  }
  EXPECT_TRUE(Eventually([&] { return !stream(1)->Send("x"); }));
}

TEST_F(ServerTest, AStreamThatNobodyHoldsEndsWithUnavailable) {
  Start();
  Client client(path);
  const int32_t id = client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  DropStreams();
  EXPECT_EQ(client.Await(id).code(), 14);
}

TEST_F(ServerTest, AStreamMayOutliveTheServer) {
  Start();
  Client client(path);
  client.Start(kWatch, "");
  ASSERT_TRUE(watched.Await());
  server.reset();
  EXPECT_TRUE(stream(0)->closed());
  EXPECT_FALSE(stream(0)->Send("x"));
}

TEST_F(ServerTest, ManyStreamsCostNoThreads) {
  Start();
  Client client(path);
  std::vector<int32_t> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(client.Start(kWatch, ""));
  ASSERT_TRUE(watched.Await(50));
  EXPECT_EQ(server->stats().threads, 0U);
  for (size_t i = 0; i < 50; ++i) stream(i)->Send(StrCat(i));
  for (size_t i = 0; i < 50; ++i) stream(i)->End(Status());
  for (size_t i = 0; i < 50; ++i) EXPECT_THAT(client.Await(ids[i]).messages(), ElementsAre(StrCat(i)));
}

}  // namespace
}  // namespace allot::node::rpc
