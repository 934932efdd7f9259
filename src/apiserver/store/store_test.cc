#include "apiserver/store/store.h"

#include <sqlite3.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              StrCat("allot-store-", ::getpid(), "-", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "store.db").string(); }
  Result<std::unique_ptr<Store>> Open(size_t history = 100) {
    StoreOptions options;
    options.history = history;
    return Store::Open(path(), options);
  }

  std::filesystem::path folder_;
};

Draft Text(std::string_view body) {
  Draft draft;
  draft.before = StrCat("{\"v\":\"");
  draft.after = StrCat("\",\"body\":\"", body, "\"}");
  draft.uid = "u";
  return draft;
}

Key Pod(std::string_view name, std::string_view space = "default") { return {"pods", std::string(space), std::string(name)}; }

std::vector<std::string> NamesOf(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const EntryPtr& entry : snapshot.entries) names.push_back(entry->key.name);
  return names;
}

TEST_F(StoreTest, VersionsRiseByOneAndStandInTheText) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const EntryPtr a, store->Put(Pod("a"), 0, Text("one")));
  ASSERT_OK_AND_ASSIGN(const EntryPtr b, store->Put(Pod("b"), 0, Text("two")));
  EXPECT_EQ(a->version + 1, b->version);
  EXPECT_EQ(a->json, StrCat("{\"v\":\"", a->version, "\",\"body\":\"one\"}"));
  EXPECT_EQ(store->Get(Pod("a")), a);
  EXPECT_EQ(store->version(), b->version);
}

TEST_F(StoreTest, AWriteThatExpectsAnotherVersionIsAConflictAndChangesNothing) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const EntryPtr a, store->Put(Pod("a"), 0, Text("one")));
  EXPECT_THAT(store->Put(Pod("a"), 0, Text("again")), IsStatus(Code::kConflict, HasSubstr("the stored version is ")));
  EXPECT_THAT(store->Put(Pod("a"), a->version + 1, Text("later")), IsStatus(Code::kConflict));
  EXPECT_THAT(store->Remove(Pod("none"), 0, Text("")), IsStatus(Code::kConflict));
  EXPECT_EQ(store->Get(Pod("a")), a);
  EXPECT_EQ(store->version(), a->version);
}

TEST_F(StoreTest, WrittenObjectsSurviveARestartAndVersionsContinue) {
  uint64_t last = 0;
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    ASSERT_OK_AND_ASSIGN(const EntryPtr a, store->Put(Pod("a"), 0, Text("one")));
    ASSERT_OK(store->Put(Pod("b"), 0, Text("two")));
    ASSERT_OK(store->Put(Pod("a"), a->version, Text("changed")));
    ASSERT_OK_AND_ASSIGN(const EntryPtr gone, store->Remove(Pod("b"), store->Get(Pod("b"))->version, Text("two")));
    last = gone->version;
  }
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    EXPECT_EQ(store->version(), last) << "the version of a deletion is lost";
    EXPECT_THAT(NamesOf(store->List("pods", "")), ElementsAre("a"));
    EXPECT_THAT(store->Get(Pod("a"))->json, HasSubstr("changed"));
  }
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const EntryPtr c, store->Put(Pod("c"), 0, Text("three")));
  EXPECT_EQ(c->version, last + 1);
}

TEST_F(StoreTest, ListsAreSortedAndKeepToTheirNamespace) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  for (const auto& [space, name] : {std::pair("b", "z"), {"a", "y"}, {"b", "x"}, {"ba", "w"}})
    ASSERT_OK(store->Put(Pod(name, space), 0, Text("")));
  EXPECT_THAT(NamesOf(store->List("pods", "")), ElementsAre("y", "x", "z", "w"));
  EXPECT_THAT(NamesOf(store->List("pods", "b")), ElementsAre("x", "z"));
  EXPECT_THAT(NamesOf(store->List("nodes", "")), IsEmpty());
}

TEST_F(StoreTest, AListAtAVersionShowsThatState) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const EntryPtr a, store->Put(Pod("a"), 0, Text("one")));
  ASSERT_OK_AND_ASSIGN(const EntryPtr b, store->Put(Pod("b"), 0, Text("two")));
  ASSERT_OK(store->Put(Pod("a"), a->version, Text("changed")));
  ASSERT_OK(store->Remove(Pod("b"), b->version, Text("two")));
  ASSERT_OK(store->Put(Pod("c"), 0, Text("three")));
  ASSERT_OK_AND_ASSIGN(const Snapshot then, store->ListAt("pods", "", b->version));
  EXPECT_THAT(NamesOf(then), ElementsAre("a", "b"));
  EXPECT_EQ(then.entries[0], a);
  EXPECT_THAT(store->ListAt("pods", "", 1000), IsStatus(Code::kUnavailable));
}

TEST_F(StoreTest, ChangesComeInOrderUntilTheHistoryForgetsThem) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open(3));
  std::vector<uint64_t> versions;
  for (int i = 0; i < 6; ++i) {
    ASSERT_OK_AND_ASSIGN(const EntryPtr entry, store->Put(Pod(StrCat("p", i)), 0, Text("")));
    versions.push_back(entry->version);
  }
  ASSERT_OK_AND_ASSIGN(const auto changes, store->ChangesSince("pods", versions[3]));
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_EQ(changes[0]->version, versions[4]);
  EXPECT_EQ(changes[0]->before, nullptr);
  EXPECT_THAT(store->ChangesSince("pods", versions[1]), IsStatus(Code::kNotFound));
  EXPECT_THAT(store->ListAt("pods", "", versions[1]), IsStatus(Code::kNotFound));
  EXPECT_OK(store->ChangesSince("nodes", versions[2]));
}

