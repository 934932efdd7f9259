#include "sched/remedy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "alloc/taint.h"
#include "sched/asks.h"
#include "sched/plan.h"

namespace allot::sched {
namespace {

constexpr int64_t kMiB = 1 << 20;
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

Request AskingFor(const Request& request, const Requests& which, int64_t mib) {
  Request changed = request;
  for (const auto& [c, r] : which) {
    changed = WithClaim(changed, c, [&, index = r](model::ResourceClaim& claim) {
      for (model::DeviceRequest* ask : AsksOf(claim.requests[index])) AskForMemory(*ask, mib);
    });
  }
  return changed;
}

// The most memory that these could have now; nothing: even the least does not help, or they do not ask for the same.
std::optional<Remedy> LessMemory(Decider& decider, const Snapshot& snapshot, const Request& request, const Requests& which,
                                 std::string_view each) {
  const int64_t asked = MemoryAsked(request.claims[which[0].first]->claim.requests[which[0].second]);  // 0: the whole of a device
  int64_t fits = 0, above = asked > 0 ? asked : LargestDevice(snapshot);
  std::string place;
  while (above - fits > 1) {
    const int64_t middle = fits + (above - fits) / 2;
    if (auto found = PlaceOf(decider, snapshot, AskingFor(request, which, middle))) {
      fits = middle;
      place = std::move(found->node);
    } else {
      above = middle;
    }
  }
  if (fits == 0) return std::nullopt;
  return Remedy{Remedy::Kind::kLess,
                asked > 0 ? StrCat(asked - fits, " MiB less", each, " (", fits, " instead of ", asked, ")")
                          : StrCat("asking for at most ", fits, " MiB instead of a whole GPU", each),
                std::move(place)};
}

void AddLessMemory(Decider& decider, const Snapshot& snapshot, const Request& request, std::vector<Remedy>& remedies) {
  if (const std::optional<Several> several = SeveralOf(request)) {
    Requests all;
    for (size_t r = 0; r < request.claims[several->claim]->claim.requests.size(); ++r) all.emplace_back(several->claim, r);
    if (auto less = LessMemory(decider, snapshot, request, all, several->differ ? " of each GPU" : " for each share"))
      remedies.push_back(*std::move(less));
    return;
  }
  for (size_t c = 0; c < request.claims.size(); ++c) {
    const model::ResourceClaim& claim = request.claims[c]->claim;
    if (claim.allocation) continue;
    for (size_t r = 0; r < claim.requests.size(); ++r) {
      const std::string which = request.claims.size() > 1 || claim.requests.size() > 1
                                    ? StrCat(" in request ", claim.requests[r].name, " of claim ", request.claims[c]->key)
                                    : "";
      auto less = LessMemory(decider, snapshot, request, {{c, r}}, which);
      if (less) return remedies.push_back(*std::move(less));
    }
  }
}

// As many of the devices as there are.
void AddFewer(Decider& decider, const Snapshot& snapshot, const Request& request, std::vector<Remedy>& remedies) {
  const std::optional<Several> several = SeveralOf(request);
  for (int64_t count = several ? std::min<int64_t>(several->count - 1, alloc::kMaxResults) : 0; count > 0; --count) {
    auto place = PlaceOf(decider, snapshot, WithCount(request, *several, count));
    if (!place) continue;
    std::string text = StrCat(count, several->differ ? " GPU" : " share", count == 1 ? "" : "s", " instead of ", several->count);
    return remedies.push_back({Remedy::Kind::kLess, std::move(text), std::move(place->node)});
  }
}

void AddLessOfNode(Decider& decider, const Snapshot& snapshot, const Request& request, std::vector<Remedy>& remedies) {
  for (const std::string_view name : {"cpu", "memory"}) {
    const int64_t asked = model::AmountOf(request.pod->placement.requests, name);
    std::set<int64_t, std::greater<>> amounts;
    for (const NodePtr& node : snapshot.nodes) {
      const int64_t free = model::AmountOf(node->node->allocatable, name) - model::AmountOf(node->used, name);
      if (free > 0 && free < asked) amounts.insert(free);
    }
    size_t looked_at = 0;
    for (const int64_t most : amounts) {
      if (++looked_at > kMaxNodes) break;
      Request changed = request;
      auto pod = std::make_shared<Pod>(*request.pod);
      for (auto& [resource, amount] : pod->placement.requests) amount = resource == name ? most : amount;
      changed.pod = std::move(pod);
      const auto place = PlaceOf(decider, snapshot, changed);
      if (!place) continue;
      remedies.push_back({Remedy::Kind::kLess,
                          name == "cpu" ? StrCat(AmountText(name, asked - most), asked - most <= 1000 ? " CPU" : " CPUs", " less (",
                                                 AmountText(name, most), " instead of ", AmountText(name, asked), ")")
                                        : StrCat((asked - most + kMiB - 1) / kMiB, " MiB less of the node's memory"),
                          place->node});
      break;
    }
  }
}

// Lifts what keeps the Pod from a node, one rule at a time.
void AddAllowed(Decider& decider, const Snapshot& snapshot, const Request& request, std::vector<Remedy>& remedies) {
  const auto try_node = [&](const Node& node, model::Node changed, std::string text) {
    auto copy = std::make_shared<Node>(node);
    copy->node = std::make_shared<const model::Node>(std::move(changed));
    const auto place = PlaceOf(decider, Replacing(snapshot, std::move(copy)), request);
    if (place) remedies.push_back({Remedy::Kind::kAllow, std::move(text), place->node});
    return place.has_value();
  };
  size_t looked_at = 0;
  for (const NodePtr& node : snapshot.nodes) {
    if (++looked_at > kMaxNodes) return;
    const model::Node& spec = *node->node;
    if (spec.unschedulable) {
      model::Node changed = spec;
      changed.unschedulable = false;
      std::erase_if(changed.taints, [](const model::Taint& taint) { return taint.key == "node.kubernetes.io/unschedulable"; });
      if (try_node(*node, std::move(changed), StrCat("kubectl uncordon ", spec.name))) return;
    }
    if (const model::Taint* taint = alloc::PreventingTaint(spec.taints, request.pod->placement.tolerations)) {
      model::Node changed = spec;
      std::erase_if(changed.taints, [&](const model::Taint& t) { return t.key == taint->key && t.effect == taint->effect; });
      if (try_node(*node, std::move(changed), StrCat("a toleration for ", taint->key, ":", taint->effect, " (node ", spec.name, ")")))
        return;
    }
    for (const auto& [key, value] : request.pod->placement.node_selector) {
      const std::string_view* label = spec.Label(key);
      if (label != nullptr && *label == value) continue;
      model::Node changed = spec;
      std::erase_if(changed.labels, [&, k = key](const auto& one) { return one.first == k; });
      changed.labels.emplace_back(key, value);
      std::sort(changed.labels.begin(), changed.labels.end());
      if (try_node(*node, std::move(changed), StrCat("label ", key, "=", value, " on node ", spec.name))) return;
    }
  }
}

void AddEnding(Decider& decider, const Snapshot& snapshot, const Request& request, std::vector<Remedy>& remedies) {
  const std::optional<Plan> plan = MakePlan(decider, snapshot, request);
  if (!plan || plan->ends.empty()) return;
  const auto place = PlaceOf(decider, snapshot.Without(plan->ends), request);
  if (!place) return;
  std::string names;
  size_t left = plan->ends.size();
  for (const std::string& pod : plan->ends) {
    names += StrCat(names.empty() ? "" : left == 1 ? " and " : ", ", pod);
    --left;
  }
  remedies.push_back({Remedy::Kind::kEnding, StrCat(names, " ending"), place->node});
}

// A node like this one, but empty, without taints, and with devices of at least so much memory (0: as they are).
NodePtr NodeLike(const Node& node, int64_t mib) {
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
      for (model::Capacity& capacity : device.capacity) {
        if (capacity.name.id != "memory" || capacity.value.Value().value_or(0) / kMiB >= mib) continue;
        capacity.value = model::Quantity::FromInt64(mib * kMiB, model::Quantity::Format::kBinarySI);
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
  Result<alloc::Inventory> inventory = alloc::Inventory::Gather(*spec, views, alloc::Features::Defaults(), alloc::Quirks());
  devices->status = inventory.status();
  if (inventory.ok()) devices->inventory = *std::move(inventory);
  auto made = std::make_shared<Node>();
  made->kept = std::make_shared<Node>(node);
  made->node = spec;
  made->devices = std::move(devices);
  return made;
}

int64_t MostMemory(const Request& request) {
  int64_t most = 0;
  for (const ClaimPtr& claim : request.claims) {
    for (const model::Request& one : claim->claim.requests) most = std::max(most, MemoryAsked(one));
  }
  return most;
}

std::string SizeText(int64_t mib) { return mib % 1024 == 0 ? StrCat(mib / 1024, " GiB") : StrCat(mib, " MiB"); }

// "a node with 2 free GPUs of 24 GiB", "a node with free GPUs: 12 GiB, 2 of 24 GiB": those that it would use.
std::string GpuText(const Node& node, const std::vector<model::Allocation>& allocations) {
  std::map<const alloc::InventoryDevice*, int64_t> gpus;  // several shares may be of one
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      const alloc::InventoryDevice* const entry = DeviceOf(node, result);
      if (entry == nullptr) continue;
      int64_t& mib = gpus[entry];
      for (const model::Capacity& capacity : entry->device->capacity) {
        if (capacity.name.id == "memory") mib = std::max(mib, capacity.value.Value().value_or(0) / kMiB);
      }
    }
  }
  std::map<int64_t, size_t> sizes;
  for (const auto& [gpu, mib] : gpus) ++sizes[mib];
  if (sizes.empty()) return "one more node";
  const auto& [least, count] = *sizes.begin();
  if (least == 0) return StrCat("a node with ", gpus.size(), " free device", gpus.size() == 1 ? "" : "s");
  if (gpus.size() == 1) return StrCat("a node with a free ", SizeText(least), " GPU");
  if (sizes.size() == 1) return StrCat("a node with ", count, " free GPUs of ", SizeText(least));
  std::vector<std::string> texts;
  for (const auto& [mib, many] : sizes) texts.push_back(many == 1 ? SizeText(mib) : StrCat(many, " of ", SizeText(mib)));
  return StrCat("a node with free GPUs: ", Join(texts, ", "));
}

void AddNode(Decider& decider, const Snapshot& snapshot, const Request& request, std::vector<Remedy>& remedies) {
  // What GPUs are sold with, beyond those that are there.
  constexpr int64_t kSizes[] = {0, 8, 12, 16, 24, 32, 40, 48, 80, 96, 141, 192, 288};
  const int64_t asked = MostMemory(request);
  for (const int64_t gib : kSizes) {
    const int64_t mib = gib * 1024;
    if (gib > 0 && mib < asked) continue;
    std::optional<std::pair<double, Remedy>> best;  // the one with the least hardware
    for (const NodePtr& like : snapshot.nodes) {
      const NodePtr node = NodeLike(*like, mib);
      const auto allocations = FitsOn(decider, snapshot, node, request);
      if (!allocations) continue;
      const Snapshot with = snapshot.WithNode(node);
      const auto place = PlaceOf(decider, with, request);
      if (!place) continue;
      double size = 0;
      for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
        for (const model::Capacity& capacity : entry.device->capacity) size += capacity.value.AsApproximateFloat64();
      }
      if (!best || size < best->first) best = {size, {Remedy::Kind::kNode, GpuText(*node, *allocations), place->node}};
    }
    if (best) return remedies.push_back(std::move(best->second));
  }
}

}  // namespace

