#include "kube/informer.h"

#include <condition_variable>
#include <deque>

#include "base/test_util.h"
#include "http/scripted_server.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using http::Peer;
using http::ScriptedServer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// "ADDED a/1": what is heard, to be waited for.
class Diary final : public Informer::Handler {
 public:
  void OnAdded(const ObjectPtr& object) override { Write("added", *object); }
  void OnUpdated(const ObjectPtr&, const ObjectPtr& after) override { Write("updated", *after); }
  void OnDeleted(const ObjectPtr& last) override { Write("deleted", *last); }

  std::vector<std::string> Await(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(10), [&] { return lines_.size() >= count; });
    return lines_;
  }

 private:
  void Write(std::string_view what, const Object& object) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(StrCat(what, " ", object.name(), " ", object.uid(), " ", object.resource_version()));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

std::string Item(std::string_view name, std::string_view uid, int version) {
  return StrCat(R"({"metadata":{"name":")", name, R"(","uid":")", uid, R"(","resourceVersion":")", version, R"("}})");
}

std::string Event(std::string_view type, std::string_view item) { return StrCat(R"({"type":")", type, R"(","object":)", item, "}\n"); }

// Answers a list.
auto List(int version, std::vector<std::string> items) {
  return [=](Peer& peer) {
    std::string body = StrCat(R"({"metadata":{"resourceVersion":")", version, R"("},"items":[)");
    for (size_t i = 0; i < items.size(); ++i) body += StrCat(i > 0 ? "," : "", items[i]);
    body += "]}";
    const std::string request =
        peer.Answer(StrCat("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
    EXPECT_THAT(request, testing::Not(HasSubstr("watch=1")));
  };
}

// Answers a watch that must start at `version`; it ends in good order, or in the middle.
auto Watching(int version, std::vector<std::string> events, bool break_off = false) {
  return [=](Peer& peer) {
    const std::string request = peer.Answer("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
    EXPECT_THAT(request, HasSubstr("watch=1"));
    EXPECT_THAT(request, HasSubstr(StrCat("resourceVersion=", version, "&")));
    for (const std::string& event : events) peer.Send(http::WriteChunk(event));
    if (!break_off) peer.Send(http::kLastChunk);
  };
}

// Holds a watch open until the client goes.
void Hold(Peer& peer) {
  peer.Answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  peer.ReadUntil("never");
}

struct World {
  explicit World(std::vector<std::function<void(Peer&)>> script) : server(std::move(script)), random(1) {
    Config config;
    config.server = StrCat("http://127.0.0.1:", server.port());
    client = *Client::Make(std::move(config));
    Informer::Options options;
    options.first_pause = milliseconds(1);
    options.longest_pause = milliseconds(2);
    informer = std::make_unique<Informer>(*client, types::kPods, options, random, &diary);
    informer->Start();
  }
  ~World() { informer->Stop(); }

  ScriptedServer server;
  SeededRandom random;
  Diary diary;
  std::unique_ptr<Client> client;
  std::unique_ptr<Informer> informer;
};

TEST(Informer, FollowsAListByItsWatch) {
  World world({List(5, {Item("a", "1", 3)}),
               Watching(5, {Event("ADDED", Item("b", "2", 6)), Event("MODIFIED", Item("a", "1", 7)), Event("DELETED", Item("b", "2", 8)),
                            Event("BOOKMARK", Item("", "", 20))}),
               Watching(20, {Event("ADDED", Item("c", "3", 21))}), Hold});
  EXPECT_THAT(world.diary.Await(5), ElementsAre("added a 1 3", "added b 2 6", "updated a 1 7", "deleted b 2 8", "added c 3 21"));
  EXPECT_TRUE(world.informer->synced());
  const auto snapshot = world.informer->snapshot();
  EXPECT_EQ(snapshot->size(), 2u);
  EXPECT_EQ(snapshot->Find("", "a")->resource_version(), "7");
  EXPECT_EQ(snapshot->Find("", "b"), nullptr);
}

TEST(Informer, ResumesABrokenWatchWhereItWas) {
  World world(
      {List(5, {}), Watching(5, {Event("ADDED", Item("a", "1", 6))}, true), Watching(6, {Event("ADDED", Item("b", "2", 7))}), Hold});
  EXPECT_THAT(world.diary.Await(2), ElementsAre("added a 1 6", "added b 2 7"));
}

TEST(Informer, ReportsWhatWasDeletedWhileItsHistoryWasLost) {
  World world({List(5, {Item("a", "1", 3), Item("b", "2", 4), Item("c", "3", 5)}),
               Watching(5, {R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
                            "\n"}),
               List(90, {Item("a", "1", 3), Item("c", "9", 80), Item("d", "4", 81)}), Hold});
  EXPECT_THAT(world.diary.Await(7),
              ElementsAre("added a 1 3", "added b 2 4", "added c 3 5", "deleted b 2 4", "deleted c 3 5", "added c 9 80", "added d 4 81"));
  EXPECT_EQ(world.informer->counts().expired, 1u);
}

TEST(Informer, InventsNoDeletionAndNeverGoesBack) {
  World world({List(5, {Item("a", "1", 5)}),
               Watching(5, {Event("DELETED", Item("x", "9", 6)), Event("DELETED", Item("a", "0", 7)), Event("MODIFIED", Item("a", "1", 4)),
                            Event("MODIFIED", Item("a", "1", 8))}),
               Hold});
  EXPECT_THAT(world.diary.Await(2), ElementsAre("added a 1 5", "updated a 1 8"));
  EXPECT_EQ(world.informer->counts().ignored, 3u);
}

TEST(Informer, AListIsTheTruthAlsoWhereTheServerWentBack) {
  World world({List(1000, {Item("a", "1", 1000)}),
               Watching(1000, {R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
                               "\n"}),
               List(900, {Item("a", "1", 900)}), Hold});
  EXPECT_THAT(world.diary.Await(2), ElementsAre("added a 1 1000", "updated a 1 900"));
}

TEST(Informer, ListsAgainWhenWatchesFromItsStateKeepFailing) {
  const auto refused = [](Peer& peer) { peer.Answer("HTTP/1.1 400 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); };
  World world({List(5, {Item("a", "1", 3)}), refused, refused, refused, List(9, {Item("b", "2", 8)}), Hold});
  EXPECT_THAT(world.diary.Await(3), ElementsAre("added a 1 3", "deleted a 1 3", "added b 2 8"));
}

TEST(Informer, KeepsTryingAndSaysWhatIsWrong) {
  const auto forbidden = [](Peer& peer) { peer.Answer("HTTP/1.1 403 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"); };
  World world({forbidden, forbidden, List(5, {Item("a", "1", 3)}), Hold});
  EXPECT_OK(world.informer->AwaitSync({std::chrono::steady_clock::now() + seconds(10), nullptr}));
  EXPECT_THAT(world.diary.Await(1), ElementsAre("added a 1 3"));

  ScriptedServer nobody({});
  World stuck({forbidden, [](Peer& peer) { peer.ReadUntil("never"); }});
  EXPECT_THAT(stuck.informer->AwaitSync({std::chrono::steady_clock::now() + milliseconds(100), nullptr}),
              IsStatus(Code::kInvalid, HasSubstr("list pods: the server answered 403 Forbidden")));
}

TEST(ObjectCache, ASnapshotDoesNotChange) {
  ObjectCache cache;
  const auto put = [&](const std::string& item) { cache.Put(CopyObject(json::Parse(item)->root())); };
  for (int i = 0; i < 300; ++i) put(Item(StrCat("o", i), StrCat(i), i + 1));
  const auto before = cache.Take();
  EXPECT_EQ(cache.Take(), before);  // nothing changed: the same one
  put(Item("o7", "7", 999));
  cache.Remove("", "o8");
  EXPECT_EQ(before->size(), 300u);
  EXPECT_EQ(before->Find("", "o7")->resource_version(), "8");
  const auto after = cache.Take();
  EXPECT_EQ(after->size(), 299u);
  EXPECT_EQ(after->Find("", "o7")->resource_version(), "999");
  EXPECT_EQ(after->Find("", "o8"), nullptr);
  EXPECT_EQ(after->Find("", "o9"), before->Find("", "o9"));
}

}  // namespace
}  // namespace allot::kube
