#include "view/devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "alloc/ledger.h"
#include "base/strings.h"
#include "json/yaml_write.h"
#include "model/memory.h"

namespace allot::view {
namespace {

using DeviceKey = std::tuple<std::string_view, std::string_view, std::string_view>;  // driver, pool, device

std::string TextAttribute(const model::Device& device, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const model::Attribute& attribute : device.attributes) {
      if (attribute.name.full == name && attribute.value.kind == model::AttributeValue::Kind::kString)
        return std::string(attribute.value.text);
    }
  }
  return "";
}

const model::Quantity* MemoryAmong(const std::vector<Amount>& amounts) {
  const auto found = std::find_if(amounts.begin(), amounts.end(), [](const Amount& amount) { return model::IsMemory(amount.name); });
  return found == amounts.end() ? nullptr : &found->value;
}

Holder HolderOf(const alloc::Hold& hold, int64_t whole, const sched::Cluster& cluster) {
  Holder holder;
  const size_t slash = hold.claim.find('/');
  holder.namespace_name = slash == hold.claim.npos ? "" : hold.claim.substr(0, slash);
  holder.claim = slash == hold.claim.npos ? hold.claim : hold.claim.substr(slash + 1);
  holder.pods = hold.reserved_for;
  holder.is_share = !hold.whole;
  for (const auto& [name, amount] : hold.consumed) holder.consumed.push_back({name, amount});
  const model::Quantity* const memory = MemoryAmong(holder.consumed);
  holder.mib = memory == nullptr ? whole : model::MiB::Taken(*memory).count();
  if (const sched::ClaimPtr claim = cluster.FindClaim(hold.claim))
    holder.since = claim->allocated.empty() ? claim->created : claim->allocated;
  return holder;
}

// Enters what the ledger has of the device.
void AddHolders(const alloc::Usage& usage, const sched::Cluster& cluster, Device& device) {
  for (const alloc::Hold& hold : usage.holds) {
    device.holders.push_back(HolderOf(hold, device.mib.value_or(0), cluster));
    if (device.used) *device.used += device.holders.back().mib;
  }
  for (DeviceCapacity& capacity : device.capacity) {
    if (const model::Quantity* const held = usage.Consumed(capacity.name)) capacity.held = *held;
  }
  if (const model::Quantity* const shares = usage.Consumed("shares")) device.shares_used = shares->Value().value_or(0);
}

bool IsOvercommitted(const alloc::Usage& usage, const model::Quantity& whole) {
  model::Quantity held;
  for (const alloc::Hold& hold : usage.holds) {
    const model::Quantity* const memory = model::MemoryOf(hold.consumed);
    held.Add(memory == nullptr ? whole : *memory);
  }
  return held > whole;
}

Device Offered(const Pool& pool, const model::ResourceSlice& slice, const model::Device& offered) {
  Device device;
  device.driver = pool.driver;
  device.pool = pool.name;
  device.name = offered.name;
  device.node = slice.nodes.node_name.value_or(offered.nodes.node_name.value_or(""));
  device.product = TextAttribute(offered, {"productName", "gpu.nvidia.com/productName", "model"});
  device.uuid = TextAttribute(offered, {"uuid"});
  device.offered = true;
  device.shared = offered.allow_multiple_allocations;
  for (const model::Capacity& capacity : offered.capacity) {
    device.capacity.push_back({std::string(capacity.name.full), capacity.value, {}});
    if (capacity.name.full == "shares") device.shares = capacity.value.Value();
  }
  if (const model::Capacity* const memory = model::MemoryOf(offered)) device.mib = model::MiB::Offered(memory->value).count();
  for (const model::Taint& taint : offered.taints) {
    device.taints.push_back({std::string(taint.key), std::string(taint.value), std::string(taint.effect)});
  }
  if (!pool.complete()) device.incomplete = {pool.slices.size(), pool.wanted};
  return device;
}

// The node that the allocation is tied to by its name, as that of a node's own device is. Empty: none.
std::string_view NodeOf(const model::Allocation& allocation) {
  if (!allocation.node_selector) return "";
  for (const model::NodeSelectorTerm& term : allocation.node_selector->terms) {
    for (const model::NodeRequirement& field : term.fields) {
      if (field.key == "metadata.name" && field.values.size() == 1) return field.values[0];
    }
  }
  return "";
}

