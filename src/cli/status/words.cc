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

std::string WhyWords(const WaitingEntry& entry) {
  if (entry.brief) return Words(*entry.brief);
  const std::string missing = entry.pod.MissingTemplate();
  if (missing.empty()) return "";
  return StrCat("template ", missing, " does not exist in namespace ", entry.pod.namespace_name, ": make it, or correct the name");
}

std::string_view ObstacleWord(view::Obstacle obstacle) {
  switch (obstacle) {
    case view::Obstacle::kNone: return "";
    case view::Obstacle::kNodeNotReady: return "not ready";
    case view::Obstacle::kNodeCordoned: return "cordoned";
    case view::Obstacle::kTainted: return "tainted";
  }
  return "";
}

}  // namespace allot::cli
