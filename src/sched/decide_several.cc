// Why a node does not fit a Pod that asks for several devices of a kind: how many devices fit, and why the others do not. Each device is
// tried by itself, so that the Pod's own picks do not stand in its way.

#include <algorithm>

#include "sched/asks.h"
#include "sched/decide.h"

namespace allot::sched {

Result<bool> Decider::ExplainSeveral(const Snapshot& snapshot, const PodWithClaims& asking, const Node& node, NodeReason& reason) {
  const std::optional<Several> several = SeveralOf(asking);
  if (!several || !node.devices->inventory || node.devices->inventory->devices().empty()) return false;
  const PodWithClaims single = WithClaim(asking, several->claim, [&](model::ResourceClaim& claim) {
    claim.requests = {{claim.requests[0].name, several->ask, {}}};
    claim.constraints.clear();
    claim.config.clear();
  });
  const alloc::Inventory& inventory = *node.devices->inventory;
  alloc::Ledger ledger = node.ledger;
  std::vector<std::string> fitting;  // a device as often as it has a share to give
  alloc::Answer answer;
  while (fitting.size() < static_cast<size_t>(several->count)) {
    ASSIGN_OR_RETURN(answer, Allocate(snapshot, single, node, ledger, Strategy::kPack, true));
    if (answer.outcome != alloc::Answer::Outcome::kFits) break;
    const model::DeviceResult& got = answer.allocations.at(0).results.at(0);
    const alloc::InventoryDevice* const entry = DeviceOf(node, got);
    if (entry == nullptr) return false;
    fitting.push_back(inventory.DeviceName(static_cast<uint32_t>(entry - inventory.devices().data())));
    // Take the device away, to find the next one.
    alloc::Hold hold;
    hold.whole = several->differ || got.share_id.empty();
    hold.has_capacity = !hold.whole;
    for (const model::NamedQuantity& consumed : got.consumed_capacity) {
      if (!hold.whole) hold.consumed.emplace_back(consumed.name, consumed.amount);
    }
    ledger.AddHold({got.driver, got.pool, got.device}, std::move(hold));
  }
  if (answer.outcome != alloc::Answer::Outcome::kDoesNotFit) return false;  // enough devices fit alone, but not together
  reason.kind = NodeReason::Kind::kSeveralDevices;
  reason.asked = several->count;
  reason.differ = several->differ;
  reason.fit_alone = fitting.size();
  reason.devices = std::move(answer.reasons);
  reason.devices.request.clear();
  std::erase_if(reason.devices.ruled_out, [&](alloc::RuledOut& one) {
    const auto is_good = [&](const std::string& device) { return std::find(fitting.begin(), fitting.end(), device) != fitting.end(); };
    return std::erase_if(one.devices, is_good) > 0 && one.devices.empty();
  });
  return true;
}

}  // namespace allot::sched
