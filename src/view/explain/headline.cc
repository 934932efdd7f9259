#include "view/explain/headline.h"

#include <algorithm>
#include <map>
#include <set>

#include "alloc/words.h"
#include "sched/asks.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

using Kind = Headline::Kind;
using Among = Headline::Among;

// What rules a device out, as far as headlines tell it apart.
enum class Cause { kShort, kTaken, kNoMatch, kTainted, kTogether, kOther };
using Causes = std::set<Cause>;

Cause CauseOf(const alloc::Reason& reason) {
  using ReasonKind = alloc::Reason::Kind;
  switch (reason.kind) {
    case ReasonKind::kNotEnough: return alloc::MemoryIn(reason.name, reason.asked) ? Cause::kShort : Cause::kOther;
    case ReasonKind::kTakenWhole: return Cause::kTaken;
    case ReasonKind::kSelectorFalse:
    case ReasonKind::kSelectorError: return Cause::kNoMatch;
    case ReasonKind::kTainted: return Cause::kTainted;
    case ReasonKind::kAttributeMissing:
    case ReasonKind::kAttributeDiffers:
    case ReasonKind::kAttributeSame:
    case ReasonKind::kAlreadyPicked:
    case ReasonKind::kNotTogether: return Cause::kTogether;
    default: return Cause::kOther;
  }
}

bool IsShort(const DeviceRow& row) { return row.reason && CauseOf(*row.reason) == Cause::kShort; }

// An amount of memory that is asked for, and the most that a device which is ruled out for it has free. Both 0: there is none.
struct Shortage {
  int64_t asked = 0, most = 0;
  int64_t least = 0;    // that is asked for
  bool is_only = true;  // no other amount is asked for
};

// Of the amounts that are asked for, the one that is nearest to fit: alternatives ask for different ones.
Shortage ShortageOf(const std::vector<NodeGroup>& groups) {
  std::map<int64_t, int64_t> most;  // by what is asked
  for (const NodeGroup& group : groups) {
    for (const DeviceRow& row : group.devices) {
      if (!IsShort(row)) continue;
      int64_t& free = most[alloc::MemoryIn(row.reason->name, row.reason->asked)->count()];
      free = std::max(free, row.free.value_or(0));
    }
  }
  const auto nearest =
      std::min_element(most.begin(), most.end(), [](const auto& a, const auto& b) { return a.first - a.second < b.first - b.second; });
  return nearest == most.end() ? Shortage() : Shortage{nearest->first, nearest->second, most.begin()->first, most.size() == 1};
}

Causes CausesOf(const std::vector<NodeGroup>& groups) {
  Causes causes;
  for (const NodeGroup& group : groups) {
    for (const DeviceRow& row : group.devices) {
      if (row.reason) causes.insert(CauseOf(*row.reason));
    }
  }
  return causes;
}

size_t NodesOf(const std::vector<NodeGroup>& groups) {
  size_t nodes = 0;
  for (const NodeGroup& group : groups) nodes += group.nodes.size();
  return nodes;
}

Headline::Several SeveralOf(const sched::Several& several) {
  return {several.count, sched::MemoryAsked(several.ask).count(), several.differ};
}

Headline TooFew(const sched::Several& several, const std::vector<NodeGroup>& groups) {
  Headline headline{.kind = Kind::kTooFew, .several = SeveralOf(several), .one_node = NodesOf(groups) == 1};
  for (const NodeGroup& group : groups) headline.fit = std::max(headline.fit, group.reason.fit_alone);
  const Causes causes = CausesOf(groups);
  headline.only_room = !causes.empty() && std::all_of(causes.begin(), causes.end(),
                                                      [](Cause cause) { return cause == Cause::kShort || cause == Cause::kTaken; });
  return headline;
}

Headline NeverEnough(const sched::Several& several, const std::vector<NodeGroup>& groups) {
  Headline headline{.kind = Kind::kNeverEnough, .several = SeveralOf(several), .one_node = NodesOf(groups) == 1};
  const auto could_fit = [](const DeviceRow& row) {
    if (!row.reason) return true;
    const Cause cause = CauseOf(*row.reason);
    return cause == Cause::kTaken || (cause == Cause::kShort && !row.reason->IsTooSmall());
  };
  const int64_t mib = several.differ ? 0 : sched::MemoryAsked(several.ask).count();
  for (const NodeGroup& group : groups) {
    size_t all = 0;
    for (const DeviceRow& row : group.devices) {
      all += !could_fit(row) ? 0 : mib > 0 ? static_cast<size_t>(row.mib.value_or(0) / mib) : 1;
    }
    headline.fit = std::max(headline.fit, all);
  }
  return headline;
}

