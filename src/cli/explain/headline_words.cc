// Headlines in words.

#include "base/strings.h"
#include "cli/explain/words.h"
#include "sched/words.h"

namespace allot::cli {
namespace {

using view::Headline;
using Kind = Headline::Kind;
using Among = Headline::Among;

// "it asks for 10240 MiB on each of 3 GPUs"
std::string AskWords(const Headline::Several& several) {
  if (!several.differ) return StrCat("it asks for ", several.count, " shares of ", several.mib, " MiB");
  return several.mib > 0 ? StrCat("it asks for ", several.mib, " MiB on each of ", several.count, " GPUs")
                         : StrCat("it asks for ", several.count, " whole GPUs");
}

// ", and on no node more than 2 fit"
std::string FitWords(const Headline& headline, std::string_view what) {
  if (headline.fit == 0) return StrCat(", and no GPU ", what);
  if (!headline.one_node) return StrCat(", and on no node more than ", headline.fit, " ", what);
  return StrCat(", and only ", headline.fit, " ", what);
}

std::string TooFewWords(const Headline& headline) {
  const std::string asks = AskWords(headline.several);
  const bool is_room = headline.only_room && (headline.several.differ || headline.fit == 0);
  if (!is_room) return asks + FitWords(headline, headline.fit < 2 ? "fits" : "fit");
  return asks + FitWords(headline, headline.fit < 2 ? "has that free" : "have that free");
}

std::string TooLittleWords(const Headline& headline, std::string_view where) {
  const std::string free =
      headline.asked ? StrCat("has ", *headline.asked, " MiB free (the most is ", headline.most, ")") : "is free as a whole";
  switch (headline.among) {
    case Among::kAll: return StrCat("no GPU", where, " ", free);
    case Among::kMatching: return StrCat("no GPU", where, " that matches its claim ", free);
    case Among::kUntainted: return StrCat("no GPU", where, " without a taint ", free);
    case Among::kSuitable: break;
  }
  return StrCat("no suitable device", where, " ", free);
}

std::string DidYouMean(const std::string& nearest) { return nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)"); }

std::string ObstacleWords(const Headline& headline) {
  const sched::Obstacle& obstacle = headline.obstacle;
  if (obstacle.kind != sched::Obstacle::Kind::kGates) return sched::Words(obstacle) + DidYouMean(headline.nearest);
  return StrCat("it has ", obstacle.gates.size() == 1 ? "a scheduling gate" : "scheduling gates", ": ", sched::Names(obstacle.gates));
}

}  // namespace

std::string Words(const Headline& h) {
  const std::string_view where = h.some_nodes ? " on the nodes that it may use" : "";
  const std::string_view matching = h.among == Among::kMatching ? " that matches its claim" : "";
  switch (h.kind) {
    case Kind::kNoNodes: return "there are no nodes";
    case Kind::kNoNodeFits: return StrCat("none of the ", h.count, " nodes fits");
    case Kind::kNode: return sched::WordsWithNodes(*h.reason, h.names);
    case Kind::kTooLarge: return StrCat("it asks for ", *h.asked, " MiB of one GPU, and the largest has ", h.most, " MiB");
    case Kind::kTooFew: return TooFewWords(h);
    case Kind::kNeverEnough: return AskWords(h.several) + FitWords(h, "could ever fit");
    case Kind::kNotTogether: return "no node has enough devices that fit together";
    case Kind::kNoMatch: return StrCat("no device", where, " matches the selectors of its claim");
    case Kind::kAllTaken: return StrCat("every device", where, matching, " is taken whole");
    case Kind::kAllTainted:
      return StrCat("every device", where, matching, " is tainted", matching.empty() ? ", which its claim does not tolerate" : "");
    case Kind::kTooLittle: return TooLittleWords(h, where);
    case Kind::kNoDeviceFits: return StrCat("no device", where, " fits");
    case Kind::kObstacle: return ObstacleWords(h);
    case Kind::kTemplateMissing:
      return StrCat("its claim ", h.obstacle.entry, " is made from template ", h.obstacle.source, ", which does not exist in namespace ",
                    h.obstacle.name_space, DidYouMean(h.nearest));
    case Kind::kClaimNotMade: return StrCat("its claim ", h.obstacle.entry, " is not made yet");
    case Kind::kUnreadable: return "it cannot be read";
    case Kind::kClaimsNotSeen: return "what its claims need cannot be seen";
    case Kind::kClassesNotSeen: return StrCat("it asks for ", h.resource, ", and whether a class stands for that cannot be seen");
    case Kind::kTwoKindsOfNodes:
      return StrCat("it asks for ", h.resource,
                    ", which some nodes have by a device plugin and others as devices; explain does not handle that yet");
    case Kind::kError: return h.error;
    case Kind::kClassMissing:
      return StrCat("class ", h.device_class, ", which request ", h.request, " of claim ", h.claim, " names, does not exist",
                    DidYouMean(h.nearest));
    case Kind::kFits: return StrCat("it fits now, on ", h.node, h.names.empty() ? "" : ", with ", sched::Names(h.names));
    case Kind::kPlaced: return StrCat("on ", h.node);
    case Kind::kEnded: return StrCat(h.phase, h.error.empty() ? "" : ": ", h.error);
    case Kind::kDeleted: break;
  }
  return "it is being deleted and never had a node";
}

std::string Words(const view::Brief& brief) { return brief.never ? sched::NeverWords(Words(brief.headline)) : Words(brief.headline); }

}  // namespace allot::cli
