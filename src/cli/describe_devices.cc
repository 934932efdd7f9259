// The devices of a node and who holds what of them.

#include <algorithm>
#include <map>
#include <utility>

#include "cli/description.h"

namespace allot::cli {
namespace {

// What is taken of one device.
struct Use {
  std::map<std::string, model::Quantity> consumed;  // by the name of the capacity
  std::vector<std::string> holders;                 // "lab/half 6Gi"
};

std::string HolderText(const kube::Object& claim, const json::Value& result) {
  std::string amounts;
  for (const json::Member& amount : MembersOf(result["consumedCapacity"])) amounts += StrCat(" ", OneLine(amount.value));
  std::string pods;
  for (const json::Value& pod : ItemsOf(claim.json()["status"]["reservedFor"])) pods += StrCat(pods.empty() ? "" : ", ", Text(pod["name"]));
  return StrCat(claim.namespace_name(), "/", claim.name(), amounts, pods.empty() ? "" : StrCat(" (", pods, ")"));
}

std::map<std::string, Use> UsesOf(const std::vector<kube::ObjectPtr>& claims) {
  std::map<std::string, Use> uses;
  for (const kube::ObjectPtr& claim : claims) {
    for (const json::Value& result : ItemsOf(claim->json()["status"]["allocation"]["devices"]["results"])) {
      if (result["adminAccess"].IsBool() && result["adminAccess"].AsBool()) continue;  // looks, and takes nothing
      Use& use = uses[DeviceName(result)];
      use.holders.push_back(HolderText(*claim, result));
      for (const json::Member& amount : MembersOf(result["consumedCapacity"])) {
        const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(amount.value));
        if (quantity.ok()) use.consumed[std::string(amount.key)].Add(*quantity);
      }
    }
  }
  return uses;
}

// "memory 18Gi of 24Gi, 6Gi free"
std::string ShareText(std::string_view name, const json::Value& capacity, const Use& use) {
  const Result<model::Quantity> whole = model::Quantity::Parse(OneLine(capacity["value"]));
  if (!whole.ok()) return StrCat(name, " ", OneLine(capacity["value"]));
  model::Quantity held;
  if (const auto found = use.consumed.find(std::string(name)); found != use.consumed.end()) held = found->second;
  model::Quantity free = *whole;
  free.Sub(held);
  return StrCat(name, " ", held.Canonical(), " of ", whole->Canonical(), ", ", free.Sign() > 0 ? Amount(free) : "nothing", " free");
}

void DescribeOne(const json::Value& spec, const json::Value& device, const std::map<std::string, Use>& uses, Description& description) {
  const std::string name = StrCat(Text(spec["driver"]), "/", Text(spec["pool"]["name"]), "/", Text(device["name"]));
  const auto found = uses.find(name);
  const Use use = found == uses.end() ? Use() : found->second;
  description.Line(1, name, ":");
  const bool shared = device["allowMultipleAllocations"].IsBool() && device["allowMultipleAllocations"].AsBool();
  if (shared) {
    std::vector<std::string> lines;
    for (const json::Member& capacity : MembersOf(device["capacity"])) lines.push_back(ShareText(capacity.key, capacity.value, use));
    description.Lines(2, "Held", lines);
  } else {
    description.Field(2, "Held", use.holders.empty() ? "no, all of it is free" : "yes, all of it");
  }
  std::vector<std::string> taints;
  for (const json::Value& taint : ItemsOf(device["taints"])) {
    const std::string value = Text(taint["value"]).empty() ? "" : StrCat("=", Text(taint["value"]));
    taints.push_back(StrCat(Text(taint["key"]), value, ":", Text(taint["effect"])));
  }
  if (!taints.empty()) description.Lines(2, "Taints", taints);
  description.Lines(2, "Holders", use.holders);
}

// Of each pool only the newest generation counts.
std::vector<kube::ObjectPtr> Newest(const std::vector<kube::ObjectPtr>& slices) {
  const auto pool = [](const kube::Object& slice) {
    return StrCat(Text(slice.json()["spec"]["driver"]), "/", Text(slice.json()["spec"]["pool"]["name"]));
  };
  const auto generation = [](const kube::Object& slice) {
    const json::Value& number = slice.json()["spec"]["pool"]["generation"];
    return number.IsNumber() ? number.AsInt64().value_or(0) : 0;
  };
  std::map<std::string, int64_t> newest;
  for (const kube::ObjectPtr& slice : slices) newest[pool(*slice)] = std::max(newest[pool(*slice)], generation(*slice));
  std::vector<kube::ObjectPtr> kept;
  for (const kube::ObjectPtr& slice : slices) {
    if (generation(*slice) == newest[pool(*slice)]) kept.push_back(slice);
  }
  return kept;
}

// kubectl's table: a line for each pool.
void DescribePools(const std::vector<kube::ObjectPtr>& slices, Description& description) {
  std::map<std::pair<std::string, std::string>, std::pair<size_t, size_t>> pools;  // slices and devices
  for (const kube::ObjectPtr& slice : slices) {
    const json::Value& spec = slice->json()["spec"];
    auto& [slice_count, device_count] = pools[{std::string(Text(spec["driver"])), std::string(Text(spec["pool"]["name"]))}];
    ++slice_count;
    device_count += ItemsOf(spec["devices"]).size();
  }
  description.Line(0, "Node-Local ResourceSlices:");
  description.Line(1, "Driver\tPool\tSlices\tDevices");
  description.Line(1, "------\t----\t------\t-------");
  for (const auto& [pool, counts] : pools) {
    description.Line(1, pool.first, "\t", pool.second, "\t", counts.first, "\t", counts.second);
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
  if (slices.empty()) return Status();
  const Result<std::string> held =
      session.client().List(kube::types::kResourceClaims, "", {}, [&](kube::ObjectPtr claim) { claims.push_back(std::move(claim)); });
  DescribePools(slices, description);
  description.Line(0, "Devices:");
  if (!held.ok()) description.Line(1, "who holds them is not known: ", held.status().message());
  const std::map<std::string, Use> uses = UsesOf(claims);
  for (const kube::ObjectPtr& slice : Newest(slices)) {
    const json::Value& spec = slice->json()["spec"];
    for (const json::Value& device : ItemsOf(spec["devices"])) DescribeOne(spec, device, uses, description);
  }
  return Status();
}

}  // namespace allot::cli