// Whether devices are asked for as a whole, whatever memory they have.
bool AsksForWhole(const sched::PodWithClaims& request) {
  return std::all_of(request.claims.begin(), request.claims.end(), [](const sched::ClaimPtr& claim) {
    const auto& requests = claim->claim.requests;
    return claim->claim.allocation || std::all_of(requests.begin(), requests.end(),
                                                  [](const model::Request& one) { return sched::MemoryAsked(one) == model::MiB(0); });
  });
}

Headline DeviceHeadline(const std::vector<NodeGroup>& groups, bool whole, bool some_nodes) {
  const Causes causes = CausesOf(groups);
  const auto only = [&](Causes some) { return std::includes(some.begin(), some.end(), causes.begin(), causes.end()); };
  const auto make = [&](Kind kind, Among among = Among::kAll) { return Headline{.kind = kind, .among = among, .some_nodes = some_nodes}; };
  // A device has enough for one request, but other requests of the Pod would get it.
  const Shortage shortage = ShortageOf(groups);
  const bool taken_by_itself = !whole && causes.contains(Cause::kShort) && shortage.most >= shortage.asked;
  if (causes.contains(Cause::kTogether) || taken_by_itself) return Headline{.kind = Kind::kNotTogether};
  if (only({Cause::kNoMatch})) return make(Kind::kNoMatch);
  if (only({Cause::kTaken})) return make(Kind::kAllTaken);
  if (only({Cause::kTainted})) return make(Kind::kAllTainted);
  if (causes.contains(Cause::kShort)) {
    Headline headline = make(Kind::kTooLittle, (whole || shortage.is_only) && only({Cause::kShort, Cause::kTaken}) ? Among::kAll
                                               : only({Cause::kShort, Cause::kTaken, Cause::kNoMatch})             ? Among::kMatching
                                               : only({Cause::kShort, Cause::kTaken, Cause::kTainted})             ? Among::kUntainted
                                                                                                                   : Among::kSuitable);
    if (!whole) headline.asked = shortage.asked, headline.most = shortage.most;
    return headline;
  }
  if (only({Cause::kTaken, Cause::kNoMatch})) return make(Kind::kAllTaken, Among::kMatching);
  if (only({Cause::kTainted, Cause::kNoMatch})) return make(Kind::kAllTainted, Among::kMatching);
  return make(Kind::kNoDeviceFits);
}

// Whether devices are counted. They are not where each fits by itself, but not together with others.
bool IsAboutSeveral(const std::vector<NodeGroup>& groups) {
  return !groups.empty() && !groups[0].devices.empty() && !CausesOf(groups).contains(Cause::kTogether);
}

}  // namespace

Headline HeadlineOf(const sched::PodWithClaims& request, const std::vector<NodeGroup>& groups) {
  if (groups.empty()) return {.kind = Kind::kNoNodes};
  const std::optional<sched::Several> several = sched::SeveralOf(request);
  if (several && IsAboutSeveral(groups)) return TooFew(*several, groups);
  if (!groups[0].devices.empty()) return DeviceHeadline(groups, AsksForWhole(request), groups.back().devices.empty());
  if (groups.size() > 1) return {.kind = Kind::kNoNodeFits, .count = NodesOf(groups)};
  return {.kind = Kind::kNode, .names = groups[0].nodes, .reason = groups[0].reason};
}

Headline NeverHeadlineOf(const sched::PodWithClaims& request, const std::vector<NodeGroup>& groups) {
  const int64_t asked = ShortageOf(groups).least;
  int64_t largest = 0;
  for (const NodeGroup& group : groups) {
    for (const DeviceRow& row : group.devices) largest = std::max(largest, row.mib.value_or(0));
  }
  if (asked > largest && largest > 0) return {.kind = Kind::kTooLarge, .asked = asked, .most = largest};
  const std::optional<sched::Several> several = sched::SeveralOf(request);
  if (several && IsAboutSeveral(groups)) return NeverEnough(*several, groups);
  // Nodes without devices say nothing about the others.
  std::vector<NodeGroup> too_small;
  for (const NodeGroup& group : groups) {
    if (!group.devices.empty() || group.reason.kind == sched::NodeReason::Kind::kResource) too_small.push_back(group);
  }
  return HeadlineOf(request, too_small.empty() ? groups : too_small);
}

}  // namespace allot::view
