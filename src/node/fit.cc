#include "node/fit.h"

#include <algorithm>

#include "node/gpu_config.h"

namespace allot::node {

namespace {

// What a claim takes of one device, all its shares of it together.
struct Taken {
  int64_t memory_mib = 0;
  int shares = 0;
};

// `whole_mib`: what a share takes that was taken whole while the device did not tell its memory.
Taken TakenBy(const Holding& holding, std::string_view uuid, int64_t whole_mib) {
  Taken taken;
  for (const HeldShare& share : holding.shares) {
    if (share.admin || share.uuid != uuid) continue;
    taken.memory_mib += share.memory_mib == 0 ? whole_mib : share.memory_mib;
    ++taken.shares;
  }
  return taken;
}

// A GPU is handed out whole or in MIG devices, whatever it was when its holders got it.
bool IsOtherHalf(const HeldShare& share, const Holding& other) {
  return std::any_of(other.shares.begin(), other.shares.end(), [&](const HeldShare& theirs) {
    return !theirs.admin && theirs.parent == share.parent && theirs.is_mig() != share.is_mig();
  });
}

Status CheckSettings(const Holding& wanted, std::string_view uuid, const Holding& other) {
  for (const HeldShare& ours : wanted.shares) {
    if (ours.uuid != uuid || ours.admin) continue;
    for (const HeldShare& theirs : other.shares) {
      if (theirs.uuid != uuid || theirs.admin) continue;
      if (const Status settings = Compatible(theirs.sharing, ours.sharing); !settings.ok()) {
        return Unavailable(ours.device, " (", uuid, ") is shared with claim ", other.ClaimName(),
                           ", and the settings differ: ", settings.message(),
                           "; use the same GpuConfig for claims that share, or ask for a GPU of its own");
      }
    }
  }
  return {};
}

}  // namespace

Status CheckFits(const Holding& wanted, const Holdings& others, std::vector<std::shared_ptr<const Holding>>& in_the_way) {
  in_the_way.clear();
  std::vector<std::string_view> seen;
  for (const HeldShare& share : wanted.shares) {
    if (share.admin || std::find(seen.begin(), seen.end(), share.uuid) != seen.end()) continue;
    seen.push_back(share.uuid);
    const Taken ours = TakenBy(wanted, share.uuid, share.whole_mib);
    int64_t held = 0;
    std::string holders;
    for (const auto& [uid, other] : others) {
      if (IsOtherHalf(share, *other)) {
        in_the_way.push_back(other);
        return Exhausted(share.device, " (", share.uuid, ") is ", share.is_mig() ? "a part of a GPU that claim " : "a GPU of which claim ",
                         other->ClaimName(), share.is_mig() ? " holds whole" : " holds a MIG device");
      }
      const Taken theirs = TakenBy(*other, share.uuid, share.whole_mib);
      if (theirs.shares == 0) continue;
      in_the_way.push_back(other);
      TRY(CheckSettings(wanted, share.uuid, *other));
      held += theirs.memory_mib;
      holders += StrCat(holders.empty() ? "" : ", ", other->ClaimName(), " holds ",
                        theirs.memory_mib == 0 ? std::string("all of it") : StrCat(theirs.memory_mib, " MiB"));
    }
    const bool unknown = share.whole_mib == 0;
    if (unknown ? holders.empty() && ours.shares == 1 : held + ours.memory_mib <= share.whole_mib) {
      in_the_way.clear();
      continue;
    }
    if (holders.empty()) holders = "nobody else holds any of it";
    if (unknown) return Exhausted(share.device, " (", share.uuid, ") does not tell its memory and has one holder at a time: ", holders);
    return Exhausted(share.device, " (", share.uuid, ") has ", share.whole_mib, " MiB, of which ", share.whole_mib - held,
                     " are free, and the claim wants ", ours.memory_mib, ": ", holders);
  }
  return {};
}

}  // namespace allot::node
