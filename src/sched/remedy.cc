#include "sched/remedy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "alloc/taint.h"
#include "model/memory.h"
#include "sched/asks.h"
#include "sched/plan.h"

namespace allot::sched {
namespace {

using Change = Remedy::Change;

constexpr size_t kMaxNodes = 64;  // on which a lifted rule, or less, is tried

// The snapshot with another state of one of its nodes.
Snapshot Replacing(const Snapshot& snapshot, NodePtr node) {
  Snapshot changed = snapshot;
  for (size_t i = 0; i < changed.nodes.size(); ++i) {
    if (changed.nodes[i]->name() == node->name()) changed.Replace(i, node);
  }
  return changed;
}

// Requests that are lowered together.
using Requests = std::vector<std::pair<size_t, size_t>>;  // claim, request

// `alternative` is the index among the asks of each request.
PodWithClaims AskingFor(const PodWithClaims& asking, const Requests& which, size_t alternative, model::MiB memory) {
  PodWithClaims changed = asking;
  for (const auto& [c, r] : which) {
    changed = WithClaim(changed, c,
                        [&, index = r](model::ResourceClaim& claim) { AskForMemory(*AsksOf(claim.requests[index])[alternative], memory); });
  }
  return changed;
}

// The most memory that these requests could have now. nullopt: even the least does not help.
std::optional<Remedy> LessMemory(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, const Requests& which,
                                 size_t alternative) {
  const auto& [claim, request] = which[0];
  const model::MiB asked = MemoryAsked(*AsksOf(asking.claims[claim]->claim.requests[request])[alternative]);
  const bool is_whole = asked == model::MiB(0);
  int64_t fits = 0, above = (is_whole ? LargestDevice(snapshot) : asked).count();
  std::string place;
  while (above - fits > 1) {
    const int64_t middle = fits + (above - fits) / 2;
    if (auto found = PlaceOf(decider, snapshot, AskingFor(asking, which, alternative, model::MiB(middle)))) {
      fits = middle;
      place = std::move(found->node);
    } else {
      above = middle;
    }
  }
  if (fits == 0) return std::nullopt;
  return Remedy{.change = is_whole ? Change::kPartOfGpu : Change::kLessMemory,
                .node = std::move(place),
                .memory_asked = asked,
                .memory_enough = model::MiB(fits)};
}

// The alternative of the request that has to ask for the least less; a part instead of a whole device comes last.
std::optional<Remedy> LessOfOneAlternative(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, size_t claim,
                                           size_t request) {
  const model::Request& one = asking.claims[claim]->claim.requests[request];
  const auto asks = AsksOf(one);
  const auto is_cheaper = [](const Remedy& a, const Remedy& b) {
    if (a.change != b.change) return a.change == Change::kLessMemory;
    return a.memory_asked - a.memory_enough < b.memory_asked - b.memory_enough;
  };
  std::optional<Remedy> best;
  for (size_t i = 0; i < asks.size(); ++i) {
    std::optional<Remedy> less = LessMemory(decider, snapshot, asking, {{claim, request}}, i);
    if (!less || (best && !is_cheaper(*less, *best))) continue;
    best = std::move(less);
    if (!one.exactly) best->alternative = asks[i]->name;
  }
  return best;
}

void AddLessMemory(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, std::vector<Remedy>& remedies) {
  if (const std::optional<Several> several = SeveralOf(asking)) {
    Requests all;
    for (size_t r = 0; r < asking.claims[several->claim]->claim.requests.size(); ++r) all.emplace_back(several->claim, r);
    if (auto less = LessMemory(decider, snapshot, asking, all, 0)) {
      less->each = several->differ ? Remedy::Each::kGpu : Remedy::Each::kShare;
      remedies.push_back(*std::move(less));
    }
    return;
  }
  for (size_t c = 0; c < asking.claims.size(); ++c) {
    const model::ResourceClaim& claim = asking.claims[c]->claim;
    if (claim.allocation) continue;
    for (size_t r = 0; r < claim.requests.size(); ++r) {
      auto less = LessOfOneAlternative(decider, snapshot, asking, c, r);
      if (!less) continue;
      if (asking.claims.size() > 1 || claim.requests.size() > 1) {
        less->request = claim.requests[r].name;
        less->claim = asking.claims[c]->key;
      }
      return remedies.push_back(*std::move(less));
    }
  }
}

// As many of the devices as there are.
void AddFewer(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, std::vector<Remedy>& remedies) {
  const std::optional<Several> several = SeveralOf(asking);
  for (int64_t count = several ? std::min<int64_t>(several->count - 1, alloc::kMaxResults) : 0; count > 0; --count) {
    auto place = PlaceOf(decider, snapshot, WithCount(asking, *several, count));
    if (!place) continue;
    return remedies.push_back({.change = Change::kFewerDevices,
                               .node = std::move(place->node),
                               .asked = several->count,
                               .enough = count,
                               .each = several->differ ? Remedy::Each::kGpu : Remedy::Each::kShare});
  }
}

void AddLessOfNode(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, std::vector<Remedy>& remedies) {
  for (const std::string_view name : {"cpu", "memory"}) {
    const int64_t asked = model::AmountOf(asking.pod->placement.requests, name);
    std::set<int64_t, std::greater<>> amounts;
    for (const NodePtr& node : snapshot.nodes) {
      const int64_t free = model::AmountOf(node->node->allocatable, name) - model::AmountOf(node->used, name);
      if (free > 0 && free < asked) amounts.insert(free);
    }
    size_t looked_at = 0;
    for (const int64_t most : amounts) {
      if (++looked_at > kMaxNodes) break;
      PodWithClaims changed = asking;
      auto pod = std::make_shared<Pod>(*asking.pod);
      for (auto& [resource, amount] : pod->placement.requests) amount = resource == name ? most : amount;
      changed.pod = std::move(pod);
      const auto place = PlaceOf(decider, snapshot, changed);
      if (!place) continue;
      remedies.push_back(
          {.change = Change::kLessOfNode, .node = place->node, .asked = asked, .enough = most, .resource = std::string(name)});
      break;
    }
  }
}

// Taints that Kubernetes sets say what a node is like: they have to go, and a Pod should not tolerate them.
Remedy Tolerating(const model::Taint& taint) {
  const bool silent = taint.key == "node.kubernetes.io/not-ready" || taint.key == "node.kubernetes.io/unreachable";
  const Change change = silent                                         ? Change::kNodeReady
                        : taint.key.starts_with("node.kubernetes.io/") ? Change::kTaintGone
                                                                       : Change::kToleration;
  return {.change = change, .taints = {{{std::string(taint.key), std::string(taint.value), std::string(taint.effect)}, ""}}};
}

// Lifts what keeps the Pod from a node, one rule at a time.
void AddAllowed(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, std::vector<Remedy>& remedies) {
  const auto try_node = [&](const Node& node, model::Node changed, Remedy remedy) {
    auto copy = std::make_shared<Node>(node);
    copy->node = std::make_shared<const model::Node>(std::move(changed));
    const auto place = PlaceOf(decider, Replacing(snapshot, std::move(copy)), asking);
    if (!place) return false;
    remedy.node = place->node;
    remedy.target = node.name();
    remedies.push_back(std::move(remedy));
    return true;
  };
  size_t looked_at = 0;
  for (const NodePtr& node : snapshot.nodes) {
    if (++looked_at > kMaxNodes) return;
    const model::Node& spec = *node->node;
    if (spec.unschedulable) {
      model::Node changed = spec;
      changed.unschedulable = false;
      std::erase_if(changed.taints, [](const model::Taint& taint) { return taint.key == "node.kubernetes.io/unschedulable"; });
      if (try_node(*node, std::move(changed), {.change = Change::kUncordon})) return;
    }
    if (const model::Taint* taint = alloc::PreventingTaint(spec.taints, asking.pod->placement.tolerations)) {
      model::Node changed = spec;
      std::erase_if(changed.taints, [&](const model::Taint& t) { return t.key == taint->key && t.effect == taint->effect; });
      if (try_node(*node, std::move(changed), Tolerating(*taint))) return;
    }
    for (const auto& [key, value] : asking.pod->placement.node_selector) {
      const std::string_view* label = spec.Label(key);
      if (label != nullptr && *label == value) continue;
      model::Node changed = spec;
      std::erase_if(changed.labels, [&, k = key](const auto& one) { return one.first == k; });
      changed.labels.emplace_back(key, value);
      std::sort(changed.labels.begin(), changed.labels.end());
      if (try_node(*node, std::move(changed), {.change = Change::kLabel, .label = std::string(key), .value = std::string(value)})) return;
    }
  }
}

void AddEnding(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, std::vector<Remedy>& remedies) {
  const std::optional<Plan> plan = MakePlan(decider, snapshot, asking);
  if (!plan || plan->ends.empty()) return;
  const auto place = PlaceOf(decider, snapshot.Without(plan->ends), asking);
  if (!place) return;
  remedies.push_back({.change = Change::kPodsEnd, .node = place->node, .pods = {plan->ends.begin(), plan->ends.end()}});
}

// A node like this one, but empty, without taints, and with devices of at least so much memory (0: as they are).
NodePtr NodeLike(const Node& node, model::MiB least, const alloc::Features& features) {
  static constexpr std::string_view kName = "another-node";
  auto spec = std::make_shared<model::Node>(*node.node);
  spec->name = kName;
  spec->unschedulable = false;
  spec->taints.clear();
  for (auto& [key, value] : spec->labels) value = key == "kubernetes.io/hostname" ? kName : value;
  auto devices = std::make_shared<Devices>();
  devices->node = spec;
  std::vector<const model::ResourceSlice*> views;
  for (const auto& slice : node.devices->slices) {
    if (slice->slice.nodes.node_name != node.node->name) continue;
    Slice copy = *slice;
    copy.slice.nodes.node_name = kName;
    copy.slice.pool = kName;
    for (model::Device& device : copy.slice.devices) {
      device.taints.clear();
      const model::Capacity* const memory = model::MemoryOf(device);
      for (model::Capacity& capacity : device.capacity) {
        if (&capacity != memory || model::MiB::Offered(capacity.value) >= least) continue;
        capacity.value = least.ToQuantity();
        if (capacity.policy == nullptr) continue;
        auto policy = std::make_shared<model::CapacityPolicy>(*capacity.policy);
        if (policy->default_value) policy->default_value = capacity.value;
        if (policy->max) policy->max = capacity.value;
        capacity.policy = std::move(policy);
      }
    }
    devices->slices.push_back(std::make_shared<const Slice>(std::move(copy)));
    views.push_back(&devices->slices.back()->slice);
  }
  Result<alloc::Inventory> inventory = alloc::Inventory::Gather(*spec, views, features, alloc::Quirks());
  devices->status = inventory.status();
  if (inventory.ok()) devices->inventory = *std::move(inventory);
  auto made = std::make_shared<Node>();
  made->document = node.document;
  made->node = spec;
  made->devices = std::move(devices);
  return made;
}

model::MiB MostMemory(const PodWithClaims& asking) {
  model::MiB most;
  for (const ClaimPtr& claim : asking.claims) {
    for (const model::Request& one : claim->claim.requests) most = std::max(most, MemoryAsked(one));
  }
  return most;
}

// The memory of each GPU that the allocations use. Several shares may be of one.
std::vector<model::MiB> GpusOf(const Node& node, const std::vector<model::Allocation>& allocations) {
  std::map<const alloc::InventoryDevice*, model::MiB> gpus;
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      const alloc::InventoryDevice* const entry = DeviceOf(node, result);
      if (entry == nullptr) continue;
      model::MiB& size = gpus[entry];
      const model::Capacity* const memory = model::MemoryOf(*entry->device);
      if (memory != nullptr) size = model::MiB::Offered(memory->value);
    }
  }
  std::vector<model::MiB> sizes;
  for (const auto& [gpu, size] : gpus) sizes.push_back(size);
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

void AddNode(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking, std::vector<Remedy>& remedies) {
  // What GPUs are sold with, beyond those that are there.
  constexpr int64_t kSizes[] = {0, 8, 12, 16, 24, 32, 40, 48, 80, 96, 141, 192, 288};
  const model::MiB asked = MostMemory(asking);
  for (const int64_t gib : kSizes) {
    const model::MiB least(gib * 1024);
    if (gib > 0 && least < asked) continue;
    std::optional<std::pair<double, Remedy>> best;  // the one with the least hardware
    for (const NodePtr& like : snapshot.nodes) {
      const NodePtr node = NodeLike(*like, least, snapshot.features);
      const auto allocations = FitsOn(decider, snapshot, node, asking);
      if (!allocations) continue;
      const Snapshot with = snapshot.WithNode(node);
      const auto place = PlaceOf(decider, with, asking);
      if (!place) continue;
      double size = 0;
      for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
        for (const model::Capacity& capacity : entry.device->capacity) size += capacity.value.AsApproximateFloat64();
      }
      if (!best || size < best->first) {
        best = {size, Remedy{.change = Change::kMoreNodes, .node = place->node, .gpus = GpusOf(*node, *allocations)}};
      }
    }
    if (best) return remedies.push_back(std::move(best->second));
  }
}

}  // namespace

