// Random days of a small cluster: Pods come and end, and after every step the promises of queue.h hold.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sched/test_world.h"

namespace allot::sched {
namespace {

class Day {
 public:
  // With so many claims that some of the Pods name.
  explicit Day(uint64_t seed, int shared = 0)
      : random_(seed), world_(GpuNode("n1", {24, 24}) + GpuNode("n2", {12}) + GpuNode("n3", {48, 12, 12})) {
    for (int i = 0; i < shared; ++i) {
      Shared& one = shared_[StrCat("s", i)];
      one.memory = StrCat(1 + random_.Below(30), "Gi");
      Write(StrCat("s", i));
    }
  }

  void Step() {
    freed_ = false;
    if (random_.Below(3) > 0 || running_.empty()) {
      // Names come again, as those of a StatefulSet do.
      std::string name = StrCat("p", random_.Below(20));
      ended_.clear();
      if (running_.contains(name) || IsWaiting(StrCat("lab/", name))) name = StrCat("q", ++made_);
      ++made_;
      const int priority = random_.Below(5) == 0 ? 1 : 0;
      world_.Add(GpuPod(name, StrCat(1 + random_.Below(60), "Gi"), StrCat(", priority: ", priority), StrCat("-", made_)));
      if (!shared_.empty() && random_.Below(2) == 0) AddSharing(name, priority, random_.Below(2) == 0);
    } else {
      End(std::next(running_.begin(), static_cast<ptrdiff_t>(random_.Below(running_.size())))->first);
    }
    Run();
  }

  void Run() {
    // The waiting Pods, in order, and their plans.
    std::vector<PodPtr> order;
    std::map<std::string, Plan> promised;
    for (const Waiting* one : world_.queue().waiting()) {
      order.push_back(one->pod);
      if (one->plan) promised[one->pod->key] = *one->plan;
    }
    std::vector<PodPtr> changed;  // Pods that have started, or come
    world_.queue().Run(world_.cluster(), [&](const Placed& placed) {
      running_[std::string(placed.asking.pod->pod.name)] = placed.node;
      Use(placed);
      overtaken_ += placed.overtaken;
      changed.push_back(placed.asking.pod);
    });
    for (const auto& [claim, one] : shared_) Write(claim);
    for (const Waiting* one : world_.queue().waiting()) {
      if (PlaceIn(order, *one->pod) == order.size()) changed.push_back(one->pod);
    }
    CheckMemory();
    for (const Waiting* one : world_.queue().waiting()) {
      EXPECT_TRUE(one->error.empty()) << one->error;
      EXPECT_TRUE(one->never ? !one->plan : one->plan || SharesAClaim(*one->pod)) << one->pod->key;
      if (!one->plan) continue;
      // Every waiting Pod waits for some Pod, and only Pods ahead may change for which one.
      EXPECT_FALSE(one->plan->ends.empty()) << one->pod->key << " waits for nothing";
      bool any_left = false;
      for (const std::string& end : one->plan->ends) any_left = any_left || running_.contains(end.substr(4)) || IsWaiting(end);
      EXPECT_TRUE(any_left) << one->pod->key << " waits for Pods that have ended";
      const auto before = promised.find(one->pod->key);
      if (before == promised.end()) continue;
      const bool ahead =
          std::any_of(changed.begin(), changed.end(), [&](const PodPtr& other) { return IsAhead(order, *other, *one->pod); });
      // Pods ahead may plan with other devices after a Pod has ended that they do not wait for.
      const bool surprised = freed_ || (!ended_.empty() && std::any_of(order.begin(), order.end(), [&](const PodPtr& other) {
                               const auto theirs = promised.find(other->key);
                               return theirs != promised.end() && theirs->second.node == before->second.node &&
                                      !theirs->second.ends.contains(ended_) && PlaceIn(order, *other) < PlaceIn(order, *one->pod);
                             }));
      const auto &was = before->second.ends, &is = one->plan->ends;
      const bool kept = before->second.node == one->plan->node && std::includes(was.begin(), was.end(), is.begin(), is.end());
      EXPECT_TRUE(kept || ahead || surprised) << one->pod->key << " has another plan, and no Pod ahead of it has another place";
      kept_ += kept && !ahead && !surprised ? 1 : 0;
      replanned_ += kept ? 0 : 1;
    }
  }

