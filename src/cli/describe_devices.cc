// The devices of a node and who holds what of them.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/description.h"
#include "cli/holdings.h"
#include "cli/pools.h"

namespace allot::cli {
namespace {

std::string HolderText(const Share& share) {
  std::string amounts;
  for (const json::Member& amount : MembersOf(share.result["consumedCapacity"])) amounts += StrCat(" ", OneLine(amount.value));
  std::string pods;
  for (const json::Value& pod : ItemsOf(share.claim->json()["status"]["reservedFor"])) {
    pods += StrCat(pods.empty() ? "" : ", ", Text(pod["name"]));
  }
  return StrCat(kube::KeyOf(*share.claim), amounts, pods.empty() ? "" : StrCat(" (", pods, ")"));
}

std::vector<std::string> HolderTexts(const Use& use) {
  std::vector<std::string> texts;
  texts.reserve(use.shares.size());
  for (const Share& share : use.shares) texts.push_back(HolderText(share));
  return texts;
}

// Devices of allocations on the node, with their drivers.
std::map<std::string, std::string> HeldOn(std::string_view node, const Uses& uses) {
  std::map<std::string, std::string> held;
  for (const auto& [device, use] : uses) {
    for (const Share& share : use.shares) {
      if (AllocatedNode(share.claim->json()) == node) held[device] = Text(share.result["driver"]);
    }
  }
  return held;
}

struct DeviceState {
  bool known = true;    // who holds it
  bool offered = true;  // its pool is as the scheduler wants it
  bool tainted = false;
};

// "memory 18Gi of 24Gi, 6Gi free"
std::string ShareText(std::string_view name, const json::Value& capacity, const Use& use, const DeviceState& state) {
  const Result<model::Quantity> whole = model::Quantity::Parse(OneLine(capacity["value"]));
  if (!whole.ok()) return StrCat(name, " ", OneLine(capacity["value"]));
  if (!state.known) return StrCat(name, " <unknown> of ", whole->Canonical());
  model::Quantity held;
  if (const auto found = use.consumed.find(std::string(name)); found != use.consumed.end()) held = found->second;
  model::Quantity free = *whole;
  free.Sub(held);
  const std::string part = StrCat(name, " ", held.Canonical(), " of ", whole->Canonical(), ", ");
  if (free.Sign() <= 0) return part + "nothing free";
  if (!state.offered) return part + "the rest cannot be allocated";
  return StrCat(part, Amount(free), " free", state.tainted ? " for claims that tolerate its taints" : "");
}

std::string WholeText(const Use& use, const DeviceState& state) {
  if (!state.known) return "<unknown>";
  if (!use.shares.empty()) return "yes, all of it";
  if (!state.offered) return "no, but it cannot be allocated";
  return StrCat("no, all of it is free", state.tainted ? " for claims that tolerate its taints" : "");
}

void DescribeOne(const std::string& name, const json::Value& device, const Use& use, DeviceState state, const std::string& trouble,
                 Description& description) {
  std::vector<std::string> taints;
  for (const json::Value& taint : ItemsOf(device["taints"])) {
    const std::string value = Text(taint["value"]).empty() ? "" : StrCat("=", Text(taint["value"]));
    taints.push_back(StrCat(Text(taint["key"]), value, ":", Text(taint["effect"])));
    state.tainted |= Text(taint["effect"]) == "NoSchedule" || Text(taint["effect"]) == "NoExecute";
  }
  description.Line(1, name, ":");
  const bool shared = device["allowMultipleAllocations"].IsBool() && device["allowMultipleAllocations"].AsBool();
  if (shared) {
    std::vector<std::string> lines;
    for (const json::Member& capacity : MembersOf(device["capacity"])) lines.push_back(ShareText(capacity.key, capacity.value, use, state));
    description.Lines(2, "Held", lines);
  } else {
    description.Field(2, "Held", WholeText(use, state));
  }
  if (!trouble.empty()) description.Field(2, "Pool", trouble);
  if (!taints.empty()) description.Lines(2, "Taints", taints);
  if (state.known) {
    description.Lines(2, "Holders", HolderTexts(use));
  } else {
    description.Field(2, "Holders", "<unknown>");
  }
}

// kubectl's table: a line for each pool.
void DescribePools(const std::vector<Pool>& pools, Description& description) {
  description.Line(0, "Node-Local ResourceSlices:");
  description.Line(1, "Driver\tPool\tSlices\tDevices");
  description.Line(1, "------\t----\t------\t-------");
  for (const Pool& pool : pools) {
    size_t devices = 0;
    for (const kube::ObjectPtr& slice : pool.slices) devices += ItemsOf(slice->json()["spec"]["devices"]).size();
    description.Line(1, pool.driver, "\t", pool.name, "\t", pool.slices.size(), "\t", devices);
  }
}

// All slices of drivers, each asked for once and only when needed: pools may reach over several nodes.
class DriverSlices {
 public:
  explicit DriverSlices(Session& session) : session_(session) {}

