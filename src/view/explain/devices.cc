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

std::vector<NodeReason> ReasonsOf(const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                                  const std::vector<sched::NodeReason>& refusals) {
  size_t asks = 0;
  for (const sched::ClaimPtr& claim : request.claims) asks += claim->claim.requests.size();
  std::vector<NodeReason> reasons;
  for (const sched::NodeReason& refusal : refusals) {
    NodeReason reason{{refusal.node}, refusal};
    reason.refusal.node.clear();
    const sched::Node* const node = snapshot.Find(refusal.node);
    if (!refusal.devices.empty() && node != nullptr) {
      reason.devices = RowsOf(*node, refusal.devices, request.pod->key);
      reason.one_of_several = asks > 1 && !refusal.devices.request.empty();
    }
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const NodeReason& one) { return one.refusal == reason.refusal && one.devices == reason.devices; });
    if (same == reasons.end()) {
      reasons.push_back(std::move(reason));
    } else {
      same->nodes.push_back(refusal.node);
    }
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const NodeReason& a, const NodeReason& b) {
    if (a.devices.empty() != b.devices.empty()) return b.devices.empty();
    return a.devices.empty() && a.nodes.size() > b.nodes.size();
  });
  return reasons;
}

}  // namespace allot::view
