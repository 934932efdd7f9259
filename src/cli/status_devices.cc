#include "cli/status_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/holdings.h"
#include "cli/pools.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

constexpr std::string_view kOurs = "gpu.nvidia.com/";

bool IsMemory(std::string_view name) { return name == "memory" || name.ends_with("/memory"); }

// An amount among others: "6Gi", or the {"value": "24Gi"} of a slice.
std::optional<model::Quantity> AmountOf(const json::Value& amount) {
  const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(amount.IsObject() ? amount["value"] : amount));
  if (!quantity.ok() || !quantity->Value()) return std::nullopt;
  return *quantity;
}

std::optional<model::Quantity> MemoryOf(const json::Value& amounts) {
  for (const json::Member& member : MembersOf(amounts)) {
    if (!IsMemory(member.key)) continue;
    if (const std::optional<model::Quantity> amount = AmountOf(member.value)) return amount;
  }
  return std::nullopt;
}

std::string Product(const json::Value& attributes) {
  for (const std::string_view name : {"productName", "gpu.nvidia.com/productName", "model"}) {
    if (attributes[name]["string"].IsString()) return std::string(Text(attributes[name]["string"]));
  }
  return "";
}

Holder HolderOf(const Share& share, int64_t whole) {
  const json::Value& claim = share.claim->json();
  const json::Value& allocated = claim["status"]["allocation"]["allocationTimestamp"];
  Holder holder;
  holder.mib = MemoryMib(share.result["consumedCapacity"]).value_or(whole);
  holder.namespace_name = share.claim->namespace_name();
  holder.claim = share.claim->name();
  for (const json::Value& pod : ItemsOf(claim["status"]["reservedFor"])) holder.pods.emplace_back(Text(pod["name"]));
  holder.has_share_id = share.result["shareID"].IsString();
  holder.since = Text(allocated.IsString() ? allocated : claim["metadata"]["creationTimestamp"]);
  return holder;
}

void AddHolders(const Use& use, DeviceStatus& device) {
  for (const Share& share : use.shares) {
    // A device that is not shared is held as a whole; so is a part of one that says no amount.
    device.holders.push_back(HolderOf(share, device.mib.value_or(0)));
    if (device.used) *device.used += device.holders.back().mib;
  }
}

// How much of what the slice has is held.
void CompareHeld(const Use& use, const json::Value& capacity, DeviceStatus& device) {
  const std::optional<model::Quantity> whole = MemoryOf(capacity);
  model::Quantity held;
  for (const Share& share : use.shares) held.Add(MemoryOf(share.result["consumedCapacity"]).value_or(whole.value_or(model::Quantity())));
  device.overcommitted = whole && held > *whole;
  const auto shares = use.consumed.find("shares");
  if (shares != use.consumed.end()) device.shares_used = shares->second.Value().value_or(0);
}

void SetNodes(const Listing& nodes, std::vector<DeviceStatus>& devices) {
  std::map<std::string_view, NodeState> states;
  for (const kube::ObjectPtr& node : nodes.objects) states.emplace(node->name(), StateOfNode(node->json()));
  for (DeviceStatus& device : devices) {
    const auto state = states.find(device.node);
    if (state == states.end()) continue;
    device.node_ready = state->second.ready;
    device.node_cordoned = state->second.cordoned;
  }
}

DeviceStatus DeviceOf(const Pool& pool, const json::Value& slice, const json::Value& json) {
  DeviceStatus device;
  device.driver = pool.driver;
  device.pool = pool.name;
  device.node = Text(slice["spec"]["nodeName"].IsString() ? slice["spec"]["nodeName"] : json["nodeName"]);
  device.name = Text(json["name"]);
  device.product = Product(json["attributes"]);
  device.uuid = Text(json["attributes"]["uuid"]["string"]);
  device.mib = MemoryMib(json["capacity"], true);
  if (const std::optional<model::Quantity> shares = AmountOf(json["capacity"]["shares"])) device.shares = shares->Value();
  device.shared = json["allowMultipleAllocations"].IsBool() && json["allowMultipleAllocations"].AsBool();
  if (!pool.complete()) device.pool_trouble = StrCat("pool incomplete: ", pool.slices.size(), " of ", pool.wanted, " slices");
  for (const json::Value& taint : ItemsOf(json["taints"])) {
    device.taints.push_back({std::string(Text(taint["key"])), std::string(Text(taint["value"])), std::string(Text(taint["effect"]))});
  }
  return device;
}

// One that only claims speak of.
DeviceStatus UnknownDevice(const Use& use, bool gone) {
  const Share& share = use.shares[0];
  DeviceStatus device;
  device.driver = Text(share.result["driver"]);
  device.pool = Text(share.result["pool"]);
  device.node = AllocatedNode(share.claim->json());
  device.name = Text(share.result["device"]);
  device.gone = gone;
  device.used = 0;
  AddHolders(use, device);
  return device;
}

bool ConsumesMemory(const Use& use) {
  return std::any_of(use.consumed.begin(), use.consumed.end(), [](const auto& amount) { return IsMemory(amount.first); });
}

}  // namespace

std::string DeviceStatus::Name() const { return StrCat(node.empty() ? pool : node, "/", name); }