  // nullptr: they could not be read.
  const std::vector<kube::ObjectPtr>* Of(const std::string& driver) {
    const auto [found, is_new] = slices_.try_emplace(driver);
    if (is_new) {
      kube::ListOptions options;
      options.field_selector = StrCat("spec.driver=", driver);
      std::vector<kube::ObjectPtr> slices;
      const Result<std::string> listed = session_.client().List(kube::types::kResourceSlices, "", options,
                                                                [&](kube::ObjectPtr slice) { slices.push_back(std::move(slice)); });
      if (listed.ok()) found->second = std::move(slices);
    }
    return found->second ? &*found->second : nullptr;
  }

 private:
  Session& session_;
  std::map<std::string, std::optional<std::vector<kube::ObjectPtr>>> slices_;
};

// Why nothing of the pool can be allocated; empty where it can. `pool` has the node's own slices.
std::string TroubleOf(const Pool& pool, DriverSlices& drivers) {
  if (pool.complete()) return "";
  const std::vector<kube::ObjectPtr>* const slices = drivers.Of(pool.driver);
  const std::vector<Pool> pools = slices == nullptr ? std::vector<Pool>() : PoolsOf(*slices);
  const Pool* const whole = FindPool(pools, pool.driver, pool.name);
  if (whole != nullptr && whole->generation > pool.generation) return "there is a newer generation of it, without these devices";
  if (whole != nullptr && whole->complete()) return "";
  return StrCat("incomplete: ", (whole == nullptr ? pool : *whole).slices.size(), " of its ", pool.wanted, " slices are there");
}

// Devices that claims hold on this node, and that no slice has any more.
void DescribeGone(const std::map<std::string, std::string>& here, const Uses& uses, DriverSlices& drivers, Description& description) {
  for (const auto& [device, driver] : here) {
    const std::vector<kube::ObjectPtr>* const slices = drivers.Of(driver);
    if (slices == nullptr) continue;  // it may be one that is not the node's own
    bool there = false;
    for (const Pool& pool : PoolsOf(*slices)) {
      for (const kube::ObjectPtr& slice : pool.slices) {
        for (const json::Value& one : ItemsOf(slice->json()["spec"]["devices"])) {
          there |= device == StrCat(pool.driver, "/", pool.name, "/", Text(one["name"]));
        }
      }
    }
    if (there) continue;
    description.Line(1, device, ":");
    description.Field(2, "Held", "yes, but it is gone: no slice has it any more");
    description.Lines(2, "Holders", HolderTexts(uses.at(device)));
  }
}

}  // namespace

Status DescribeDevices(Session& session, std::string_view node, Description& description) {
  kube::ListOptions options;
  options.field_selector = StrCat("spec.nodeName=", node);
  std::vector<kube::ObjectPtr> slices, claims;
  const Result<std::string> listed =
      session.client().List(kube::types::kResourceSlices, "", options, [&](kube::ObjectPtr slice) { slices.push_back(std::move(slice)); });
  if (!listed.ok()) {
    // A server without the kind, or one that does not let us look: the rest of the node is worth showing.
    if (!kube::HasReason(listed.status(), "NotFound")) description.Line(0, "Devices: <unknown>, ", listed.status().message());
    return Status();
  }
  const Result<std::string> held =
      session.client().List(kube::types::kResourceClaims, "", {}, [&](kube::ObjectPtr claim) { claims.push_back(std::move(claim)); });
  if (!held.ok()) claims.clear();  // some of the pages say nothing about a device
  const Uses uses = UsesOf(claims);
  std::map<std::string, std::string> here = HeldOn(node, uses);
  if (slices.empty() && here.empty()) return Status();

  const std::vector<Pool> pools = PoolsOf(slices);
  if (!pools.empty()) DescribePools(pools, description);
  description.Line(0, "Devices:");
  if (!held.ok()) description.Line(1, "who holds them is not known: ", held.status().message());
  DriverSlices drivers(session);
  for (const Pool& pool : pools) {
    const std::string trouble = TroubleOf(pool, drivers);
    for (const kube::ObjectPtr& slice : pool.slices) {
      for (const json::Value& device : ItemsOf(slice->json()["spec"]["devices"])) {
        const std::string name = StrCat(pool.driver, "/", pool.name, "/", Text(device["name"]));
        const auto found = uses.find(name);
        DescribeOne(name, device, found == uses.end() ? Use() : found->second, {held.ok(), trouble.empty(), false}, trouble, description);
        here.erase(name);
      }
    }
  }
  DescribeGone(here, uses, drivers, description);
  return Status();
}

}  // namespace allot::cli
