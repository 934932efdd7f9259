#include "cli/status_devices.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/holdings.h"
#include "cli/pools.h"
#include "cli/yaml.h"

namespace allot::cli {
namespace {

constexpr std::string_view kOurs = "gpu.nvidia.com/";

bool IsMemory(std::string_view name) { return name == "memory" || name.ends_with("/memory"); }

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

DeviceStatus DeviceOf(const Pool& pool, const json::Value& slice, const json::Value& json) {
  DeviceStatus device;
  device.driver = pool.driver;
  device.pool = pool.name;
  device.node = Text(slice["spec"]["nodeName"].IsString() ? slice["spec"]["nodeName"] : json["nodeName"]);
  device.name = Text(json["name"]);
  device.product = Product(json["attributes"]);
  device.uuid = Text(json["attributes"]["uuid"]["string"]);
  device.mib = MemoryMib(json["capacity"], true);
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

std::optional<int64_t> DeviceStatus::Free() const {
  if (!mib || !used) return std::nullopt;
  return pool_trouble.empty() ? std::max<int64_t>(0, *mib - *used) : 0;
}

std::vector<std::string> DeviceStatus::State() const {
  std::vector<std::string> words;
  if (IsOvercommitted()) words.push_back(StrCat("OVER-COMMITTED by ", *used - *mib, " MiB"));
  if (gone) words.emplace_back("GONE: no slice offers it any more");
  if (!pool_trouble.empty()) words.push_back(pool_trouble);
  for (const DeviceTaint& taint : taints) words.push_back(TaintWords(taint));
  if (mib && !IsTainted()) words.emplace_back("healthy");
  if (mib && !shared) words.emplace_back("exclusive");
  return words;
}

std::vector<DeviceStatus> DevicesOf(const Listing& slices, const Listing& claims) {
  std::vector<DeviceStatus> devices;
  Uses uses = UsesOf(claims.objects);
  std::set<std::string> drivers = {"gpu.nvidia.com"};  // that have memory to give
  for (const Pool& pool : PoolsOf(slices.objects)) {
    for (const kube::ObjectPtr& slice : pool.slices) {
      for (const json::Value& json : ItemsOf(slice->json()["spec"]["devices"])) {
        const auto use = uses.find(StrCat(pool.driver, "/", pool.name, "/", Text(json["name"])));
        DeviceStatus device = DeviceOf(pool, slice->json(), json);
        if (claims.ok()) device.used = 0;
        if (use != uses.end()) AddHolders(use->second, device);
        if (use != uses.end()) uses.erase(use);
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
  std::stable_sort(devices.begin(), devices.end(), [](const DeviceStatus& a, const DeviceStatus& b) {
    if (a.node != b.node) return KeyLess(a.node, b.node);
    return std::tie(a.driver, a.pool) != std::tie(b.driver, b.pool) ? std::tie(a.driver, a.pool) < std::tie(b.driver, b.pool)
                                                                    : KeyLess(a.name, b.name);
  });
  return devices;
}

std::optional<int64_t> MemoryMib(const json::Value& amounts, bool down) {
  constexpr int64_t kMiB = 1 << 20;
  for (const json::Member& member : MembersOf(amounts)) {
    if (!IsMemory(member.key)) continue;
    const json::Value& value = member.value.IsObject() ? member.value["value"] : member.value;  // a capacity of a slice is an object
    const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(value));
    if (!quantity.ok() || !quantity->Value()) continue;
    const int64_t bytes = *quantity->Value();
    return bytes / kMiB + (!down && bytes % kMiB != 0 ? 1 : 0);
  }
  return std::nullopt;
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
