// Why a node will not do for a Pod that asks for several devices of a kind: how many of them would do, and why not the others. Each is
// looked at by itself, so that what was picked for the Pod already is not in its own way.

#include <algorithm>

#include "sched/asks.h"
#include "sched/decide.h"

namespace allot::sched {
namespace {

std::string SummaryOf(const Refusal& refusal, bool differ, size_t devices, std::string_view node) {
  const std::string fits = StrCat(refusal.would_do == 1 ? " fits" : " fit");
  if (!differ) {
    const std::string asked = StrCat(refusal.asked, " shares of devices asked, ");
    return refusal.would_do == 0 ? StrCat(asked, "and none fits on node ", node)
                                 : StrCat(asked, "only ", refusal.would_do, fits, " on node ", node);
  }
  const std::string asked = StrCat(refusal.asked, " different devices asked");
  if (devices < refusal.asked) return StrCat(asked, ", and there ", devices == 1 ? "is" : "are", " only ", devices, " on node ", node);
  if (refusal.would_do == 0) return StrCat(asked, ", none of the ", devices, " of node ", node, " fits");
  return StrCat(asked, ", only ", refusal.would_do, " of the ", devices, " of node ", node, fits);
}

}  // namespace

Result<bool> Decider::ExplainSeveral(const Snapshot& snapshot, const Request& request, const Node& node, Refusal& refusal) {
  const std::optional<Several> several = SeveralOf(request);
  if (!several || !node.devices->inventory || node.devices->inventory->devices().empty()) return false;
  const Request single = WithClaim(request, several->claim, [&](model::ResourceClaim& claim) {
    claim.requests = {{claim.requests[0].name, several->ask, {}}};
    claim.constraints.clear();
    claim.config.clear();
  });
  const alloc::Inventory& inventory = *node.devices->inventory;
  alloc::Ledger ledger = node.ledger;
  std::vector<std::string> would_do;  // a device as often as it has a share to give
  alloc::Answer answer;
  while (would_do.size() < static_cast<size_t>(several->count)) {
    ASSIGN_OR_RETURN(answer, Allocate(snapshot, single, node, ledger, Strategy::kPack, true));
    if (answer.outcome != alloc::Answer::Outcome::kFits) break;
    const model::DeviceResult& got = answer.allocations.at(0).results.at(0);
    const alloc::InventoryDevice* const entry = DeviceOf(node, got);
    if (entry == nullptr) return false;
    would_do.push_back(inventory.DeviceName(static_cast<uint32_t>(entry - inventory.devices().data())));
    // Out of the way, to see who is next.
    alloc::Hold hold;
    hold.whole = several->differ || got.share_id.empty();
    hold.has_capacity = !hold.whole;
    for (const model::NamedQuantity& consumed : got.consumed_capacity) {
      if (!hold.whole) hold.consumed.emplace_back(consumed.name, consumed.amount);
    }
    ledger.AddHold({got.driver, got.pool, got.device}, std::move(hold));
  }
  if (answer.outcome != alloc::Answer::Outcome::kDoesNotFit) return false;  // there are enough, but not together
  refusal.asked = static_cast<size_t>(several->count);
  refusal.would_do = would_do.size();
  refusal.devices = std::move(answer.reasons);
  refusal.devices.request.clear();
  for (alloc::Reason& reason : refusal.devices.reasons) {
    if (reason.devices.empty()) continue;
    std::erase_if(reason.devices,
                  [&](const std::string& device) { return std::find(would_do.begin(), would_do.end(), device) != would_do.end(); });
    if (reason.devices.empty()) reason.text.clear();
  }
  std::erase_if(refusal.devices.reasons, [](const alloc::Reason& reason) { return reason.text.empty(); });
  refusal.devices.summary = refusal.text = SummaryOf(refusal, several->differ, inventory.devices().size(), node.name());
  return true;
}

}  // namespace allot::sched
