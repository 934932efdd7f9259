// What the reasons of all nodes come down to, in one line.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include "base/strings.h"
#include "cli/explain_parts.h"
#include "sched/asks.h"

namespace allot::cli {
namespace {

// What rules a device out, as far as headlines tell it apart.
enum class Cause { kShort, kTaken, kNoMatch, kTainted, kTogether, kOther };

Cause CauseOf(std::string_view why) {
  const auto has = [&](std::string_view part) { return why.find(part) != why.npos; };
  if (has(" MiB asked, ")) return Cause::kShort;
  if (why.starts_with("taken whole")) return Cause::kTaken;
  if (why.starts_with("selector ") || has("selector ")) return Cause::kNoMatch;
  if (why.starts_with("tainted ")) return Cause::kTainted;
  if (has("picked") || has("fits by itself") || has("which a constraint needs")) return Cause::kTogether;
  return Cause::kOther;
}

// The least that was asked of a device.
int64_t AskedOf(const std::vector<NodeReason>& reasons) {
  int64_t least = 0;
  for (const NodeReason& reason : reasons) {
    for (const DeviceRow& row : reason.devices) {
      long long asked = 0;
      if (std::sscanf(row.why.c_str(), "%lld MiB asked", &asked) == 1 && (least == 0 || asked < least)) least = asked;
    }
  }
  return least;
}

// The most that one of the devices has free which have too little.
int64_t MostFree(const std::vector<NodeReason>& reasons) {
  int64_t most = 0;
  for (const NodeReason& reason : reasons) {
    for (const DeviceRow& row : reason.devices) {
      if (CauseOf(row.why) == Cause::kShort) most = std::max(most, row.free.value_or(0));
    }
  }
  return most;
}

std::set<Cause> CausesOf(const std::vector<NodeReason>& reasons) {
  std::set<Cause> causes;
  for (const NodeReason& reason : reasons) {
    for (const DeviceRow& row : reason.devices) {
      if (!row.why.empty()) causes.insert(CauseOf(row.why));
    }
  }
  return causes;
}

// "it asks for 10240 MiB on each of 3 GPUs"
std::string AsksText(const sched::Several& several) {
  const int64_t mib = sched::MemoryAsked(several.ask);
  if (!several.differ) return StrCat("it asks for ", several.count, " shares of ", mib, " MiB");
  return mib > 0 ? StrCat("it asks for ", mib, " MiB on each of ", several.count, " GPUs")
                 : StrCat("it asks for ", several.count, " whole GPUs");
}

// ", and no node has more than 2 GPUs ..."
std::string ButOnly(size_t nodes, size_t most, std::string_view what) {
  if (most == 0) return StrCat(", and no GPU ", what);
  if (nodes > 1) return StrCat(", and on no node more than ", most, " ", what);
  return StrCat(", and only ", most, " ", what);
}

// Of a Pod that asks for several GPUs.
std::string SeveralHeadline(const sched::Several& several, const std::vector<NodeReason>& reasons) {
  size_t most = 0, nodes = 0;
  for (const NodeReason& reason : reasons) {
    most = std::max(most, reason.would_do);
    nodes += reason.nodes.size();
  }
  const std::set<Cause> causes = CausesOf(reasons);
  const bool only_room = !causes.empty() && std::all_of(causes.begin(), causes.end(),
                                                        [](Cause cause) { return cause == Cause::kShort || cause == Cause::kTaken; });
  if (!several.differ && most > 0) return AsksText(several) + ButOnly(nodes, most, most == 1 ? "fits" : "fit");
  if (!only_room) return AsksText(several) + ButOnly(nodes, most, "would do");
  return AsksText(several) + ButOnly(nodes, most, most == 1 || most == 0 ? "has that free" : "have that free");
}

// The same, of one that would not fit even if nobody else were there.
std::string SeveralNeverHeadline(const sched::Several& several, const std::vector<NodeReason>& reasons) {
  size_t most = 0, nodes = 0;
  for (const NodeReason& reason : reasons) {
    nodes += reason.nodes.size();
    const auto could = [](const DeviceRow& row) {
      const Cause cause = CauseOf(row.why);
      return row.why.empty() || cause == Cause::kTaken || (cause == Cause::kShort && row.why.find("more than it has") == row.why.npos);
    };
    size_t all = 0;
    for (const DeviceRow& row : reason.devices) {
      const int64_t mib = several.differ ? 0 : sched::MemoryAsked(several.ask);
      all += !could(row) ? 0 : mib > 0 ? static_cast<size_t>(row.mib.value_or(0) / mib) : 1;
    }
    most = std::max(most, all);
  }
  return AsksText(several) + ButOnly(nodes, most, "could ever do");
}

// Whether devices are asked for as a whole, whatever memory they have.
bool AsksForWhole(const sched::Request& request) {
  return std::all_of(request.claims.begin(), request.claims.end(), [](const sched::ClaimPtr& claim) {
    const auto& requests = claim->claim.requests;
    return claim->claim.allocation ||
           std::all_of(requests.begin(), requests.end(), [](const model::Request& one) { return sched::MemoryAsked(one) == 0; });
  });
}

std::string DeviceHeadline(const std::vector<NodeReason>& reasons, bool whole, bool all_nodes) {
  const std::set<Cause> causes = CausesOf(reasons);
  const auto only = [&](std::set<Cause> some) { return std::includes(some.begin(), some.end(), causes.begin(), causes.end()); };
  const std::string_view where = all_nodes ? "" : " on the nodes that it may use";
  // Enough for one of its requests, and others of the Pod would have it.
  const bool taken_by_itself = !whole && causes.contains(Cause::kShort) && MostFree(reasons) >= AskedOf(reasons);
  if (causes.contains(Cause::kTogether) || taken_by_itself) return StrCat("no node has enough devices that fit together");
  if (only({Cause::kNoMatch})) return StrCat("no device", where, " matches the selectors of its claim");
  if (only({Cause::kTaken})) return StrCat("every device", where, " is taken whole");
  if (only({Cause::kTainted})) return StrCat("every device", where, " is tainted, which its claim does not tolerate");
  const std::string free =
      whole ? "is free as a whole" : StrCat("has ", AskedOf(reasons), " MiB free (the most is ", MostFree(reasons), ")");
  if (causes.contains(Cause::kShort)) {
    if (only({Cause::kShort, Cause::kTaken})) return StrCat("no GPU", where, " ", free);
    if (only({Cause::kShort, Cause::kTaken, Cause::kNoMatch})) return StrCat("no GPU", where, " that matches its claim ", free);
    if (only({Cause::kShort, Cause::kTaken, Cause::kTainted})) return StrCat("no GPU", where, " without a taint ", free);
  }
  if (only({Cause::kTaken, Cause::kNoMatch})) return StrCat("every device", where, " that matches its claim is taken whole");
  if (only({Cause::kTainted, Cause::kNoMatch})) return StrCat("every device", where, " that matches its claim is tainted");
  if (causes.contains(Cause::kShort)) return StrCat("no device", where, " that would do ", free);
  return StrCat("no device", where, " fits");
}

// Whether devices are counted: not where they would do one by one, but not together.
bool IsAboutSeveral(const std::vector<NodeReason>& reasons) {
  return !reasons.empty() && !reasons[0].devices.empty() && !CausesOf(reasons).contains(Cause::kTogether);
}

}  // namespace

std::string HeadlineOf(const sched::Request& request, const std::vector<NodeReason>& reasons) {
  if (reasons.empty()) return "there are no nodes";
  const std::optional<sched::Several> several = sched::SeveralOf(request);
  if (several && IsAboutSeveral(reasons)) return SeveralHeadline(*several, reasons);
  if (!reasons[0].devices.empty()) return DeviceHeadline(reasons, AsksForWhole(request), !reasons.back().devices.empty());
  size_t nodes = 0;
  for (const NodeReason& reason : reasons) nodes += reason.nodes.size();
  if (reasons.size() > 1) return StrCat("none of the ", nodes, " nodes will do");
  const std::string& text = reasons[0].text;
  const bool is_predicate = text.starts_with("is ") || text.starts_with("has ") || text.starts_with("runs ") || text.starts_with("does ");
  if (nodes == 1 && text.find(" asked, ") != text.npos) return StrCat("node ", reasons[0].nodes[0], " has too little ", text);
  if (nodes == 1)
    return is_predicate ? StrCat("node ", reasons[0].nodes[0], " ", text) : StrCat("on node ", reasons[0].nodes[0], ", ", text);
  if (text.find(" asked, ") != text.npos) return StrCat("each of the ", nodes, " nodes has too little ", text);
  return StrCat("each of the ", nodes, " nodes ", is_predicate ? "" : "is ruled out: ", text);
}

std::string NeverHeadlineOf(const sched::Request& request, const std::vector<NodeReason>& reasons) {
  const int64_t asked = AskedOf(reasons);
  int64_t largest = 0;
  for (const NodeReason& reason : reasons) {
    for (const DeviceRow& row : reason.devices) largest = std::max(largest, row.mib.value_or(0));
  }
  if (asked > largest && largest > 0) return StrCat("it asks for ", asked, " MiB of one GPU, and the largest has ", largest, " MiB");
  const std::optional<sched::Several> several = sched::SeveralOf(request);
  if (several && IsAboutSeveral(reasons)) return SeveralNeverHeadline(*several, reasons);
  // What keeps it away could be lifted; what is too small stays so.
  std::vector<NodeReason> too_small;
  for (const NodeReason& reason : reasons) {
    if (!reason.devices.empty() || reason.text.find(" asked, ") != reason.text.npos) too_small.push_back(reason);
  }
  return HeadlineOf(request, too_small.empty() ? reasons : too_small);
}

}  // namespace allot::cli
