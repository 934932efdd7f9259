// The devices of nodes that will not do.

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/strings.h"
#include "cli/explain_parts.h"

namespace allot::cli {
namespace {

constexpr int64_t kMiB = 1 << 20;

std::string ModelOf(const model::Device& device) {
  for (const std::string_view id : {"productName", "model", "type"}) {
    for (const model::Attribute& attribute : device.attributes) {
      if (attribute.name.id == id && attribute.value.kind == model::AttributeValue::Kind::kString) return std::string(attribute.value.text);
    }
  }
  return "";
}

const model::Capacity* MemoryOf(const model::Device& device) {
  const auto at = std::find_if(device.capacity.begin(), device.capacity.end(), [](const auto& c) { return c.name.id == "memory"; });
  return at == device.capacity.end() ? nullptr : &*at;
}

std::string HolderName(const alloc::Hold& hold) {
  if (hold.reserved_for.empty()) return StrCat("claim ", hold.claim);
  const std::string name_space = hold.claim.substr(0, hold.claim.find('/') + 1);
  std::vector<std::string> pods;
  for (const std::string& pod : hold.reserved_for) pods.push_back(name_space + pod);
  return Names(pods);
}

// What is held of the device, and what is free then.
void FillHeld(const sched::Node& node, const alloc::InventoryDevice& entry, std::string_view pod_key, DeviceRow& row) {
  const model::Capacity* const memory = MemoryOf(*entry.device);
  if (memory != nullptr) row.mib = memory->value.Value().value_or(0) / kMiB;
  row.free = row.mib;
  const alloc::Usage* const usage = node.ledger.Find({entry.slice->driver, entry.slice->pool, entry.device->name});
  if (usage == nullptr) return;
  for (const alloc::Hold& hold : usage->holds) {
    int64_t mib = row.mib.value_or(0);
    for (const auto& [name, amount] : hold.consumed) {
      if (memory != nullptr && name == memory->name.full) mib = (amount.Value().value_or(0) + kMiB - 1) / kMiB;
    }
    const std::string name_space = hold.claim.substr(0, hold.claim.find('/') + 1);
    const bool own = std::any_of(hold.reserved_for.begin(), hold.reserved_for.end(),
                                 [&](const std::string& pod) { return name_space + pod == pod_key; });
    row.held.push_back({HolderName(hold), mib, own});
    if (row.free) row.free = std::max<int64_t>(0, *row.free - mib);
  }
  if (usage->whole > 0 && row.free) row.free = 0;
}

// The columns have what is free and who holds the rest: what is left to say is what is missing.
std::string Shorter(std::string why) {
  const bool by_itself = why.find("held by this Pod's claim") != why.npos;
  if (const size_t held = why.find(" (held by "); held != why.npos) why.resize(held);
  if (why.starts_with("taken whole by ")) why.resize(std::string_view("taken whole").size());
  long long asked = 0, free = 0, whole = 0;
  if (std::sscanf(why.c_str(), "%lld MiB asked, %lld MiB of %lld MiB free", &asked, &free, &whole) != 3) return why;
  if (by_itself) return StrCat(asked, " MiB asked, ", free, " MiB left beside its other requests");
  return asked > whole ? StrCat(asked, " MiB asked, more than it has") : StrCat(asked, " MiB asked, ", asked - free, " MiB short");
}

std::string WithoutNode(std::string text, std::string_view node) {
  for (const std::string_view word : {" of node ", " on node "}) {
    const std::string part = StrCat(word, node);
    if (const size_t at = text.find(part); at != text.npos) text.erase(at, part.size());
  }
  return text;
}

}  // namespace

std::vector<DeviceRow> RowsOf(const sched::Node& node, const alloc::Reasons& reasons, std::string_view pod_key) {
  std::vector<DeviceRow> rows;
  if (!node.devices->inventory) return rows;
  std::map<std::string_view, std::string_view> whys;
  for (const alloc::Reason& reason : reasons.reasons) {
    for (const std::string& device : reason.devices) whys.emplace(device, reason.text);
  }
  const alloc::Inventory& inventory = *node.devices->inventory;
  for (uint32_t i = 0; i < inventory.devices().size(); ++i) {
    DeviceRow row;
    row.name = inventory.DeviceName(i);
    row.model = ModelOf(*inventory.devices()[i].device);
    FillHeld(node, inventory.devices()[i], pod_key, row);
    if (const auto why = whys.find(row.name); why != whys.end()) row.why = Shorter(std::string(why->second));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<NodeReason> ReasonsOf(const sched::Snapshot& snapshot, const sched::Request& request,
                                  const std::vector<sched::Refusal>& refusals) {
  size_t asks = 0;
  for (const sched::ClaimPtr& claim : request.claims) asks += claim->claim.requests.size();
  std::vector<NodeReason> reasons;
  for (const sched::Refusal& refusal : refusals) {
    NodeReason reason{{refusal.node}, WithoutNode(refusal.text, refusal.node), {}, 0};
    const sched::Node* const node = snapshot.Find(refusal.node);
    if (!refusal.devices.empty() && node != nullptr) {
      reason.devices = RowsOf(*node, refusal.devices, request.pod->key);
      reason.would_do = refusal.would_do;
      if (asks > 1 && !refusal.devices.request.empty())
        reason.text = StrCat("claim ", refusal.devices.claim, ", request ", refusal.devices.request, ": ", reason.text);
      for (const alloc::Reason& one : refusal.devices.reasons) {
        if (one.devices.empty()) reason.text += StrCat("; ", one.text);
      }
    }
    const auto same = std::find_if(reasons.begin(), reasons.end(),
                                   [&](const NodeReason& one) { return one.text == reason.text && one.devices == reason.devices; });
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

std::string Names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  if (names.size() > kShown)
    return StrCat(Join({names.begin(), names.begin() + kShown - 1}, ", "), " and ", names.size() - kShown + 1, " more");
  if (names.size() < 2) return names.empty() ? "" : names[0];
  return StrCat(Join({names.begin(), names.end() - 1}, ", "), " and ", names.back());
}

}  // namespace allot::cli
