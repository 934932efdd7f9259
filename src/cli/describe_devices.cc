// The devices of a node and who holds what of them.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cli/description.h"
#include "cli/pools.h"

namespace allot::cli {
namespace {

// What is taken of one device.
struct Use {
  std::map<std::string, model::Quantity> consumed;  // by the name of the capacity
  std::vector<std::string> holders;                 // "lab/half 6Gi"
};
using Uses = std::map<std::string, Use>;  // by the device's whole name

std::string HolderText(const kube::Object& claim, const json::Value& result) {
  std::string amounts;
  for (const json::Member& amount : MembersOf(result["consumedCapacity"])) amounts += StrCat(" ", OneLine(amount.value));
  std::string pods;
  for (const json::Value& pod : ItemsOf(claim.json()["status"]["reservedFor"])) pods += StrCat(pods.empty() ? "" : ", ", Text(pod["name"]));
  return StrCat(claim.namespace_name(), "/", claim.name(), amounts, pods.empty() ? "" : StrCat(" (", pods, ")"));
}

// Whether the allocation is tied to the node by its name, as that of a node's own device is.
bool IsAllocatedOn(const kube::Object& claim, std::string_view node) {
  for (const json::Value& term : ItemsOf(claim.json()["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"])) {
    for (const json::Value& field : ItemsOf(term["matchFields"])) {
      if (Text(field["key"]) != "metadata.name") continue;
      for (const json::Value& value : ItemsOf(field["values"])) {
        if (Text(value) == node) return true;
      }
    }
  }
  return false;
}

// What claims hold of all devices; those of allocations on the node are also noted in `here`, with their drivers.
Uses UsesOf(const std::vector<kube::ObjectPtr>& claims, std::string_view node, std::map<std::string, std::string>& here) {
  Uses uses;
  for (const kube::ObjectPtr& claim : claims) {
    const bool on_node = IsAllocatedOn(*claim, node);
    for (const json::Value& result : ItemsOf(claim->json()["status"]["allocation"]["devices"]["results"])) {
      if (result["adminAccess"].IsBool() && result["adminAccess"].AsBool()) continue;  // looks, and takes nothing
      const std::string device = DeviceName(result);
      if (on_node) here[device] = Text(result["driver"]);
      Use& use = uses[device];
      use.holders.push_back(HolderText(*claim, result));
      for (const json::Member& amount : MembersOf(result["consumedCapacity"])) {
        const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(amount.value));
        if (quantity.ok()) use.consumed[std::string(amount.key)].Add(*quantity);
      }
    }
  }
  return uses;
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
  if (!use.holders.empty()) return "yes, all of it";
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
    description.Lines(2, "Holders", use.holders);
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
void DescribeGone(std::map<std::string, std::string> here, const Uses& uses, DriverSlices& drivers, Description& description) {
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
    description.Lines(2, "Holders", uses.at(device).holders);
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
  std::map<std::string, std::string> here;
  const Uses uses = UsesOf(claims, node, here);
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
  DescribeGone(std::move(here), uses, drivers, description);
  return Status();
}

}  // namespace allot::cli