Remedy::Kind Remedy::kind() const {
  switch (change) {
    case Change::kLessMemory:
    case Change::kPartOfGpu:
    case Change::kFewerDevices:
    case Change::kLessOfNode: return Kind::kLess;
    case Change::kPodsEnd:
    case Change::kPodStopsWaiting: return Kind::kEnding;
    case Change::kMoreNodes: return Kind::kNode;
    default: return Kind::kAllow;
  }
}

model::MiB LargestDevice(const Snapshot& snapshot) {
  model::MiB largest;
  for (const NodePtr& node : snapshot.nodes) {
    if (!node->devices->inventory) continue;
    for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
      const model::Capacity* const memory = model::MemoryOf(*entry.device);
      if (memory != nullptr) largest = std::max(largest, model::MiB::Offered(memory->value));
    }
  }
  return largest;
}

std::optional<Decision> PlaceOf(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking) {
  Result<Decision> decision = decider.DecideOnce(snapshot, asking);
  if (!decision.ok() || decision->outcome != Decision::Outcome::kPlaced) return std::nullopt;
  return *std::move(decision);
}

std::vector<Remedy> FindRemedies(Decider& decider, const Snapshot& snapshot, const PodWithClaims& asking) {
  std::vector<Remedy> remedies;
  if (!asking.obstacle.empty() || !asking.pod->placement.gates.empty()) return remedies;
  AddLessMemory(decider, snapshot, asking, remedies);
  AddFewer(decider, snapshot, asking, remedies);
  AddLessOfNode(decider, snapshot, asking, remedies);
  AddAllowed(decider, snapshot, asking, remedies);
  AddEnding(decider, snapshot, asking, remedies);
  AddNode(decider, snapshot, asking, remedies);
  return remedies;
}

}  // namespace allot::sched
