// Random days of a small cluster: Pods come and end, and after every step the promises of queue.h hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

class Day {
 public:
  explicit Day(uint64_t seed) : random_(seed), world_(GpuNode("n1", {24, 24}) + GpuNode("n2", {12}) + GpuNode("n3", {48, 12, 12})) {}

  void Step() {
    if (random_.Below(3) > 0 || running_.empty()) {
      // Names come again, as those of a StatefulSet do.
      std::string name = StrCat("p", random_.Below(20));
      ended_.clear();
      if (running_.contains(name) || IsWaiting(StrCat("lab/", name))) name = StrCat("q", ++made_);
      ++made_;
      const int priority = random_.Below(5) == 0 ? 1 : 0;
      world_.Add(GpuPod(name, StrCat(1 + random_.Below(60), "Gi"), StrCat(", priority: ", priority), StrCat("-", made_)));
    } else {
      End(std::next(running_.begin(), static_cast<ptrdiff_t>(random_.Below(running_.size())))->first);
    }
    Run();
  }

  void Run() {
    // Who waits, in order, and what they were promised.
    std::vector<PodPtr> order;
    std::map<std::string, Plan> promised;
    for (const Waiting* one : world_.queue().waiting()) {
      order.push_back(one->pod);
      if (one->plan) promised[one->pod->key] = *one->plan;
    }
    std::vector<PodPtr> changed;  // who has started, or come
    world_.queue().Run(world_.cluster(), [&](const Placed& placed) {
      running_[std::string(placed.request.pod->pod.name)] = placed.node;
      overtaken_ += placed.overtaken;
      changed.push_back(placed.request.pod);
    });
    for (const Waiting* one : world_.queue().waiting()) {
      if (PlaceIn(order, *one->pod) == order.size()) changed.push_back(one->pod);
    }
    CheckMemory();
    for (const Waiting* one : world_.queue().waiting()) {
      EXPECT_TRUE(one->error.empty()) << one->error;
      EXPECT_EQ(one->never, !one->plan.has_value()) << one->pod->key;
      if (!one->plan) continue;
      // Whoever waits, waits for somebody; and only those ahead may change for whom.
      EXPECT_FALSE(one->plan->ends.empty()) << one->pod->key << " waits for nothing";
      bool any_left = false;
      for (const std::string& end : one->plan->ends) any_left = any_left || running_.contains(end.substr(4)) || IsWaiting(end);
      EXPECT_TRUE(any_left) << one->pod->key << " waits for Pods that have ended";
      const auto before = promised.find(one->pod->key);
      if (before == promised.end()) continue;
      const bool ahead =
          std::any_of(changed.begin(), changed.end(), [&](const PodPtr& other) { return IsAhead(order, *other, *one->pod); });
      // Those ahead may think of other devices where somebody has ended whom they do not wait for.
      const bool surprised = !ended_.empty() && std::any_of(order.begin(), order.end(), [&](const PodPtr& other) {
        const auto theirs = promised.find(other->key);
        return theirs != promised.end() && theirs->second.node == before->second.node && !theirs->second.ends.contains(ended_) &&
               PlaceIn(order, *other) < PlaceIn(order, *one->pod);
      });
      const auto &was = before->second.ends, &is = one->plan->ends;
      const bool kept = before->second.node == one->plan->node && std::includes(was.begin(), was.end(), is.begin(), is.end());
      EXPECT_TRUE(kept || ahead || surprised) << one->pod->key << " has another plan, and nobody ahead of it has another place";
      kept_ += kept && !ahead && !surprised ? 1 : 0;
      replanned_ += kept ? 0 : 1;
    }
  }

  // Everybody ends, one after the other; who waits must start.
  void Finish() {
    for (int i = 0; i < 10'000 && !running_.empty(); ++i) {
      End(running_.begin()->first);
      Run();
    }
    for (const Waiting* one : world_.queue().waiting()) EXPECT_TRUE(one->never) << one->pod->key << " never started";
  }

  size_t overtaken() const { return overtaken_; }
  size_t replanned() const { return replanned_; }
  size_t kept() const { return kept_; }

 private:
  static size_t PlaceIn(const std::vector<PodPtr>& order, const Pod& pod) {
    const auto is = [&](const PodPtr& one) { return one->pod.uid == pod.pod.uid; };
    return static_cast<size_t>(std::find_if(order.begin(), order.end(), is) - order.begin());
  }
  static bool IsAhead(const std::vector<PodPtr>& order, const Pod& other, const Pod& pod) {
    const int64_t first = other.placement.priority, second = pod.placement.priority;
    return first != second ? first > second : PlaceIn(order, other) < PlaceIn(order, pod);
  }
  bool IsWaiting(const std::string& key) { return world_.queue().Find(key) != nullptr; }

  void End(std::string name) {
    running_.erase(name);
    world_.End(name);
    ended_ = StrCat("lab/", name);
  }

  void CheckMemory() {
    for (const NodePtr& node : world_.cluster().Take()->nodes) {
      for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
        const alloc::Usage* usage = node->ledger.Find({entry.slice->driver, entry.slice->pool, entry.device->name});
        if (usage == nullptr) continue;
        const model::Quantity* consumed = usage->Consumed("memory");
        ASSERT_TRUE(consumed == nullptr || *consumed <= entry.device->capacity[0].value)
            << node->name() << "/" << entry.device->name << ": " << consumed->ToString();
      }
    }
  }

  SeededRandom random_;
  World world_;
  std::map<std::string, std::string> running_;  // and their nodes
  int made_ = 0;
  std::string ended_;  // the key of who has in the last step; empty: nobody
  size_t overtaken_ = 0, replanned_ = 0, kept_ = 0;
};

TEST(Fairness, HoldsOnRandomDays) {
  size_t overtaken = 0, replanned = 0, kept = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Day day(seed);
    for (int i = 0; i < 60; ++i) day.Step();
    day.Finish();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    overtaken += day.overtaken();
    replanned += day.replanned();
    kept += day.kept();
  }
  EXPECT_GT(overtaken, 0u);  // the cases are not trivial
  EXPECT_GT(kept, 0u);
  RecordProperty("overtaken", static_cast<int>(overtaken));
  RecordProperty("replanned", static_cast<int>(replanned));
  RecordProperty("kept", static_cast<int>(kept));
}

}  // namespace
}  // namespace allot::sched
