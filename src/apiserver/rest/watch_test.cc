#include "apiserver/rest/watch.h"

#include <condition_variable>
#include <filesystem>
#include <thread>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// A client that reads when it is told to.
class FakeClient final : public http::ResponseWriter {
 public:
  http::WriteState Send(http::Response) override { return http::WriteState::kGone; }
  http::WriteState Start(int, http::Headers) override { return http::WriteState::kAccepted; }
  http::WriteState Write(std::string_view bytes) override {
    const auto piece = std::make_shared<const std::string>(bytes);
    return Write({&piece, 1});
  }
  http::WriteState Write(std::span<const std::shared_ptr<const std::string>> pieces) override {
    const std::lock_guard lock(mutex_);
    if (gone_) return http::WriteState::kGone;
    for (const auto& piece : pieces) {
      text_ += *piece;
      if (stuck_) queued_ += piece->size();
      pieces_.push_back(piece);
    }
    wake_.notify_all();
    return http::WriteState::kAccepted;
  }
  void End() override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wake_.notify_all();
  }
  size_t queued_bytes() const override {
    const std::lock_guard lock(mutex_);
    return queued_;
  }
  void OnGone(std::function<void()> callback) override { on_gone_ = std::move(callback); }
  void OnDrain(std::function<void()>) override {}

  void Stick() {
    Set([this] { stuck_ = true; });
  }
  void ReadAll() {
    Set([this] { stuck_ = false, queued_ = 0; });
  }
  void Leave() {
    Set([this] { gone_ = true; });
    on_gone_();
  }

  // Waits for `count` lines; those that came.
  std::vector<std::string> Lines(size_t count) {
    std::unique_lock lock(mutex_);
    const auto lines = [&] {
      std::vector<std::string> found;
      const size_t end = text_.rfind('\n');  // ignore a line that is still being written
      if (end == std::string::npos) return found;
      for (const std::string_view line : Split(std::string_view(text_).substr(0, end), '\n')) {
        if (!line.empty()) found.emplace_back(line);
      }
      return found;
    };
    wake_.wait_for(lock, std::chrono::seconds(20), [&] { return lines().size() >= count; });
    return lines();
  }
  bool AwaitEnd() {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(20), [&] { return ended_; });
  }
  bool Holds(const std::string* text) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(pieces_.begin(), pieces_.end(), [&](const auto& piece) { return piece.get() == text; });
  }

 private:
  void Set(const std::function<void()>& change) {
    const std::lock_guard lock(mutex_);
    change();
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::string text_;
  std::vector<std::shared_ptr<const std::string>> pieces_;
  size_t queued_ = 0;
  bool stuck_ = false, gone_ = false, ended_ = false;
  std::function<void()> on_gone_;
};

class WatchTest : public testing::Test {
 protected:
  void Open(size_t history = 1000) {
    folder_ = std::filesystem::path(testing::TempDir()) /
              StrCat("allot-watch-", ::getpid(), "-", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    StoreOptions options;
    options.history = history;
    auto store = Store::Open((folder_ / "store.db").string(), options);
    ASSERT_OK(store);
    store_ = std::move(*store);
    hub_ = std::make_unique<WatchHub>(*store_);
  }
  void TearDown() override {
    hub_.reset();
    std::filesystem::remove_all(folder_);
  }

  EntryPtr Put(std::string_view name, std::string_view label = "", size_t size = 1) {
    const Key key{"pods", "lab", std::string(name)};
    const EntryPtr old = store_->Get(key);
    Draft draft;
    draft.before = StrCat(R"({"metadata":{"name":")", name, R"(","resourceVersion":")");
    draft.after = StrCat(R"("},"x":")", std::string(size, 'x'), "\"}");
    if (!label.empty()) draft.index.labels = {{"app", std::string(label)}};
    auto entry = store_->Put(key, old == nullptr ? 0 : old->version, std::move(draft));
    EXPECT_OK(entry);
    return *entry;
  }
  void Remove(std::string_view name) {
    const Key key{"pods", "lab", std::string(name)};
    Draft last;
    last.before = "{\"resourceVersion\":\"";
    last.after = "\"}";
    EXPECT_OK(store_->Remove(key, store_->Get(key)->version, std::move(last)));
  }
  std::shared_ptr<FakeClient> Watch(uint64_t from, std::string_view labels = "", std::chrono::seconds timeout = std::chrono::seconds(60)) {
    auto client = std::make_shared<FakeClient>();
    Add(client, from, labels, timeout);
    return client;
  }
  void Add(const std::shared_ptr<FakeClient>& client, uint64_t from, std::string_view labels = "",
           std::chrono::seconds timeout = std::chrono::seconds(60)) {
    WatchOptions options;
    options.resource = "pods";
    options.from = from;
    options.timeout = timeout;
    options.kind = "Pod";
    options.api_version = "v1";
    Kind kind;
    auto selector = Selector::Parse(kind, labels, "");
    ASSERT_OK(selector);
    options.selector = *selector;
    hub_->Add(std::move(options), client);
  }

