// What would let a waiting Pod start. The scheduler's own code tries every change.

#include <algorithm>
#include <functional>

#include "alloc/taint.h"
#include "base/strings.h"
#include "sched/asks.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

using sched::Remedy;
using Change = Remedy::Change;

constexpr model::Toleration kTolerateAll{"", "Exists", "", "", std::nullopt};

sched::PodWithClaims WithPod(const sched::PodWithClaims& request, const std::function<void(model::Placement&)>& change) {
  sched::PodWithClaims changed = request;
  auto copy = std::make_shared<sched::Pod>(*request.pod);
  change(copy->placement);
  changed.pod = std::move(copy);
  return changed;
}

sched::PodWithClaims ToleratingDevices(const sched::PodWithClaims& request) {
  sched::PodWithClaims changed = request;
  for (size_t i = 0; i < request.claims.size(); ++i) {
    changed = sched::WithClaim(changed, i, [](model::ResourceClaim& claim) {
      for (model::Request& one : claim.requests) {
        for (model::DeviceRequest* ask : sched::AsksOf(one)) ask->tolerations.push_back(kTolerateAll);
      }
    });
  }
  return changed;
}

// The taints of the devices that the decision takes.
std::vector<Remedy::Taint> TaintsOf(const sched::Snapshot& snapshot, const sched::Decision& decision) {
  std::vector<Remedy::Taint> taints;
  const sched::Node* const node = snapshot.Find(decision.node);
  if (node == nullptr || !node->devices->inventory) return taints;
  for (const model::Allocation& allocation : decision.allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
        if (entry.device->name != result.device || entry.slice->pool != result.pool || entry.slice->driver != result.driver) continue;
        for (const model::Taint& taint : entry.device->taints) {
          if (taint.effect == "None") continue;
          taints.push_back({{std::string(taint.key), std::string(taint.value), std::string(taint.effect)}, std::string(result.device)});
        }
      }
    }
  }
  return taints;
}

void AddClaimRules(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                   std::vector<Remedy>& remedies) {
  const auto try_it = [&](const sched::PodWithClaims& changed, Remedy remedy) {
    const auto placed = sched::PlaceOf(decider, snapshot, changed);
    if (!placed) return;
    remedy.node = placed->node;
    remedies.push_back(std::move(remedy));
  };
  for (size_t i = 0; i < request.claims.size(); ++i) {
    const model::ResourceClaim& claim = request.claims[i]->claim;
    if (claim.allocation) continue;
    for (size_t r = 0; r < claim.requests.size(); ++r) {
      const model::Request& one = claim.requests[r];
      const std::vector<const model::DeviceRequest*> asks = sched::AsksOf(one);
      if (std::all_of(asks.begin(), asks.end(), [](const auto* ask) { return ask->selectors.empty(); })) continue;
      const auto without_selectors = [&](model::ResourceClaim& c) {
        for (model::DeviceRequest* ask : sched::AsksOf(c.requests[r])) ask->selectors.clear();
      };
      try_it(sched::WithClaim(request, i, without_selectors),
             {.change = Change::kNoSelectors, .claim = claim.FullName(), .request = std::string(one.name)});
    }
    if (!claim.constraints.empty()) {
      try_it(sched::WithClaim(request, i, [](model::ResourceClaim& c) { c.constraints.clear(); }),
             {.change = Change::kNoConstraints, .claim = claim.FullName()});
    }
  }
  if (auto placed = sched::PlaceOf(decider, snapshot, ToleratingDevices(request))) {
    std::vector<Remedy::Taint> taints = TaintsOf(snapshot, *placed);
    if (!taints.empty()) {
      remedies.push_back({.change = Change::kDeviceTaints, .node = placed->node, .taints = std::move(taints)});
    }
  }
}

void AddPodRules(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                 std::vector<Remedy>& remedies) {
  const model::Placement& rules = request.pod->placement;
  const auto try_it = [&](bool has, Change kind, const std::function<void(model::Placement&)>& change) {
    if (!has) return;
    if (auto placed = sched::PlaceOf(decider, snapshot, WithPod(request, change))) {
      remedies.push_back({.change = kind, .node = placed->node});
    }
  };
  try_it(rules.required_nodes.has_value(), Change::kNoNodeAffinity, [](auto& p) { p.required_nodes.reset(); });
  try_it(!rules.affinity.empty(), Change::kNoPodAffinity, [](auto& p) { p.affinity.clear(); });
  try_it(!rules.anti_affinity.empty(), Change::kNoAntiAffinity, [](auto& p) { p.anti_affinity.clear(); });
  try_it(!rules.spread.empty(), Change::kNoSpread, [](auto& p) { p.spread.clear(); });
  try_it(!rules.ports.empty(), Change::kNoHostPorts, [](auto& p) { p.ports.clear(); });
}

