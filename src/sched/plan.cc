#include "sched/plan.h"

#include <algorithm>

#include "model/memory.h"
#include "sched/predicates.h"

namespace allot::sched {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr size_t kMaxNodes = 32;  // that a plan is looked for on

// The memory of the device that the result names; 0: the device has none, or is gone.
model::MiB WholeOf(const Node& node, const model::DeviceResult& result) {
  const alloc::InventoryDevice* const entry = DeviceOf(node, result);
  const model::Capacity* const memory = entry == nullptr ? nullptr : model::MemoryOf(*entry->device);
  return memory == nullptr ? model::MiB(0) : model::MiB::Offered(memory->value);
}

// The memory of devices that the Pod holds alone on the node.
model::MiB HeldBy(const Node& node, const std::string& pod) {
  model::MiB held;
  for (const ClaimPtr& claim : node.claims) {
    const auto& users = claim->claim.reserved_for;
    if (users.size() != 1 || KeyOf(claim->claim.name_space, users.front()) != pod) continue;
    for (const model::DeviceResult& result : claim->claim.allocation->results) held += model::MemoryTaken(result, WholeOf(node, result));
  }
  return held;
}

// The Pods on the node and the users of its claims, except the waiting Pod as a user of its own claims.
Names HoldersOf(const Node& node, const PodWithClaims* waiting = nullptr) {
  Names names;
  for (const PodPtr& pod : node.pods) names.insert(pod->key);
  for (const ClaimPtr& claim : node.claims) {
    const bool own = waiting != nullptr && Has(*waiting, *claim);
    for (const std::string_view user : claim->claim.reserved_for) {
      if (!own || user != waiting->pod->pod.name) names.insert(KeyOf(claim->claim.name_space, user));
    }
  }
  return names;
}

bool HasPod(const Node& node, std::string_view key) {
  return std::any_of(node.pods.begin(), node.pods.end(), [&](const PodPtr& pod) { return pod->key == key; });
}

// Empty: the Pod does not exist, or has ended.
std::string UidOf(const Cluster& cluster, std::string_view key) {
  const PodPtr pod = cluster.FindPod(key);
  return pod == nullptr || pod->ended ? std::string() : std::string(pod->pod.uid);
}

}  // namespace

std::optional<std::vector<model::Allocation>> FitsOn(Decider& decider, const Snapshot& snapshot, const NodePtr& node,
                                                     const PodWithClaims& asking) {
  Result<std::optional<std::vector<model::Allocation>>> allocations = decider.DecideOn(snapshot, node, asking);
  return allocations.ok() ? *std::move(allocations) : std::nullopt;
}

void NameEnds(Plan& plan, const Cluster& cluster, const Snapshot& snapshot) {
  const Node* node = snapshot.Find(plan.node);
  for (const std::string& key : plan.ends) {
    if (plan.uids.contains(key)) continue;
    const bool left_behind = node != nullptr && !HasPod(*node, key) && HoldersOf(*node).contains(key);
    plan.uids.emplace(key, left_behind ? std::string() : UidOf(cluster, key));
  }
}

void DropEnded(Plan& plan, const Cluster& cluster, const Snapshot& snapshot) {
  const Node* node = snapshot.Find(plan.node);
  std::erase_if(plan.ends, [&](const std::string& key) {
    const auto known = plan.uids.find(key);
    const std::string now = UidOf(cluster, key);
    if (known == plan.uids.end() || (!now.empty() && known->second == now)) return false;
    return !now.empty() || node == nullptr || !HoldersOf(*node).contains(key);
  });
  std::erase_if(plan.uids, [&](const auto& one) { return !plan.ends.contains(one.first); });
}

std::optional<Plan> MakePlan(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking) {
  std::vector<const Node*> nodes;
  for (const NodePtr& node : snapshot.nodes) nodes.push_back(node.get());
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->pods.size() < b->pods.size(); });
  std::optional<Plan> best;
  model::MiB best_held;
  size_t looked_at = 0;
  for (const Node* node : nodes) {
    if (looked_at == kMaxNodes) break;
    // This test is cheap, as it does not look at the node's Pods.
    const Result<bool> may_fit = decider.FitsWhenEmpty(snapshot, *node, asking);
    if (!may_fit.ok() || !*may_fit) continue;
    const auto fits_without = [&](const Names& ends) {
      return FitsOn(decider, snapshot, NodeWithout(*node, ends, &asking), asking).has_value();
    };
    Names all = HoldersOf(*node, &asking);
    if (!fits_without(all)) {
      // Affinity may require one of the Pods on the node: that Pod stays.
      const auto is_needed = [&](const std::string& pod) {
        Names others = all;
        others.erase(pod);
        return fits_without(others);
      };
      const auto needed = LooksAtOthers(*asking.pod) ? std::find_if(all.begin(), all.end(), is_needed) : all.end();
      if (needed == all.end()) continue;
      all.erase(needed);
    }
    ++looked_at;
    std::vector<std::pair<model::MiB, std::string>> holders;  // the smallest first
    for (const std::string& pod : all) holders.emplace_back(HeldBy(*node, pod), pod);
    std::sort(holders.begin(), holders.end());
    const auto consider = [&](Names ends) {
      model::MiB held;
      for (const auto& [amount, pod] : holders) held += ends.contains(pod) ? amount : model::MiB(0);
      if (best && (best->ends.size() < ends.size() || (best->ends.size() == ends.size() && best_held <= held))) return;
      best = Plan{std::string(node->name()), std::move(ends), {}};
      best_held = held;
    };
    // One end, if that is enough. Otherwise as many Pods as possible stay; tries the smallest first, then the largest first.
    const auto one = std::find_if(holders.begin(), holders.end(), [&](const auto& holder) { return fits_without({holder.second}); });
    if (one != holders.end() || holders.empty()) {
      consider(holders.empty() ? Names{} : Names{one->second});
      continue;
    }
    for (int turn = 0; turn < 2; ++turn) {
      Names ends = all;
      for (const auto& [amount, pod] : holders) {
        ends.erase(pod);
        if (!fits_without(ends)) ends.insert(pod);
      }
      consider(std::move(ends));
      std::reverse(holders.begin(), holders.end());
    }
  }
  return best;
}

}  // namespace allot::sched
