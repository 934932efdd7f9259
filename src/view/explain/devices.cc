// The devices of nodes that do not fit.

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "model/memory.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

std::string ModelOf(const model::Device& device) {
  for (const std::string_view id : {"productName", "model", "type"}) {
    for (const model::Attribute& attribute : device.attributes) {
      if (attribute.name.id == id && attribute.value.kind == model::AttributeValue::Kind::kString) return std::string(attribute.value.text);
    }
  }
  return "";
}

DeviceRow::Part PartOf(const alloc::Hold& hold, int64_t mib, std::string_view pod_key) {
  DeviceRow::Part part{{}, hold.claim, mib, false};
  const std::string name_space = hold.claim.substr(0, hold.claim.find('/') + 1);
  for (const std::string& pod : hold.reserved_for) {
    part.pods.push_back(name_space + pod);
    part.own = part.own || part.pods.back() == pod_key;
  }
  return part;
}

// Enters what is held of the device, and what is free then.
void FillHeld(const sched::Node& node, const alloc::InventoryDevice& entry, std::string_view pod_key, DeviceRow& row) {
  const model::Capacity* const memory = model::MemoryOf(*entry.device);
  if (memory != nullptr) row.mib = model::MiB::Offered(memory->value).count();
  row.free = row.mib;
  const alloc::Usage* const usage = node.ledger.Find({entry.slice->driver, entry.slice->pool, entry.device->name});
  if (usage == nullptr) return;
  for (const alloc::Hold& hold : usage->holds) {
    int64_t mib = row.mib.value_or(0);
    for (const auto& [name, amount] : hold.consumed) {
      if (memory != nullptr && name == memory->name.full) mib = model::MiB::Taken(amount).count();
    }
    row.held.push_back(PartOf(hold, mib, pod_key));
    if (row.free) row.free = std::max<int64_t>(0, *row.free - mib);
  }
  if (usage->whole > 0 && row.free) row.free = 0;
}

}  // namespace

std::vector<DeviceRow> RowsOf(const sched::Node& node, const alloc::Reasons& reasons, std::string_view pod_key) {
  std::vector<DeviceRow> rows;
  if (!node.devices->inventory) return rows;
  std::map<std::string_view, const alloc::Reason*> whys;
  for (const alloc::RuledOut& one : reasons.ruled_out) {
    for (const std::string& device : one.devices) whys.emplace(device, &one.reason);
  }
  const alloc::Inventory& inventory = *node.devices->inventory;
  for (uint32_t i = 0; i < inventory.devices().size(); ++i) {
    DeviceRow row;
    row.name = inventory.DeviceName(i);
    row.model = ModelOf(*inventory.devices()[i].device);
    FillHeld(node, inventory.devices()[i], pod_key, row);
    if (const auto why = whys.find(row.name); why != whys.end()) row.reason = *why->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<NodeGroup> GroupsOf(const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                                const std::vector<sched::NodeReason>& reasons) {
  size_t asks = 0;
  for (const sched::ClaimPtr& claim : request.claims) asks += claim->claim.requests.size();
  std::vector<NodeGroup> groups;
  for (const sched::NodeReason& reason : reasons) {
    NodeGroup group{{reason.node}, reason};
    group.reason.node.clear();
    const sched::Node* const node = snapshot.Find(reason.node);
    if (!reason.devices.empty() && node != nullptr) {
      group.devices = RowsOf(*node, reason.devices, request.pod->key);
      group.one_of_several = asks > 1 && !reason.devices.request.empty();
    }
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const NodeGroup& one) { return one.reason == group.reason && one.devices == group.devices; });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      same->nodes.push_back(reason.node);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const NodeGroup& a, const NodeGroup& b) {
    if (a.devices.empty() != b.devices.empty()) return b.devices.empty();
    return a.devices.empty() && a.nodes.size() > b.nodes.size();
  });
  return groups;
}

}  // namespace allot::view
