#include "cli/status/words.h"

#include "base/strings.h"
#include "cli/explain/words.h"

namespace allot::cli {
namespace {

// "2 x gpu.nvidia.com, 6144 MiB each"
std::string DeviceAskWords(const view::DeviceAsk& ask) {
  std::string text = ask.all ? StrCat("all of ", ask.class_name) : StrCat(ask.count, " x ", ask.class_name);
  if (ask.mib) text += StrCat(", ", *ask.mib, " MiB", ask.count == 1 && !ask.all ? "" : " each");
  return text;
}

std::string AskWordsOf(const view::Ask& ask) {
  switch (ask.source) {
    case view::Ask::Source::kRequest: {
      std::vector<std::string> alternatives;
      for (const view::DeviceAsk& one : ask.alternatives) alternatives.push_back(DeviceAskWords(one));
      return Join(alternatives, ", or ");
    }
    case view::Ask::Source::kResource: {
      const view::DeviceAsk& one = ask.alternatives[0];
      if (one.class_name.empty()) return StrCat(one.count, " x ", ask.name);
      return StrCat(DeviceAskWords(one), ask.name.empty() ? "" : StrCat(" (", ask.name, ")"));
    }
    case view::Ask::Source::kClaim: return StrCat("claim ", ask.name, ask.exists ? ", which cannot be seen" : ", which does not exist");
    case view::Ask::Source::kTemplate:
      return StrCat("claim template ", ask.name, ask.exists ? ", which cannot be seen" : ", which does not exist");
  }
  return "";
}

// The objects of a list, and what is unknown without them.
struct ListWords {
  std::string_view objects, without;
};

ListWords WordsOf(view::Note::List list) {
  using List = view::Note::List;
  switch (list) {
    case List::kSlices: return {"slices", "only devices that claims hold are shown"};
    case List::kClaims: return {"claims", "holders are unknown"};
    case List::kClasses: return {"classes", "Pods that ask by an extended resource are left out"};
    case List::kNodes: return {"nodes", "whether they are ready is unknown"};
    case List::kPods: return {"Pods", "waiting Pods are unknown"};
    case List::kEvents: break;
  }
  return {"events", "Pods whose devices could not be prepared are unknown"};
}

}  // namespace

std::vector<std::string> StateWords(const view::Device& device) {
  std::vector<std::string> words;
  if (device.overcommitted) words.push_back(StrCat("OVER-COMMITTED by ", *device.used - *device.mib, " MiB"));
  if (device.gone) words.emplace_back("GONE: no slice offers it any more");
  if (device.incomplete) words.push_back(IncompleteWords(*device.incomplete));
  if (!device.node_ready) words.emplace_back("node is not ready");
  if (device.node_cordoned) words.emplace_back("node is cordoned");
  for (const view::DeviceTaint& taint : device.taints) words.push_back(TaintWords(taint));
  if (!device.HasShareLeft()) words.push_back(StrCat("no share left (", device.shares_used, " of ", *device.shares, ")"));
  if (device.mib && device.node_ready && !device.IsTainted()) words.emplace_back("healthy");
  if (device.mib && !device.shared) words.emplace_back("exclusive");
  return words;
}

std::string IncompleteWords(const view::Device::Incomplete& incomplete) {
  return StrCat("pool incomplete: ", incomplete.present, " of ", incomplete.wanted, " slices");
}

std::string TaintWords(const view::DeviceTaint& taint) {
  constexpr std::string_view kOurs = "gpu.nvidia.com/";
  const std::string_view name = std::string_view(taint.key).starts_with(kOurs) ? std::string_view(taint.key).substr(kOurs.size()) : "";
  if (name == "xid") return StrCat("error XID ", taint.value);
  if (name == "gpu-lost") return "does not answer (gpu-lost)";
  if (name == "cordoned") return "cordoned";
  if (name == "unmonitored") return "not watched for errors";
  return StrCat("taint ", taint.key, taint.value.empty() ? "" : "=", taint.value, ":", taint.effect);
}

std::vector<std::string> AskWords(const view::WaitingPod& pod) {
  std::vector<std::string> words;
  for (const view::Ask& ask : pod.asks) words.push_back(AskWordsOf(ask));
  return words;
}

std::string MessageWords(const view::WaitingPod& pod) {
  switch (pod.cause) {
    case view::WaitingPod::Cause::kNoClaim: return "its claim is not made yet, and no scheduler looks at it before";
    case view::WaitingPod::Cause::kNotLookedAt: return StrCat("no scheduler has looked at it yet; does ", pod.scheduler, " run?");
    default: return pod.message;
  }
}

std::string WhyWords(const view::WaitingEntry& entry) {
  if (entry.brief) return Words(*entry.brief);
  const std::string missing = entry.pod.MissingTemplate();
  if (missing.empty()) return "";
  return StrCat("template ", missing, " does not exist in namespace ", entry.pod.namespace_name, ": make it, or correct the name");
}

std::string NoteWords(const view::Note& note) {
  if (note.kind != view::Note::Kind::kNotAllowed && note.kind != view::Note::Kind::kNotServed) return Words(note);
  const auto [objects, without] = WordsOf(note.list);
  const bool forbidden = note.kind == view::Note::Kind::kNotAllowed;
  return StrCat(objects, forbidden ? ", because you may not list them: " : ", because the server has none: ", without);
}

std::string MissingWords(const view::Overview& overview) {
  using Missing = view::Overview::Missing;
  switch (overview.missing) {
    case Missing::kNone: return "";
    case Missing::kNotServed: return "this cluster does not serve resource.k8s.io/v1 (Kubernetes 1.34 and later do)";
    case Missing::kNoSlices: return "no driver offers devices: there are no ResourceSlices";
    case Missing::kNoMemory: break;
  }
  return StrCat("there are devices of ", Join(overview.drivers, ", "), ", but none with memory to share");
}

std::string_view ObstacleWord(view::DeviceObstacle obstacle) {
  switch (obstacle) {
    case view::DeviceObstacle::kNone: return "";
    case view::DeviceObstacle::kNodeNotReady: return "not ready";
    case view::DeviceObstacle::kNodeCordoned: return "cordoned";
    case view::DeviceObstacle::kTainted: return "tainted";
  }
  return "";
}

}  // namespace allot::cli
