// The threads of an election, and the Lease of a server.

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/test_util.h"
#include "http/scripted_server.h"
#include "json/json.h"
#include "kube/leader/leader_test_lease.h"

namespace allot::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// A server in memory that can stop to answer.
class TestStore final : public LeaseStore {
 public:
  Result<LeaseRecord> Get(const Patience& patience) override {
    return Answer(patience, [this]() -> Result<LeaseRecord> {
      if (const auto record = lease_.Get()) return *record;
      return NotFound("no lease");
    });
  }
  Result<LeaseRecord> Create(const LeaseRecord& record, const Patience& patience) override { return Update(record, patience); }
  Result<LeaseRecord> Update(const LeaseRecord& record, const Patience& patience) override {
    return Answer(patience, [&]() -> Result<LeaseRecord> {
      if (const auto stored = lease_.Put(record)) return *stored;
      return Conflict("another version");
    });
  }

  void Hang(bool hang) {
    const std::lock_guard lock(mutex_);
    hang_ = hang;
    changed_.notify_all();
  }
  LeaseRecord record() {
    const std::lock_guard lock(mutex_);
    return lease_.Get().value_or(LeaseRecord());
  }

 private:
  template <typename Function>
  Result<LeaseRecord> Answer(const Patience& patience, Function function) {
    std::unique_lock lock(mutex_);
    // Patience is not heeded: the worst that a call can do.
    static_cast<void>(patience);
    changed_.wait(lock, [this] { return !hang_; });
    return function();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool hang_ = false;
  MemoryLease lease_;
};

// What the callbacks said, to be waited for.
struct Diary {
  void Write(const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
    changed.notify_all();
  }
  bool Await(const std::string& line) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, seconds(10), [&] { return std::find(lines.begin(), lines.end(), line) != lines.end(); });
  }
  LeaderElection::Callbacks Callbacks() {
    return {[this] { Write("started"); }, [this] { Write("stopped"); }, [this](const std::string& who) { Write(StrCat("leader ", who)); }};
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> lines;
};

LeaderOptions Fast(std::string identity, milliseconds renew_deadline) {
  return {
      .identity = std::move(identity), .lease_duration = seconds(20), .renew_deadline = renew_deadline, .retry_period = milliseconds(10)};
}

TEST(LeaderElection, HandsOverWhenItIsStoppedAndNotBeforeTheWorkHasStopped) {
  TestStore store;
  SystemRandom random;
  Diary diary;
  LeaderElection::Callbacks callbacks = diary.Callbacks();
  std::string holder_at_stop;
  callbacks.stopped = [&] { holder_at_stop = store.record().holder, diary.Write("stopped"); };
  LeaderElection first(store, Fast("a", seconds(10)), random, callbacks);
  first.Start();
  ASSERT_TRUE(diary.Await("leader a"));
  EXPECT_TRUE(first.leading());
  Diary other;
  LeaderElection second(store, Fast("b", seconds(10)), random, other.Callbacks());
  second.Start();
  ASSERT_TRUE(other.Await("leader a"));
  EXPECT_FALSE(second.leading());
  first.Stop();
  EXPECT_FALSE(first.leading());
  EXPECT_THAT(diary.lines, ElementsAre("started", "leader a", "stopped"));
  EXPECT_EQ(holder_at_stop, "a");
  ASSERT_TRUE(other.Await("started"));
  ASSERT_TRUE(other.Await("leader b"));
  EXPECT_EQ(second.leader(), "b");
  second.Stop();
  EXPECT_EQ(store.record().holder, "");
  EXPECT_EQ(store.record().duration_seconds, 1);
}

TEST(LeaderElection, CallsStoppedEvenIfACallToTheServerHangs) {
  TestStore store;
  SystemRandom random;
  Diary diary;
  LeaderElection election(store, Fast("a", milliseconds(300)), random, diary.Callbacks());
  election.Start();
  ASSERT_TRUE(diary.Await("started"));
  store.Hang(true);
  ASSERT_TRUE(diary.Await("stopped"));
  EXPECT_FALSE(election.leading());
  EXPECT_EQ(store.record().holder, "a");  // and no other process has it yet
  store.Hang(false);
  election.Stop();
}

TEST(KubeLease, UpdatesWithTheVersionThatItSawAndLeavesOtherFieldsAlone) {
  const std::string lease = R"({"metadata":{"name":"x","namespace":"n","uid":"u","resourceVersion":"41","labels":{"l":"1"}},"spec":{)"
                            R"("holderIdentity":"other","leaseDurationSeconds":15,"leaseTransitions":3,"renewTime":"r","acquireTime":"t",)"
                            R"("preferredHolder":"p","strategy":"OldestEmulationVersion"}})";
  std::string sent;
  const auto answer = [&](http::Peer& peer) {
    sent = peer.ReadUntil("}}");
    peer.Send(StrCat("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ", lease.size(), "\r\n\r\n", lease));
  };
  const auto get = [&](http::Peer& peer) {
    EXPECT_THAT(peer.Answer(StrCat("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ", lease.size(), "\r\n\r\n", lease)),
                HasSubstr("GET /apis/coordination.k8s.io/v1/namespaces/n/leases/x "));
  };
  http::ScriptedServer server({get, answer});
  Config config;
  config.server = StrCat("http://127.0.0.1:", server.port());
  const auto client = *Client::Make(std::move(config));
  KubeLease store(*client, "n", "x");
  ASSERT_OK_AND_ASSIGN(LeaseRecord record, store.Get({}));
  EXPECT_EQ(record.holder, "other");
  EXPECT_EQ(record.transitions, 3);
  record.holder = "me";
  ASSERT_OK(store.Update(record, {}));
  EXPECT_THAT(sent, HasSubstr("PUT /apis/coordination.k8s.io/v1/namespaces/n/leases/x "));
  EXPECT_THAT(sent, HasSubstr(R"("labels":{"l":"1"},"name":"x","namespace":"n","resourceVersion":"41"})"));
  EXPECT_THAT(sent,
              HasSubstr(R"("preferredHolder":"p","strategy":"OldestEmulationVersion","holderIdentity":"me","leaseDurationSeconds":15,)"
                        R"("acquireTime":"t","renewTime":"r","leaseTransitions":3}})"));
}

}  // namespace
}  // namespace allot::kube