  std::filesystem::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<WatchHub> hub_;
};

TEST_F(WatchTest, ChangesComeInOrderOnce) {
  Open();
  const uint64_t from = Put("old")->version;
  const auto client = Watch(from);
  Put("a");
  Put("a");
  Remove("a");
  EXPECT_THAT(client->Lines(3),
              ElementsAre(HasSubstr(R"({"type":"ADDED","object":{"metadata":{"name":"a")"), HasSubstr("MODIFIED"), HasSubstr("DELETED")));
}

TEST_F(WatchTest, AWatchFromThePastGetsWhatItMissedAndThenTheRest) {
  Open();
  const uint64_t from = Put("a")->version;
  for (int i = 0; i < 10; ++i) Put(StrCat("b", i));
  const auto client = Watch(from);
  Put("last");
  const auto lines = client->Lines(11);
  ASSERT_THAT(lines, SizeIs(11));
  for (int i = 0; i < 10; ++i) EXPECT_THAT(lines[static_cast<size_t>(i)], HasSubstr(StrCat("\"b", i, "\"")));
  EXPECT_THAT(lines[10], HasSubstr("last"));
}

TEST_F(WatchTest, AnEventHoldsTheTextOfTheStoreAndNoCopy) {
  Open();
  const auto client = Watch(store_->version()), other = Watch(store_->version());
  const EntryPtr entry = Put("a");
  client->Lines(1);
  other->Lines(1);
  EXPECT_TRUE(client->Holds(&entry->json));
  EXPECT_TRUE(other->Holds(&entry->json));
}

TEST_F(WatchTest, AnObjectThatCeasesToMatchIsDeletedInItsLastState) {
  Open();
  const auto client = Watch(store_->version(), "app=x");
  Put("a", "y");
  Put("a", "x");
  const EntryPtr gone = Put("a", "z");
  const auto lines = client->Lines(2);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("ADDED"),
                                 AllOf(HasSubstr("DELETED"), HasSubstr(StrCat("\"resourceVersion\":\"", gone->version, "\"")))));
}

TEST_F(WatchTest, AVersionThatIsForgottenIsExpired) {
  Open(3);
  const uint64_t from = Put("a")->version;
  for (int i = 0; i < 10; ++i) Put("a");
  const auto client = Watch(from);
  EXPECT_THAT(client->Lines(1), ElementsAre(AllOf(HasSubstr("ERROR"), HasSubstr("410"), HasSubstr("Expired"))));
  EXPECT_TRUE(client->AwaitEnd());
}

TEST_F(WatchTest, ASlowClientDelaysNoOtherAndCatchesUp) {
  Open();
  const auto slow = Watch(store_->version()), quick = Watch(store_->version());
  slow->Stick();
  constexpr size_t kLarge = 1 << 20;
  for (int i = 0; i < 12; ++i) Put(StrCat("p", i), "", kLarge);
  EXPECT_THAT(quick->Lines(12), SizeIs(12));
  EXPECT_LT(slow->queued_bytes(), 8u << 20) << "it is given no more than it takes";
  slow->ReadAll();
  const auto lines = slow->Lines(12);
  ASSERT_THAT(lines, SizeIs(12));
  for (int i = 0; i < 12; ++i) EXPECT_THAT(lines[static_cast<size_t>(i)].substr(0, 80), HasSubstr(StrCat("\"p", i, "\"")));
}

TEST_F(WatchTest, ASlowClientBehindTheHistoryGetsExpired) {
  Open(3);
  const auto slow = Watch(store_->version());
  slow->Stick();
  for (int i = 0; i < 12; ++i) Put(StrCat("p", i), "", 1 << 20);
  slow->ReadAll();
  EXPECT_TRUE(slow->AwaitEnd());
  EXPECT_THAT(slow->Lines(1).back(), HasSubstr("Expired"));
}

TEST_F(WatchTest, AWatchEndsWhenItsTimeIsUpAndWhenItsClientGoes) {
  Open();
  const auto brief = Watch(store_->version(), "", std::chrono::seconds(0));
  EXPECT_TRUE(brief->AwaitEnd());
  const auto gone = Watch(store_->version());
  EXPECT_EQ(hub_->size(), 1u);
  gone->Leave();
  EXPECT_TRUE(gone->AwaitEnd());
  EXPECT_EQ(hub_->size(), 0u);
}

TEST_F(WatchTest, ListenersHearOfEveryChange) {
  Open();
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<uint64_t> heard;
  hub_->Listen([&](const ChangePtr& change) {
    const std::lock_guard lock(mutex);
    heard.push_back(change == nullptr ? 0 : change->version);
    wake.notify_all();
  });
  const uint64_t first = Put("a")->version, second = Put("b")->version;
  std::unique_lock lock(mutex);
  EXPECT_TRUE(wake.wait_for(lock, std::chrono::seconds(20), [&] { return heard.size() == 2; }));
  EXPECT_THAT(heard, ElementsAre(first, second));
}

}  // namespace
}  // namespace allot::apiserver