TEST_F(StoreTest, AfterARestartTheHistoryBeginsWithTheLatestVersion) {
  uint64_t version = 0;
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    ASSERT_OK(store->Put(Pod("a"), 0, Text("")));
    ASSERT_OK(store->Put(Pod("b"), 0, Text("")));
    version = store->version();
  }
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  EXPECT_THAT(store->ChangesSince("pods", version - 1), IsStatus(Code::kNotFound));
  ASSERT_OK_AND_ASSIGN(const auto none, store->ChangesSince("pods", version));
  EXPECT_THAT(none, IsEmpty());
}

TEST_F(StoreTest, WritersAtTheSameTimeLoseNothing) {
  constexpr int kThreads = 8, kEach = 50;
  std::set<uint64_t> versions;
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open(1000));
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          const auto entry = store->Put(Pod(StrCat("p-", t, "-", i)), 0, Text("x"));
          const std::lock_guard lock(mutex);
          if (entry.ok()) versions.insert((*entry)->version);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_OK_AND_ASSIGN(const auto changes, store->ChangesSince("pods", 0));
    EXPECT_THAT(changes, SizeIs(kThreads * kEach));
  }
  EXPECT_THAT(versions, SizeIs(kThreads * kEach));
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  EXPECT_THAT(store->List("pods", "").entries, SizeIs(kThreads * kEach));
}

TEST_F(StoreTest, OfWritersOfOneVersionOneWins) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const EntryPtr first, store->Put(Pod("a"), 0, Text("")));
  std::atomic<int> won = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] { won += store->Put(Pod("a"), first->version, Text("mine")).ok() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
}

TEST_F(StoreTest, AFullDiskRefusesTheWriteAndTheStoreGoesOn) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK_AND_ASSIGN(const EntryPtr a, store->Put(Pod("a"), 0, Text("one")));
  ASSERT_OK(store->LimitPages(10));
  const std::string large(200'000, 'x');
  EXPECT_THAT(store->Put(Pod("b"), 0, Text(large)), IsStatus(Code::kExhausted, HasSubstr("full; free space on the disk of")));
  EXPECT_EQ(store->Get(Pod("b")), nullptr);
  EXPECT_EQ(store->version(), a->version);
  ASSERT_OK(store->LimitPages(1'000'000));
  EXPECT_OK(store->Put(Pod("b"), 0, Text(large)));
}

// "disk I/O error" was all that a full quota gave; a limit of the process comes by the same way.
TEST_F(StoreTest, AnErrorOfTheDiskIsNamedByItsCause) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status opened = Open().status();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(opened, IsStatus(Code::kUnavailable, AllOf(HasSubstr("store.db"), HasSubstr("File too large"))));
}

TEST_F(StoreTest, ASecondProcessIsKeptOut) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  EXPECT_THAT(Open(), IsStatus(Code::kUnavailable, HasSubstr("another process")));
}

TEST_F(StoreTest, AStoreOfANewerProgramIsRefusedByName) {
  {
    ASSERT_OK(Open());
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "PRAGMA user_version=7", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  EXPECT_THAT(Open(), IsStatus(Code::kUnsupported, HasSubstr("a newer allot wrote it (format 7")));
}

TEST_F(StoreTest, AFileOfAnotherProgramIsRefused) {
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "CREATE TABLE mine(x)", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  EXPECT_THAT(Open(), IsStatus(Code::kInvalid, HasSubstr("not a store of allot")));
  std::ofstream(path(), std::ios::trunc)
      << "text that is no database, and long enough to have a header of its own, one hundred bytes at least....";
  EXPECT_THAT(Open(), IsStatus(Code::kInvalid));
}

TEST_F(StoreTest, ADamagedRowIsRefusedNotServed) {
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    ASSERT_OK(store->Put(Pod("a"), 0, Text("something to be found")));
  }
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "UPDATE objects SET json=replace(json,'found','FOUND')", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  EXPECT_THAT(Open(), IsStatus(Code::kInvalid, HasSubstr("damaged")));
}

TEST_F(StoreTest, AFileThatWasCutIsRefused) {
  {
    ASSERT_OK_AND_ASSIGN(const auto store, Open());
    for (int i = 0; i < 50; ++i) ASSERT_OK(store->Put(Pod(StrCat("p", i)), 0, Text(std::string(2000, 'x'))));
  }
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) / 2);
  EXPECT_THAT(Open(), IsStatus(Code::kInvalid));
}

TEST_F(StoreTest, OtherUsersCannotReadTheFile) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  ASSERT_OK(store->Put(Pod("a"), 0, Text("")));
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(file.status().permissions() & (std::filesystem::perms::group_all | std::filesystem::perms::others_all),
              std::filesystem::perms::none)
        << file.path();
  }
}

TEST_F(StoreTest, CompactionGivesTheSpaceBack) {
  ASSERT_OK_AND_ASSIGN(const auto store, Open());
  for (int i = 0; i < 100; ++i) ASSERT_OK(store->Put(Pod(StrCat("p", i)), 0, Text(std::string(20'000, 'x'))));
  for (int i = 0; i < 100; ++i) ASSERT_OK(store->Remove(Pod(StrCat("p", i)), store->Get(Pod(StrCat("p", i)))->version, Text("")));
  ASSERT_OK(store->Compact());
  EXPECT_LT(std::filesystem::file_size(path()), 200'000u);
}

}  // namespace
}  // namespace allot::apiserver
