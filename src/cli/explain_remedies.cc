// What would let a waiting Pod start. Every change is tried by asking the scheduler's own code again.

#include <algorithm>
#include <functional>

#include "alloc/taint.h"
#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_parts.h"
#include "json/editor.h"
#include "sched/asks.h"

namespace allot::cli {
namespace {

using sched::Remedy;

constexpr model::Toleration kTolerateAll{"", "Exists", "", "", std::nullopt};
constexpr int64_t kMiB = 1 << 20;

sched::Request WithPod(const sched::Request& request, const std::function<void(model::Placement&)>& change) {
  sched::Request changed = request;
  auto copy = std::make_shared<sched::Pod>(*request.pod);
  change(copy->placement);
  changed.pod = std::move(copy);
  return changed;
}

sched::Request ToleratingDevices(const sched::Request& request) {
  sched::Request changed = request;
  for (size_t i = 0; i < request.claims.size(); ++i) {
    changed = sched::WithClaim(changed, i, [](model::ResourceClaim& claim) {
      for (model::Request& one : claim.requests) {
        for (model::DeviceRequest* ask : sched::AsksOf(one)) ask->tolerations.push_back(kTolerateAll);
      }
    });
  }
  return changed;
}

// "gpu.nvidia.com/xid=48:NoSchedule" of each device that only a toleration opens.
std::vector<std::string> TaintsOf(const sched::Snapshot& snapshot, const sched::Decision& decision) {
  std::vector<std::string> texts;
  const sched::Node* const node = snapshot.Find(decision.node);
  if (node == nullptr || !node->devices->inventory) return texts;
  for (const model::Allocation& allocation : decision.allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      for (const alloc::InventoryDevice& entry : node->devices->inventory->devices()) {
        if (entry.device->name != result.device || entry.slice->pool != result.pool || entry.slice->driver != result.driver) continue;
        for (const model::Taint& taint : entry.device->taints) {
          if (taint.effect == "None") continue;
          texts.push_back(StrCat(taint.key, taint.value.empty() ? "" : "=", taint.value, ":", taint.effect, " of ", result.device));
        }
      }
    }
  }
  return texts;
}

void AddClaimRules(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::Request& request, std::vector<Remedy>& remedies) {
  const auto try_it = [&](const sched::Request& changed, std::string text) {
    if (auto placed = sched::PlaceOf(decider, snapshot, changed)) remedies.push_back({Remedy::Kind::kAllow, std::move(text), placed->node});
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
             StrCat("request ", one.name, " of claim ", claim.FullName(), " without its selectors"));
    }
    if (!claim.constraints.empty()) {
      try_it(sched::WithClaim(request, i, [](model::ResourceClaim& c) { c.constraints.clear(); }),
             StrCat("claim ", claim.FullName(), " without its constraints"));
    }
  }
  if (auto placed = sched::PlaceOf(decider, snapshot, ToleratingDevices(request))) {
    const std::vector<std::string> taints = TaintsOf(snapshot, *placed);
    if (!taints.empty()) {
      remedies.push_back({Remedy::Kind::kAllow, StrCat("taint ", Names(taints), " gone, or tolerated by the claim"), placed->node});
    }
  }
}

void AddPodRules(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::Request& request, std::vector<Remedy>& remedies) {
  const model::Placement& rules = request.pod->placement;
  const auto try_it = [&](bool has, std::string_view text, const std::function<void(model::Placement&)>& change) {
    if (!has) return;
    if (auto placed = sched::PlaceOf(decider, snapshot, WithPod(request, change))) {
      remedies.push_back({Remedy::Kind::kAllow, std::string(text), placed->node});
    }
  };
  try_it(rules.required_nodes.has_value(), "the Pod without its node affinity", [](auto& p) { p.required_nodes.reset(); });
  try_it(!rules.near.empty(), "the Pod without its affinity to Pods", [](auto& p) { p.near.clear(); });
  try_it(!rules.away.empty(), "the Pod without its anti-affinity", [](auto& p) { p.away.clear(); });
  try_it(!rules.spread.empty(), "the Pod without its topology spread constraints", [](auto& p) { p.spread.clear(); });
  try_it(!rules.ports.empty(), "the Pod without its host ports", [](auto& p) { p.ports.clear(); });
}

// Takes the Pod away, and what is held for it alone.
void End(sched::Cluster& cluster, const std::string& key) {
  const sched::PodPtr pod = cluster.FindPod(key);
  if (pod == nullptr) return;
  for (const sched::ClaimPtr& claim : cluster.RequestOf(pod).claims) {
    const auto& users = claim->claim.reserved_for;
    const bool alone = std::all_of(users.begin(), users.end(), [&](std::string_view user) { return user == pod->pod.name; });
    if (alone) cluster.RemoveClaim(claim->claim.name_space, claim->claim.name);
  }
  cluster.RemovePod(pod->pod.name_space, pod->pod.name);
}