int64_t LargestDevice(const Snapshot& snapshot) {
  int64_t largest = 0;
  for (const NodePtr& node : snapshot.nodes) {
    if (!node->devices->inventory) continue;
    for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
      for (const model::Capacity& capacity : entry.device->capacity) {
        if (capacity.name.id == "memory") largest = std::max(largest, capacity.value.Value().value_or(0) / kMiB);
      }
    }
  }
  return largest;
}

std::optional<Decision> PlaceOf(Decider& decider, const Snapshot& snapshot, const Request& request) {
  Result<Decision> decision = decider.DecideOnce(snapshot, request);
  if (!decision.ok() || decision->outcome != Decision::Outcome::kPlaced) return std::nullopt;
  return *std::move(decision);
}

std::vector<Remedy> FindRemedies(Decider& decider, const Snapshot& snapshot, const Request& request) {
  std::vector<Remedy> remedies;
  if (!request.obstacle.empty() || !request.pod->placement.gates.empty()) return remedies;
  AddLessMemory(decider, snapshot, request, remedies);
  AddFewer(decider, snapshot, request, remedies);
  AddLessOfNode(decider, snapshot, request, remedies);
  AddAllowed(decider, snapshot, request, remedies);
  AddEnding(decider, snapshot, request, remedies);
  AddNode(decider, snapshot, request, remedies);
  return remedies;
}

}  // namespace allot::sched
