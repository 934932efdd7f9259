#include "sched/snapshot.h"

#include <algorithm>

namespace allot::sched {
namespace {

using Names = std::set<std::string, std::less<>>;

bool ByKey(const PodPtr& a, const PodPtr& b) { return a->key < b->key; }

bool IsNamedBy(const Claim& claim, const Pod& pod) {
  return pod.pod.name_space == claim.claim.name_space &&
         std::any_of(pod.pod.claims.begin(), pod.pod.claims.end(), [&](const auto& named) { return named.claim_name == claim.claim.name; });
}

// Whether only these Pods use the claim. Looks at the node's Pods too: the claim does not name Pods that were decided only now.
bool OnlyFor(const Claim& claim, const Names& pods, const Node& node) {
  const auto& users = claim.claim.reserved_for;
  if (users.empty() && claim.owner.empty()) return false;
  const auto ends = [&](std::string_view user) { return pods.contains(KeyOf(claim.claim.name_space, user)); };
  if (users.empty() ? !ends(claim.owner) : !std::all_of(users.begin(), users.end(), ends)) return false;
  return std::none_of(node.pods.begin(), node.pods.end(),
                      [&](const PodPtr& pod) { return !pods.contains(pod->key) && IsNamedBy(claim, *pod); });
}

}  // namespace

void Count(Node& node) {
  node.used.clear();
  node.has_anti_affinity = false;
  for (const PodPtr& pod : node.pods) {
    model::AddAmounts(node.used, pod->placement.requests);
    for (const model::PodTerm& term : pod->placement.anti_affinity) node.has_anti_affinity = node.has_anti_affinity || term.weight == 0;
  }
  node.ledger = {};
  for (const ClaimPtr& claim : node.claims) node.ledger.Add(claim->claim);
}

const alloc::InventoryDevice* DeviceOf(const Node& node, const model::DeviceResult& result) {
  if (!node.devices->inventory) return nullptr;
  const auto devices = node.devices->inventory->devices();
  const auto at = std::find_if(devices.begin(), devices.end(), [&](const alloc::InventoryDevice& entry) {
    return entry.device->name == result.device && entry.slice->pool == result.pool && entry.slice->driver == result.driver;
  });
  return at == devices.end() ? nullptr : &*at;
}

NodePtr NodeWithout(const Node& node, const Names& pods, const PodWithClaims* waiting) {
  auto changed = std::make_shared<Node>(node);
  std::erase_if(changed->pods, [&](const PodPtr& pod) { return pods.contains(pod->key); });
  std::erase_if(changed->claims,
                [&](const ClaimPtr& claim) { return OnlyFor(*claim, pods, node) && (waiting == nullptr || !Has(*waiting, *claim)); });
  Count(*changed);
  return changed;
}

NodePtr NodeWith(const Node& node, const PodWithClaims& asking, std::span<const model::Allocation> allocations) {
  auto changed = std::make_shared<Node>(node);
  changed->pods.insert(std::upper_bound(changed->pods.begin(), changed->pods.end(), asking.pod, ByKey), asking.pod);
  size_t next = 0;
  for (const ClaimPtr& claim : asking.claims) {
    if (claim->claim.allocation) continue;
    auto held = std::make_shared<Claim>(*claim);
    held->claim.allocation = allocations[next++];
    held->claim.reserved_for.assign(1, std::string(asking.pod->pod.name));
    changed->claims.push_back(std::move(held));
  }
  Count(*changed);
  return changed;
}

NodePtr NodeBeside(const Node& node, const Node& future) {
  auto changed = std::make_shared<Node>(node);
  for (const ClaimPtr& claim : future.claims) {
    const bool there =
        std::any_of(node.claims.begin(), node.claims.end(), [&](const ClaimPtr& one) { return one->claim.uid == claim->claim.uid; });
    if (!there) changed->claims.push_back(claim);
  }
  Count(*changed);
  return changed;
}

size_t Snapshot::IndexOf(std::string_view name) const {
  const auto at =
      std::lower_bound(nodes.begin(), nodes.end(), name, [](const NodePtr& node, std::string_view n) { return node->name() < n; });
  return static_cast<size_t>(at - nodes.begin());
}

const Node* Snapshot::Find(std::string_view name) const {
  const size_t index = IndexOf(name);
  return index < nodes.size() && nodes[index]->name() == name ? nodes[index].get() : nullptr;
}

void Snapshot::Insert(size_t index, NodePtr node) {
  if (node->has_anti_affinity) anti_affinity_nodes.push_back(node);
  nodes.insert(nodes.begin() + static_cast<ptrdiff_t>(index), std::move(node));
}

void Snapshot::Replace(size_t index, NodePtr node) {
  std::erase(anti_affinity_nodes, nodes[index]);
  if (node->has_anti_affinity) anti_affinity_nodes.push_back(node);
  nodes[index] = std::move(node);
}

Snapshot Snapshot::Without(const Names& pods) const {
  Snapshot changed = *this;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodePtr& node = nodes[i];
    const bool has =
        std::any_of(node->pods.begin(), node->pods.end(), [&](const PodPtr& pod) { return pods.contains(pod->key); }) ||
        std::any_of(node->claims.begin(), node->claims.end(), [&](const ClaimPtr& claim) { return OnlyFor(*claim, pods, *node); });
    if (has) changed.Replace(i, NodeWithout(*node, pods));
  }
  return changed;
}

Snapshot Snapshot::WithNode(NodePtr node) const {
  Snapshot changed = *this;
  const size_t index = IndexOf(node->name());
  changed.Insert(index, std::move(node));
  return changed;
}

}  // namespace allot::sched
