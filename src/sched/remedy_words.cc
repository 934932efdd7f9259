// Remedies in words.

#include <map>

#include "alloc/words.h"
#include "base/strings.h"
#include "model/memory.h"
#include "sched/words.h"

namespace allot::sched {
namespace {

using Change = Remedy::Change;

std::string EachWords(const Remedy& remedy) {
  const bool one_of_several = !remedy.request.empty();
  return StrCat(
      remedy.each == Remedy::Each::kGpu     ? " of each GPU"
      : remedy.each == Remedy::Each::kShare ? " for each share"
                                            : "",
      remedy.alternative.empty() ? "" : StrCat(" in alternative ", remedy.alternative, one_of_several ? " of" : ""),
      one_of_several ? StrCat(remedy.alternative.empty() ? " in" : "", " request ", remedy.request, " of claim ", remedy.claim) : "");
}

std::string LessOfNodeWords(const Remedy& remedy) {
  const int64_t less = remedy.asked - remedy.enough;
  if (remedy.resource != "cpu") return StrCat(model::MiB::Taken(less).ToString(), " less of the node's memory");
  return StrCat(AmountText("cpu", less), less <= 1000 ? " CPU" : " CPUs", " less (", AmountText("cpu", remedy.enough), " instead of ",
                AmountText("cpu", remedy.asked), ")");
}

std::string TaintWords(const std::vector<Remedy::Taint>& taints) {
  std::vector<std::string> texts;
  for (const Remedy::Taint& one : taints) texts.push_back(StrCat(alloc::Words(one.taint), " of ", one.device));
  return Names(texts);
}

std::string SizeText(model::MiB size) { return size.count() % 1024 == 0 ? StrCat(size.count() / 1024, " GiB") : size.ToString(); }

// "a node with 2 free GPUs of 24 GiB", "a node with free GPUs: 12 GiB, 2 of 24 GiB"
std::string NodeWords(const std::vector<model::MiB>& gpus) {
  std::map<model::MiB, size_t> sizes;
  for (const model::MiB size : gpus) ++sizes[size];
  if (sizes.empty()) return "one more node";
  const auto& [least, count] = *sizes.begin();
  if (least == model::MiB(0)) return StrCat("a node with ", gpus.size(), " free device", gpus.size() == 1 ? "" : "s");
  if (gpus.size() == 1) return StrCat("a node with a free ", SizeText(least), " GPU");
  if (sizes.size() == 1) return StrCat("a node with ", count, " free GPUs of ", SizeText(least));
  std::vector<std::string> texts;
  for (const auto& [size, many] : sizes) texts.push_back(many == 1 ? SizeText(size) : StrCat(many, " of ", SizeText(size)));
  return StrCat("a node with free GPUs: ", Join(texts, ", "));
}

std::string StopsWaitingWords(std::string_view pod) {
  const size_t slash = pod.find('/');
  return StrCat(pod, " no longer waiting (allot delete pod ", pod.substr(slash + 1), " -n ", pod.substr(0, slash), ")");
}

std::string ChangeWords(const Remedy& r) {
  switch (r.change) {
    case Change::kLessMemory:
      return StrCat((r.memory_asked - r.memory_enough).ToString(), " less", EachWords(r), " (", r.memory_enough.count(), " instead of ",
                    r.memory_asked.count(), ")");
    case Change::kPartOfGpu: return StrCat("asking for at most ", r.memory_enough.ToString(), " instead of a whole GPU", EachWords(r));
    case Change::kFewerDevices:
      return StrCat(r.enough, r.each == Remedy::Each::kShare ? " share" : " GPU", r.enough == 1 ? "" : "s", " instead of ", r.asked);
    case Change::kLessOfNode: return LessOfNodeWords(r);
    case Change::kUncordon: return StrCat("kubectl uncordon ", r.target);
    case Change::kNodeReady: return StrCat("node ", r.target, " being ready");
    case Change::kTaintGone: return StrCat("node ", r.target, " without ", r.taints[0].taint.key);
    case Change::kToleration:
      return StrCat("a toleration for ", r.taints[0].taint.key, ":", r.taints[0].taint.effect, " (node ", r.target, ")");
    case Change::kLabel: return StrCat("label ", r.label, "=", r.value, " on node ", r.target);
    case Change::kNoSelectors: return StrCat("request ", r.request, " of claim ", r.claim, " without its selectors");
    case Change::kNoConstraints: return StrCat("claim ", r.claim, " without its constraints");
    case Change::kDeviceTaints: return StrCat("taint ", TaintWords(r.taints), " gone, or tolerated by the claim");
    case Change::kNoNodeAffinity: return "the Pod without its node affinity";
    case Change::kNoPodAffinity: return "the Pod without its affinity to Pods";
    case Change::kNoAntiAffinity: return "the Pod without its anti-affinity";
    case Change::kNoSpread: return "the Pod without its topology spread constraints";
    case Change::kNoHostPorts: return "the Pod without its host ports";
    case Change::kPodsEnd: return StrCat(Names(r.pods), " ending");
    case Change::kPodStopsWaiting: return StopsWaitingWords(r.pods[0]);
    case Change::kMoreNodes: break;
  }
  return NodeWords(r.gpus);
}

}  // namespace

std::string Names(const std::vector<std::string>& names) { return alloc::Shortened(names, " and "); }

std::string Words(const Remedy& remedy) {
  return StrCat(ChangeWords(remedy), remedy.delays_no_pod ? ", without delaying another Pod" : "");
}

}  // namespace allot::sched