// Removes the Pod, and the claims that only it uses.
void End(sched::Cluster& cluster, const std::string& key) {
  const sched::PodPtr pod = cluster.FindPod(key);
  if (pod == nullptr) return;
  for (const sched::ClaimPtr& claim : cluster.WithClaims(pod).claims) {
    const auto& users = claim->claim.reserved_for;
    const bool alone = std::all_of(users.begin(), users.end(), [&](std::string_view user) { return user == pod->pod.name; });
    if (alone) cluster.RemoveClaim(claim->claim.name_space, claim->claim.name);
  }
  cluster.RemovePod(pod->pod.name_space, pod->pod.name);
}

// The node on which the Pod starts when the whole queue is decided; nullopt: it does not start.
std::optional<std::string> StartsIn(const Inquiry& inquiry, sched::Cluster cluster, std::string_view pod_key) {
  sched::Queue queue(inquiry.decider, {.schedulers = inquiry.world.OurSchedulers(), .explain = false});
  std::optional<std::string> node;
  queue.Run(cluster, [&](const sched::Placed& placed) {
    if (placed.asking.pod->key == pod_key) node = placed.node;
  });
  return node;
}

// The Pod's only amount of memory, which it may ask for of several GPUs.
struct OneAmount {
  sched::ClaimPtr claim;
  int64_t mib = 0;  // 0: a whole GPU
  Remedy::Each each = Remedy::Each::kNone;
};
// nullopt: the Pod asks for several amounts, or has alternatives.
std::optional<OneAmount> OneAmountOf(const Inquiry& inquiry, std::string_view pod_key) {
  const sched::PodWithClaims request = inquiry.cluster.WithClaims(inquiry.cluster.FindPod(pod_key));
  const std::optional<sched::Several> several = sched::SeveralOf(request);
  const Remedy::Each each = !several ? Remedy::Each::kNone : several->differ ? Remedy::Each::kGpu : Remedy::Each::kShare;
  if (request.claims.size() != 1) return std::nullopt;
  const auto& requests = request.claims[0]->claim.requests;
  if (requests.empty() || (requests.size() != 1 && !several) || !requests[0].exactly) return std::nullopt;
  return OneAmount{request.claims[0], sched::MemoryAsked(*requests[0].exactly).count(), each};
}

}  // namespace

std::vector<Remedy> LessInOrder(const Inquiry& inquiry, std::string_view pod_key) {
  const std::optional<OneAmount> amount = OneAmountOf(inquiry, pod_key);
  if (!amount) return {};
  const auto starts_with = [&](int64_t mib) {
    auto claim = std::make_shared<sched::Claim>(*amount->claim);
    for (model::Request& one : claim->claim.requests) sched::AskForMemory(*one.exactly, model::MiB(mib));
    claim->shape = StrCat(amount->claim->shape, " with ", mib, " MiB");
    sched::Cluster cluster = inquiry.cluster;
    cluster.PutClaim(std::move(claim));
    return StartsIn(inquiry, std::move(cluster), pod_key);
  };
  int64_t fits = 0, above = amount->mib > 0 ? amount->mib : sched::LargestDevice(*sched::Cluster(inquiry.cluster).Take()).count();
  std::optional<std::string> node;
  while (above - fits > 1) {
    const int64_t middle = fits + (above - fits) / 2;
    if (auto found = starts_with(middle)) {
      fits = middle;
      node = std::move(found);
    } else {
      above = middle;
    }
  }
  if (!node) return {};
  return {{.change = amount->mib == 0 ? Change::kPartOfGpu : Change::kLessMemory,
           .node = *node,
           .memory_asked = model::MiB(amount->mib),
           .memory_enough = model::MiB(fits),
           .each = amount->each,
           .delays_no_pod = true}};
}

std::vector<Remedy> RemediesFor(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::PodWithClaims& request) {
  std::vector<Remedy> remedies = sched::FindRemedies(decider, snapshot, request);
  AddClaimRules(decider, snapshot, request, remedies);
  AddPodRules(decider, snapshot, request, remedies);
  std::stable_sort(remedies.begin(), remedies.end(), [](const Remedy& a, const Remedy& b) { return a.kind() < b.kind(); });
  return remedies;
}

bool StartsWithout(const Inquiry& inquiry, std::string_view pod_key, const std::set<std::string, std::less<>>& ended) {
  sched::Cluster cluster = inquiry.cluster;
  for (const std::string& key : ended) End(cluster, key);
  return StartsIn(inquiry, std::move(cluster), pod_key).has_value();
}

std::vector<Remedy> RemediesForKept(const Inquiry& inquiry, const sched::Queue& queue, std::string_view pod_key, std::string_view keeper) {
  std::vector<Remedy> remedies = LessInOrder(inquiry, pod_key);
  const sched::Waiting* const ahead = queue.Find(keeper);
  if (ahead == nullptr) return remedies;
  if (ahead->plan && !ahead->plan->ends.empty() && StartsWithout(inquiry, pod_key, ahead->plan->ends)) {
    remedies.push_back({.change = Change::kPodsEnd, .pods = {ahead->plan->ends.begin(), ahead->plan->ends.end()}});
  }
  if (StartsWithout(inquiry, pod_key, {std::string(keeper)})) {
    remedies.push_back({.change = Change::kPodStopsWaiting, .pods = {std::string(keeper)}});
  }
  return remedies;
}

}  // namespace allot::view