// A device that only claims know.
Device HeldOnly(const model::DeviceResult& result, std::string_view node, bool gone) {
  Device device;
  device.driver = result.driver;
  device.pool = result.pool;
  device.name = result.device;
  device.node = node;
  device.gone = gone;
  device.used = 0;
  return device;
}

bool Before(const Device& a, const Device& b) {
  if (a.node != b.node) return json::KeyLess(a.node, b.node);
  if (std::tie(a.driver, a.pool) != std::tie(b.driver, b.pool)) return std::tie(a.driver, a.pool) < std::tie(b.driver, b.pool);
  return json::KeyLess(a.name, b.name);
}

}  // namespace

std::string Device::Name() const { return StrCat(node.empty() ? pool : node, "/", name); }

std::string Device::FullName() const { return StrCat(driver, "/", pool, "/", name); }

bool Device::IsTainted() const {
  return std::any_of(taints.begin(), taints.end(), [](const DeviceTaint& taint) { return taint.KeepsAway(); });
}

bool Device::IsUnhealthy() const {
  return std::any_of(taints.begin(), taints.end(),
                     [](const DeviceTaint& taint) { return taint.KeepsAway() && !taint.key.ends_with("/cordoned"); });
}

std::optional<int64_t> Device::Left() const {
  if (!mib || !used) return std::nullopt;
  return !incomplete && HasShareLeft() ? std::max<int64_t>(0, *mib - *used) : 0;
}

DeviceObstacle Device::FirstObstacle() const {
  if (!node_ready) return DeviceObstacle::kNodeNotReady;
  if (node_cordoned) return DeviceObstacle::kNodeCordoned;
  return IsTainted() ? DeviceObstacle::kTainted : DeviceObstacle::kNone;
}

std::optional<int64_t> Device::Free() const {
  const std::optional<int64_t> left = Left();
  return left && FirstObstacle() != DeviceObstacle::kNone ? 0 : left;
}

std::vector<Device> DevicesOf(const sched::Cluster& cluster, const NodeStates& nodes, const Seen& seen) {
  const std::vector<sched::ClaimPtr> claims = cluster.Claims();
  alloc::Ledger ledger;
  for (const sched::ClaimPtr& claim : claims) ledger.Add(claim->claim);
  std::vector<Device> devices;
  std::set<DeviceKey> known;
  const std::vector<Pool> pools = PoolsOf(cluster);
  for (const Pool& pool : pools) {
    for (const sched::SlicePtr& slice : pool.slices) {
      for (const model::Device& offered : slice->slice.devices) {
        Device& device = devices.emplace_back(Offered(pool, slice->slice, offered));
        known.emplace(pool.driver, pool.name, offered.name);
        if (seen.claims) device.used = 0;
        const alloc::Usage* const usage = ledger.Find({pool.driver, pool.name, offered.name});
        if (usage == nullptr) continue;
        AddHolders(*usage, cluster, device);
        const model::Capacity* const memory = model::MemoryOf(offered);
        device.overcommitted = memory != nullptr && IsOvercommitted(*usage, memory->value);
      }
    }
  }
  for (const sched::ClaimPtr& claim : claims) {
    if (!claim->claim.allocation) continue;
    for (const model::DeviceResult& result : claim->claim.allocation->results) {
      const alloc::Usage* const usage = ledger.Find({result.driver, result.pool, result.device});
      if (usage == nullptr || usage->holds.empty() || !known.emplace(result.driver, result.pool, result.device).second) continue;
      AddHolders(*usage, cluster, devices.emplace_back(HeldOnly(result, NodeOf(*claim->claim.allocation), seen.slices)));
    }
  }
  for (Device& device : devices) {
    const auto state = nodes.find(device.node);
    if (state == nodes.end()) continue;
    device.node_ready = state->second.ready;
    device.node_cordoned = state->second.cordoned;
  }
  std::stable_sort(devices.begin(), devices.end(), Before);
  return devices;
}

std::vector<Device> WithMemory(std::vector<Device> devices) {
  std::set<std::string> drivers = {std::string(kGpuDriver)};  // that have memory to share
  for (const Device& device : devices) {
    if (device.mib) drivers.insert(device.driver);
  }
  std::erase_if(devices, [&](const Device& device) {
    if (device.mib) return false;
    if (device.offered) return true;
    const auto consumes = [](const Holder& holder) { return MemoryAmong(holder.consumed) != nullptr; };
    return !drivers.contains(device.driver) && std::none_of(device.holders.begin(), device.holders.end(), consumes);
  });
  return devices;
}

}  // namespace allot::view