  // All Pods end, one after the other; every waiting Pod must start.
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
    for (auto& [claim, one] : shared_) {
      if (one.users.erase(name) == 0) continue;
      if (one.users.empty()) one.allocation.clear(), freed_ = true;
      Write(claim);
    }
  }

  // A claim that the API keeps as long as a Pod uses it.
  struct Shared {
    std::string memory, allocation;  // in YAML; empty: none
    std::set<std::string> users;
  };
  void Write(const std::string& claim) {
    const Shared& one = shared_[claim];
    std::string users;
    for (const std::string& user : one.users) users += StrCat("{resource: pods, uid: u, name: ", user, "}, ");
    world_.Add(StrCat("kind: ResourceClaim\nmetadata: {name: ", claim, ", namespace: lab, uid: claim-", claim,
                      "}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, "
                      "capacity: {requests: ",
                      "{memory: ", one.memory, "}}}}]}}\n",
                      one.users.empty() ? "" : StrCat("status: {reservedFor: [", users, "], allocation: ", one.allocation, "}\n")));
  }
  // The Pod as it is, and one of the shared claims; `only`: without its own.
  void AddSharing(const std::string& name, int priority, bool only) {
    const std::string claim = StrCat("s", random_.Below(shared_.size()));
    world_.Add(StrCat("kind: Pod\nmetadata: {name: ", name, ", namespace: lab, uid: pod-", name, "-", made_,
                      "}\nspec: {containers: [{name: c}], resourceClaims: [{name: shared, resourceClaimName: ", claim, "}",
                      only ? "" : StrCat(", {name: gpu, resourceClaimName: ", name, "-gpu}"), "], priority: ", priority, "}\n"));
  }
  void Use(const Placed& placed) {
    size_t next = 0;
    for (const ClaimPtr& claim : placed.asking.claims) {
      const model::Allocation* fresh = claim->claim.allocation ? nullptr : &placed.allocations[next++];
      const auto at = shared_.find(std::string(claim->claim.name));
      if (at == shared_.end()) continue;
      at->second.users.insert(std::string(placed.asking.pod->pod.name));
      if (fresh == nullptr) continue;
      const model::DeviceResult& got = fresh->results.at(0);
      at->second.allocation =
          StrCat("{nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [", placed.node,
                 "]}]}]}, devices: {results: [{request: gpu, driver: gpu.nvidia.com, pool: ", got.pool, ", device: ", got.device,
                 ", shareID: ", got.share_id, ", consumedCapacity: {memory: ", at->second.memory, "}}]}}");
    }
  }
  // The Pod may have to be on the node of the Pods that have the claim, or will have it.
  bool SharesAClaim(const Pod& pod) {
    return std::any_of(pod.pod.claims.begin(), pod.pod.claims.end(),
                       [&](const model::PodClaim& claim) { return shared_.contains(std::string(*claim.claim_name)); });
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
  std::map<std::string, Shared> shared_;
  bool freed_ = false;  // the last step left a claim without users
  int made_ = 0;
  std::string ended_;  // the key of the Pod that ended in the last step; empty: none
  size_t overtaken_ = 0, replanned_ = 0, kept_ = 0;
};

void CheckDays(int shared) {
  size_t overtaken = 0, replanned = 0, kept = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Day day(seed, shared);
    for (int i = 0; i < 60; ++i) day.Step();
    day.Finish();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    overtaken += day.overtaken();
    replanned += day.replanned();
    kept += day.kept();
  }
  EXPECT_GT(overtaken, 0u);  // the cases are not trivial
  EXPECT_GT(kept, 0u);
  testing::Test::RecordProperty("overtaken", static_cast<int>(overtaken));
  testing::Test::RecordProperty("replanned", static_cast<int>(replanned));
  testing::Test::RecordProperty("kept", static_cast<int>(kept));
}

TEST(Fairness, HoldsOnRandomDays) { CheckDays(0); }

TEST(Fairness, HoldsOnRandomDaysWithClaimsThatPodsShare) { CheckDays(3); }

}  // namespace
}  // namespace allot::sched