// Where the Pod starts when everybody is asked; nothing: it does not.
std::optional<std::string> StartsIn(const Inquiry& inquiry, sched::Cluster cluster, std::string_view pod_key) {
  sched::Queue queue(inquiry.decider, {.schedulers = OwnSchedulers(inquiry.world), .explain = false});
  std::optional<std::string> node;
  queue.Run(cluster, [&](const sched::Placed& placed) {
    if (placed.request.pod->key == pod_key) node = placed.node;
  });
  return node;
}

// The Pod's only amount of memory, which it may ask for of several GPUs: where it stands. Nothing: it asks for several amounts.
struct OneAmount {
  const kube::Object* claim;
  int64_t mib;            // 0: the whole of a GPU
  std::string_view each;  // " of each GPU" where it is for several; else empty
};
std::optional<OneAmount> OneAmountOf(const Inquiry& inquiry, std::string_view pod_key) {
  const sched::Request request = inquiry.cluster.RequestOf(inquiry.cluster.FindPod(pod_key));
  const std::optional<sched::Several> several = sched::SeveralOf(request);
  const std::string_view each = !several ? "" : several->differ ? " of each GPU" : " for each share";
  if (request.claims.size() != 1 || (request.claims[0]->claim.requests.size() != 1 && !several)) return std::nullopt;
  for (const kube::ObjectPtr& claim : inquiry.world.claims.objects) {
    if (kube::KeyOf(*claim) != request.claims[0]->key) continue;
    const json::Value& ask = claim->json()["spec"]["devices"]["requests"].Items()[0]["exactly"];
    const json::Value& memory = ask["capacity"]["requests"]["memory"];
    if (!ask.IsObject()) return std::nullopt;
    if (memory.IsNull()) return OneAmount{claim.get(), 0, each};
    const Result<model::Quantity> amount = model::Quantity::Parse(OneLine(memory));
    if (amount.ok()) return OneAmount{claim.get(), amount->Value().value_or(0) / kMiB, each};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Remedy> LessInOrder(const Inquiry& inquiry, std::string_view pod_key) {
  const std::optional<OneAmount> amount = OneAmountOf(inquiry, pod_key);
  if (!amount) return {};
  const auto starts_with = [&](int64_t mib) {
    const auto arena = std::make_shared<json::Arena>();
    json::Editor edit(*arena);
    const json::Value& claim = amount->claim->json();
    const json::Value requests = edit.Map(claim["spec"]["devices"]["requests"], [&](const json::Value& one) {
      return edit.SetAt(one, {"exactly", "capacity", "requests", "memory"}, edit.String(StrCat(mib, "Mi")));
    });
    sched::Cluster cluster = inquiry.cluster;
    if (!cluster.PutClaim(edit.SetAt(claim, {"spec", "devices", "requests"}, requests), arena).ok()) return std::optional<std::string>();
    return StartsIn(inquiry, std::move(cluster), pod_key);
  };
  int64_t fits = 0, above = amount->mib > 0 ? amount->mib : sched::LargestDevice(*sched::Cluster(inquiry.cluster).Take());
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
  const std::string less = amount->mib == 0
                               ? StrCat("asking for at most ", fits, " MiB instead of a whole GPU", amount->each)
                               : StrCat(amount->mib - fits, " MiB less", amount->each, " (", fits, " instead of ", amount->mib, ")");
  return {{Remedy::Kind::kLess, StrCat(less, ", which delays nobody"), *node}};
}

std::vector<Remedy> RemediesFor(sched::Decider& decider, const sched::Snapshot& snapshot, const sched::Request& request) {
  std::vector<Remedy> remedies = sched::FindRemedies(decider, snapshot, request);
  for (Remedy& remedy : remedies) {
    // Nobody should tolerate what a node says of itself.
    if (!remedy.text.starts_with("a toleration for node.kubernetes.io/")) continue;
    const bool silent = remedy.text.find("/not-ready:") != std::string::npos || remedy.text.find("/unreachable:") != std::string::npos;
    const std::string_view taint = std::string_view(remedy.text).substr(std::string_view("a toleration for ").size());
    remedy.text =
        silent ? StrCat("node ", remedy.node, " being ready") : StrCat("node ", remedy.node, " without ", taint.substr(0, taint.find(':')));
  }
  AddClaimRules(decider, snapshot, request, remedies);
  AddPodRules(decider, snapshot, request, remedies);
  std::stable_sort(remedies.begin(), remedies.end(), [](const Remedy& a, const Remedy& b) { return a.kind < b.kind; });
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
    remedies.push_back({Remedy::Kind::kEnding, StrCat(Names({ahead->plan->ends.begin(), ahead->plan->ends.end()}), " ending"), ""});
  }
  if (StartsWithout(inquiry, pod_key, {std::string(keeper)})) {
    remedies.push_back({Remedy::Kind::kEnding,
                        StrCat(keeper, " no longer waiting (allot delete pod ", keeper.substr(keeper.find('/') + 1), " -n ",
                               keeper.substr(0, keeper.find('/')), ")"),
                        ""});
  }
  return remedies;
}

}  // namespace allot::cli
