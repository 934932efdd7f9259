#include "node/prepare/fit.h"

#include "model/trouble.h"

#include <algorithm>

namespace allot::node {

namespace {

// What all shares of one claim take of one device.
struct Taken {
  int64_t memory_mib = 0;
  int shares = 0;
};

// A share that was taken while the device's memory was unknown counts as `whole_mib`.
Taken TakenBy(const Holding& holding, std::string_view uuid, int64_t whole_mib) {
  Taken taken;
  for (const Share& share : holding.shares) {
    if (share.admin || share.uuid != uuid) continue;
    taken.memory_mib += share.memory_mib == 0 ? whole_mib : share.memory_mib;
    ++taken.shares;
  }
  return taken;
}

// Whether `other` holds the device whole while `share` is a part of it, or the other way round. A device can be split or made whole again
// while claims hold it.
bool IsOtherHalf(const Share& share, const Holding& other) {
  return std::any_of(other.shares.begin(), other.shares.end(), [&](const Share& theirs) {
    return !theirs.admin && theirs.parent == share.parent && theirs.is_part() != share.is_part();
  });
}

Status CheckSettings(const Holding& wanted, std::string_view uuid, const Holding& other, const ClaimDriver& driver) {
  for (const Share& ours : wanted.shares) {
    if (ours.uuid != uuid || ours.admin) continue;
    for (const Share& theirs : other.shares) {
      if (theirs.uuid != uuid || theirs.admin) continue;
      if (const Status settings = driver.CheckTogether(theirs, ours); !settings.ok()) {
        return Unavailable(ours.device, " (", uuid, ") is shared with claim ", other.ClaimName(),
                           ", and the settings differ: ", settings.message());
      }
    }
  }
  return {};
}

}  // namespace

Status CheckFits(const Holding& wanted, const Holdings& others, const ClaimDriver& driver,
                 std::vector<std::shared_ptr<const Holding>>& in_the_way) {
  in_the_way.clear();
  std::vector<std::string_view> seen;
  for (const Share& share : wanted.shares) {
    if (share.admin || std::find(seen.begin(), seen.end(), share.uuid) != seen.end()) continue;
    seen.push_back(share.uuid);
    const Taken ours = TakenBy(wanted, share.uuid, share.whole_mib);
    int64_t held = 0;
    std::string holders;
    for (const auto& [uid, other] : others) {
      if (IsOtherHalf(share, *other)) {
        in_the_way.push_back(other);
        return share.is_part() ? Exhausted(share.device, " (", share.uuid, ") is a part of a device that claim ", other->ClaimName(),
                                           " holds whole ", model::CodeOf(model::Trouble::kNotFree))
                               : Exhausted("claim ", other->ClaimName(), " holds a part of ", share.device, " (", share.uuid, ") ",
                                           model::CodeOf(model::Trouble::kNotFree));
      }
      const Taken theirs = TakenBy(*other, share.uuid, share.whole_mib);
      if (theirs.shares == 0) continue;
      in_the_way.push_back(other);
      TRY(CheckSettings(wanted, share.uuid, *other, driver));
      held += theirs.memory_mib;
      holders += StrCat(holders.empty() ? "" : ", ", other->ClaimName(), " holds ",
                        theirs.memory_mib == 0 ? std::string("all of it") : StrCat(theirs.memory_mib, " MiB"));
    }
    const bool unknown = share.whole_mib == 0;
    if (unknown ? holders.empty() && ours.shares == 1 : held + ours.memory_mib <= share.whole_mib) {
      in_the_way.clear();
      continue;
    }
    if (holders.empty()) holders = "no other claim holds any of it";
    if (unknown)
      return Exhausted(share.device, " (", share.uuid, ") has unknown memory, so it has one holder at a time: ", holders, " ",
                       model::CodeOf(model::Trouble::kNotFree));
    return Exhausted(share.device, " (", share.uuid, ") has ", share.whole_mib, " MiB and ", share.whole_mib - held,
                     " MiB free, and the claim wants ", ours.memory_mib, " MiB: ", holders, " ", model::CodeOf(model::Trouble::kNotFree));
  }
  return {};
}

}  // namespace allot::node
