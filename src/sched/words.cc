#include "sched/words.h"

#include <algorithm>
#include <map>

#include "alloc/words.h"
#include "base/strings.h"
#include "model/memory.h"

namespace allot::sched {
namespace {

using Kind = NodeReason::Kind;

std::string ResourceWords(const NodeReason& reason) {
  return StrCat(reason.key, ": ", AmountText(reason.key, reason.asked), " asked, ", AmountText(reason.key, reason.free), " of ",
                AmountText(reason.key, reason.whole), " free");
}

std::string NodeAffinityWords(const NodeReason& reason) {
  if (reason.key.empty()) return "does not match the Pod's node affinity";
  return StrCat("does not match the Pod's node affinity: ", reason.key, " ", reason.op, reason.values.empty() ? "" : " ",
                Join(reason.values, ", "));
}

std::string SeveralWords(const NodeReason& reason) {
  const std::string fits = reason.fit_alone == 1 ? " fits" : " fit";
  if (!reason.differ) {
    const std::string asked = StrCat(reason.asked, " shares of devices asked, ");
    return reason.fit_alone == 0 ? StrCat(asked, "and none fits") : StrCat(asked, "only ", reason.fit_alone, fits);
  }
  const std::string asked = StrCat(reason.asked, " different devices asked");
  const size_t devices = reason.devices.devices;
  if (devices < static_cast<size_t>(reason.asked)) {
    return StrCat(asked, ", and there ", devices == 1 ? "is" : "are", " only ", devices);
  }
  if (reason.fit_alone == 0) return StrCat(asked, ", none of the ", devices, " fits");
  return StrCat(asked, ", only ", reason.fit_alone, " of the ", devices, fits);
}

// Whether the words read after "node n1 ".
bool IsPredicate(Kind kind) {
  switch (kind) {
    case Kind::kCordoned:
    case Kind::kTainted:
    case Kind::kLabelMissing:
    case Kind::kLabelDiffers:
    case Kind::kNodeAffinity:
    case Kind::kPodLimit:
    case Kind::kNoResource:
    case Kind::kNoDevices:
    case Kind::kSpreadLabelMissing:
    case Kind::kAffinityLabelMissing:
    case Kind::kKept: return true;
    default: return false;
  }
}

// Nodes with the same words together, the largest groups first. A node with reasons for its devices stands by itself, so that these are
// told.
std::vector<std::vector<const NodeReason*>> Group(const std::vector<const NodeReason*>& reasons) {
  std::vector<std::vector<const NodeReason*>> groups;
  std::map<std::string, size_t> index;
  for (const NodeReason* reason : reasons) {
    if (!reason->devices.ruled_out.empty()) {
      groups.push_back({reason});
      continue;
    }
    const auto [at, is_new] = index.emplace(Words(*reason), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(reason);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return groups;
}

// " (gpu-0: 6144 MiB asked, ...; and 2 more)"
std::string DeviceWords(const std::vector<alloc::RuledOut>& ruled_out) {
  if (ruled_out.empty()) return "";
  constexpr size_t kMost = 3;
  const std::vector<alloc::Sentence> sentences = alloc::SentencesOf(ruled_out);
  std::string text;
  for (size_t i = 0; i < std::min(kMost, sentences.size()); ++i) {
    const alloc::Sentence& one = sentences[i];
    text += StrCat(i == 0 ? " (" : "; ", alloc::Shortened(one.devices), one.devices.empty() ? "" : ": ", one.words);
  }
  return StrCat(text, sentences.size() > kMost ? StrCat("; and ", sentences.size() - kMost, " more)") : ")");
}

}  // namespace

std::string AmountText(std::string_view name, int64_t amount) {
  if (name == "cpu") return amount % 1000 == 0 ? StrCat(amount / 1000) : StrCat(amount, "m");
  if (name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-")) return model::MiB::Offered(amount).ToString();
  return StrCat(amount);
}

std::string Words(const NodeReason& r) {
  switch (r.kind) {
    case Kind::kNone: return "";
    case Kind::kNamesOtherNode: return StrCat("the Pod names node ", r.wanted);
    case Kind::kCordoned: return "is cordoned (unschedulable)";
    case Kind::kTainted: return StrCat("is tainted ", alloc::Words(r.taint), ", which the Pod does not tolerate");
    case Kind::kLabelMissing: return StrCat("has no label ", r.key, ", and the Pod's nodeSelector wants ", r.key, "=", r.wanted);
    case Kind::kLabelDiffers: return StrCat("is ", r.key, "=", r.value, ", and the Pod's nodeSelector wants ", r.wanted);
    case Kind::kNodeAffinity: return NodeAffinityWords(r);
    case Kind::kHostPort: return StrCat("host port ", r.port, "/", r.protocol, " is taken by ", r.pod);
    case Kind::kPodLimit: return StrCat("runs ", r.count, " Pods, of at most ", r.limit);
    case Kind::kNoResource: return StrCat("has no ", r.key);
    case Kind::kResource: return ResourceWords(r);
    case Kind::kClaimElsewhere: return StrCat("claim ", r.claim, " is allocated on another node");
    case Kind::kDevicesUnknown: return r.detail;
    case Kind::kTooManyCombinations: return "too many combinations of devices to try them all; ask for less at once";
    case Kind::kNoDevices: return "has no devices";
    case Kind::kDevices: return alloc::Summary(r.devices);
    case Kind::kSeveralDevices: return SeveralWords(r);
    case Kind::kSpreadLabelMissing: return StrCat("has no label ", r.key, ", which the Pod's topology spread constraint needs");
    case Kind::kSpread:
      return StrCat("topology spread: the Pod would make a skew of ", r.count, " in ", r.key, "=", r.value, ", and maxSkew is ", r.limit);
    case Kind::kAntiAffinity: return StrCat("anti-affinity: ", r.key, "=", r.value, " has a Pod that this Pod must avoid");
    case Kind::kAffinityLabelMissing: return StrCat("has no label ", r.key, ", which the Pod's affinity needs");
    case Kind::kAffinity: return StrCat("affinity: ", r.key, "=", r.value, " has no Pod that this Pod must join");
    case Kind::kUnwanted: return StrCat("the anti-affinity of Pod ", r.pod, " keeps this Pod out of ", r.key, "=", r.value);
    case Kind::kKept: break;
  }
  return StrCat("has room, but is kept for ", r.pod, ", which is ahead of it");
}

std::string Words(const Obstacle& o) {
  switch (o.kind) {
    case Obstacle::Kind::kNone: return "";
    case Obstacle::Kind::kGates: return StrCat("it has scheduling gates (", Join(o.gates, ", "), "), which their owner has to remove");
    case Obstacle::Kind::kClaimNotMade:
      return StrCat("its claim ", o.entry, " is not made yet: that needs template ", o.source, " in namespace ", o.name_space);
    case Obstacle::Kind::kResourceNotMade: return StrCat("its claim for ", o.resource, " is not made yet");
    case Obstacle::Kind::kClaimMissing: return StrCat("claim ", o.claim, " does not exist");
    case Obstacle::Kind::kClaimOfOther: return StrCat("claim ", o.claim, " was not made for this Pod");
    case Obstacle::Kind::kClaimDeleting: return StrCat("claim ", o.claim, " is being deleted");
    case Obstacle::Kind::kClaimFull: return StrCat("claim ", o.claim, " is used by ", o.users, " Pods, and more are not possible");
    case Obstacle::Kind::kVolume: break;
  }
  return StrCat("its volume ", o.volume.name, " is ",
                o.volume.claim.empty() ? "an ephemeral PersistentVolumeClaim" : "PersistentVolumeClaim ", o.volume.claim,
                ", and allot's scheduler does not place volumes: leave the Pod to another scheduler, or use a ",
                "volume that is on every node");
}

std::string WordsWithNodes(const NodeReason& reason, const std::vector<std::string>& nodes) {
  const std::string words = Words(reason);
  const bool one = nodes.size() == 1;
  const std::string where = one ? StrCat("node ", nodes[0]) : StrCat("each of the ", nodes.size(), " nodes");
  if (reason.kind == Kind::kResource) return StrCat(where, " has too little ", words);
  if (IsPredicate(reason.kind)) return StrCat(where, " ", words);
  return one ? StrCat("on ", where, ", ", words) : StrCat(where, " is ruled out: ", words);
}

std::string Summary(const std::vector<const NodeReason*>& reasons) {
  if (reasons.empty()) return "there are no nodes";
  constexpr size_t kEnough = 4096;  // bytes; more would be cut off by the readers of the message
  std::string text = StrCat("0/", reasons.size(), " nodes fit");
  const char* separator = ": ";
  size_t told = 0;
  for (const std::vector<const NodeReason*>& group : Group(reasons)) {
    if (text.size() > kEnough) return StrCat(text, "; and ", reasons.size() - told, " more nodes");
    told += group.size();
    std::vector<std::string> nodes;
    for (const NodeReason* reason : group) nodes.push_back(reason->node);
    text += StrCat(separator, alloc::Shortened(nodes), ": ", Words(*group[0]), DeviceWords(group[0]->devices.ruled_out));
    separator = "; ";
  }
  return text;
}

std::string Summary(const std::vector<NodeReasonPtr>& reasons) {
  std::vector<const NodeReason*> views;
  for (const NodeReasonPtr& reason : reasons) views.push_back(reason.get());
  return Summary(views);
}

std::string Summary(const Decision& decision) {
  if (decision.outcome == Decision::Outcome::kPlaced) return StrCat("placed on ", decision.node);
  if (decision.outcome == Decision::Outcome::kBlocked) return Words(decision.obstacle);
  std::vector<const NodeReason*> views;
  for (const NodeReason& reason : decision.reasons) views.push_back(&reason);
  return Summary(views);
}

std::string NeverWords(std::string_view why) { return StrCat("can never start here: ", why); }

}  // namespace allot::sched