bool DeviceStatus::IsUnhealthy() const {
  return std::any_of(taints.begin(), taints.end(),
                     [](const DeviceTaint& taint) { return taint.KeepsAway() && !taint.key.ends_with("/cordoned"); });
}

bool DeviceStatus::IsTainted() const {
  return std::any_of(taints.begin(), taints.end(), [](const DeviceTaint& taint) { return taint.KeepsAway(); });
}

std::optional<int64_t> DeviceStatus::Left() const {
  if (!mib || !used) return std::nullopt;
  return pool_trouble.empty() && HasShareLeft() ? std::max<int64_t>(0, *mib - *used) : 0;
}

std::string_view DeviceStatus::Obstacle() const {
  if (!node_ready) return "not ready";
  if (node_cordoned) return "cordoned";
  return IsTainted() ? "tainted" : "";
}

std::optional<int64_t> DeviceStatus::Free() const {
  const std::optional<int64_t> left = Left();
  return left && !Obstacle().empty() ? 0 : left;
}

std::vector<std::string> DeviceStatus::State() const {
  std::vector<std::string> words;
  if (overcommitted) words.push_back(StrCat("OVER-COMMITTED by ", *used - *mib, " MiB"));
  if (gone) words.emplace_back("GONE: no slice offers it any more");
  if (!pool_trouble.empty()) words.push_back(pool_trouble);
  if (!node_ready) words.emplace_back("node is not ready");
  if (node_cordoned) words.emplace_back("node is cordoned");
  for (const DeviceTaint& taint : taints) words.push_back(TaintWords(taint));
  if (!HasShareLeft()) words.push_back(StrCat("no share left (", shares_used, " of ", *shares, ")"));
  if (mib && node_ready && !IsTainted()) words.emplace_back("healthy");
  if (mib && !shared) words.emplace_back("exclusive");
  return words;
}

std::vector<DeviceStatus> DevicesOf(const Listing& slices, const Listing& claims, const Listing& nodes) {
  std::vector<DeviceStatus> devices;
  Uses uses = UsesOf(claims.objects);
  std::set<std::string> drivers = {std::string(kGpuDriver)};  // that have memory to give
  for (const Pool& pool : PoolsOf(slices.objects)) {
    for (const kube::ObjectPtr& slice : pool.slices) {
      for (const json::Value& json : ItemsOf(slice->json()["spec"]["devices"])) {
        const auto use = uses.find(StrCat(pool.driver, "/", pool.name, "/", Text(json["name"])));
        DeviceStatus device = DeviceOf(pool, slice->json(), json);
        if (claims.ok()) device.used = 0;
        if (use != uses.end()) {
          AddHolders(use->second, device);
          CompareHeld(use->second, json["capacity"], device);
          uses.erase(use);
        }
        if (!device.mib) continue;
        drivers.insert(device.driver);
        devices.push_back(std::move(device));
      }
    }
  }
  for (const auto& [name, use] : uses) {
    if (!ConsumesMemory(use) && !drivers.contains(std::string(Text(use.shares[0].result["driver"])))) continue;
    devices.push_back(UnknownDevice(use, slices.ok()));
  }
  SetNodes(nodes, devices);
  std::stable_sort(devices.begin(), devices.end(), [](const DeviceStatus& a, const DeviceStatus& b) {
    if (a.node != b.node) return json::KeyLess(a.node, b.node);
    return std::tie(a.driver, a.pool) != std::tie(b.driver, b.pool) ? std::tie(a.driver, a.pool) < std::tie(b.driver, b.pool)
                                                                    : json::KeyLess(a.name, b.name);
  });
  return devices;
}

std::optional<int64_t> MemoryMib(const json::Value& amounts, bool down) {
  constexpr int64_t kMiB = 1 << 20;
  const std::optional<model::Quantity> memory = MemoryOf(amounts);
  if (!memory) return std::nullopt;
  const int64_t bytes = memory->Value().value_or(0);
  return bytes / kMiB + (!down && bytes % kMiB != 0 ? 1 : 0);
}

NodeState StateOfNode(const json::Value& node) {
  NodeState state;
  const json::Value& unschedulable = node["spec"]["unschedulable"];
  state.cordoned = unschedulable.IsBool() && unschedulable.AsBool();
  for (const json::Value& condition : ItemsOf(node["status"]["conditions"])) {
    if (Text(condition["type"]) != "Ready" || Text(condition["status"]) == "True") continue;  // "Unknown": kubelet is silent
    state.ready = false;
    state.why = Text(condition["message"]);
  }
  return state;
}

std::string TaintWords(const DeviceTaint& taint) {
  const std::string_view name = std::string_view(taint.key).starts_with(kOurs) ? std::string_view(taint.key).substr(kOurs.size()) : "";
  if (name == "xid") return StrCat("error XID ", taint.value);
  if (name == "gpu-lost") return "does not answer (gpu-lost)";
  if (name == "cordoned") return "cordoned";
  if (name == "unmonitored") return "not watched for errors";
  return StrCat("taint ", taint.key, taint.value.empty() ? "" : "=", taint.value, ":", taint.effect);
}

}  // namespace allot::cli
