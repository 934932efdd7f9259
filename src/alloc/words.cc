#include "alloc/words.h"

#include <algorithm>

#include "alloc/allocator.h"
#include "base/strings.h"

namespace allot::alloc {
namespace {

using Kind = Reason::Kind;

constexpr size_t kNamesShown = 4;
constexpr size_t kReasonsShown = 16;

// "6144 MiB asked, 2048 MiB of 24576 MiB free", or "slots: 4 asked, 1 of 8 free".
std::string AmountWords(const Reason& reason) {
  const auto asked = MemoryIn(reason.name, reason.asked), free = MemoryIn(reason.name, reason.free),
             whole = MemoryIn(reason.name, reason.whole);
  if (asked && free && whole) return StrCat(asked->ToString(), " asked, ", free->ToString(), " of ", whole->ToString(), " free");
  return StrCat(reason.name, ": ", reason.asked.Canonical(), " asked, ", reason.free.Canonical(), " of ", reason.whole.Canonical(),
                " free");
}

std::string GivenWords(const Reason::Given& given) {
  if (given.is_range) {
    const std::string min = given.min ? given.min->ToString() : "0";
    std::string text = given.max ? StrCat(min, " to ", given.max->ToString()) : StrCat(min, " or more");
    if (given.step) text += StrCat(" in steps of ", given.step->ToString());
    return text;
  }
  std::vector<std::string> values;
  for (const model::Quantity& value : given.values) values.push_back(value.ToString());
  return StrCat("one of ", Join(values, ", "));
}

std::string HolderWords(const std::vector<Holder>& holders) {
  std::vector<std::string> names;
  for (const Holder& holder : holders) names.push_back(Words(holder));
  return Shortened(names);
}

std::string SelectorWords(const Reason& reason) {
  const std::string owner = reason.device_class.empty() ? "" : StrCat("class ", reason.device_class, ", ");
  return StrCat(owner, "selector ", reason.selector, " is false: ", Words(reason.found));
}

}  // namespace

std::optional<model::MiB> MemoryIn(std::string_view name, const model::Quantity& amount) {
  return model::IsMemory(name) ? model::MiB::Exactly(amount) : std::nullopt;
}

std::string Shortened(const std::vector<std::string>& names, std::string_view before_last) {
  std::string text;
  // Never "and 1 more", which is no shorter than the name.
  const size_t shown = names.size() <= kNamesShown ? names.size() : kNamesShown - 1;
  for (size_t i = 0; i < shown; ++i) text += StrCat(i == 0 ? "" : i + 1 == names.size() ? before_last : ", ", names[i]);
  if (shown < names.size()) text += StrCat(" and ", names.size() - shown, " more");
  return text;
}

std::string Words(const Holder& holder) {
  switch (holder.kind) {
    case Holder::Kind::kPod: return holder.name;
    case Holder::Kind::kClaim: return StrCat("claim ", holder.name);
    case Holder::Kind::kThisPod: break;
  }
  return StrCat("this Pod's claim", holder.name.empty() ? "" : " ", holder.name);
}

std::string Words(const Reason::Taint& taint) { return StrCat(taint.key, taint.value.empty() ? "" : "=", taint.value, ":", taint.effect); }

std::string Words(const cel::NotTrue& found) {
  if (!found.reads.empty()) {
    std::vector<std::string> reads;
    for (const cel::NotTrue::Read& read : found.reads) reads.push_back(StrCat(read.name, " is ", read.value.value_or("missing")));
    return Join(reads, ", ");
  }
  if (!found.error.empty()) return StrCat(found.term, found.term.empty() ? "" : ": ", found.error);
  return found.term.empty() ? "" : StrCat(found.term, " is false");
}

std::string Words(const Reason& reason) {
  const std::string holders = HolderWords(reason.holders);
  switch (reason.kind) {
    case Kind::kSelectorFalse: return SelectorWords(reason);
    case Kind::kSelectorError: return reason.detail;
    case Kind::kBindingConditions: return "has binding conditions, and the gate DRADeviceBindingConditions is off";
    case Kind::kNotOnNode: return "is not on this node";
    case Kind::kTakenWhole: return StrCat("taken whole", holders.empty() ? "" : " by ", holders);
    case Kind::kUnknownCapacity:
      return StrCat("has no capacity ", Quoted(reason.name), reason.names.empty() ? "" : "; it has ", Join(reason.names, ", "));
    case Kind::kCapacityPolicy:
      return StrCat(reason.name, ": ", reason.asked.Canonical(), " asked, but the device gives ", GivenWords(reason.given));
    case Kind::kNotEnough: return StrCat(AmountWords(reason), holders.empty() ? "" : StrCat(" (held by ", holders, ")"));
    case Kind::kCountersOff: return "consumes counters, and the gate DRAPartitionableDevices is off";
    case Kind::kCounterShort:
      return StrCat("counter ", reason.name, " of ", reason.counter_set, ": ", reason.asked.ToString(), " asked, ", reason.free.Canonical(),
                    " of ", reason.whole.ToString(), " free");
    case Kind::kCounterOverdrawn: return "a counter of its pool is overdrawn";
    case Kind::kTainted: return StrCat("tainted ", Words(reason.taint), ", which the request does not tolerate");
    case Kind::kAttributeMissing: return StrCat("has no attribute ", reason.name, ", which a constraint needs");
    case Kind::kAttributeDiffers: return StrCat("its ", reason.name, " differs from that of a device picked before");
    case Kind::kAttributeSame: return StrCat("its ", reason.name, " is the same as that of a device picked before");
    case Kind::kAlreadyPicked: return "picked for this request already";
    case Kind::kNotTogether: return "fits by itself, but not together with the rest of the Pod's claims";
    case Kind::kPoolIncomplete: return StrCat("pool ", reason.name, ": its driver ", reason.driver, " is still publishing");
    case Kind::kPoolInvalid: break;
  }
  return StrCat("pool ", reason.name, " of ", reason.driver, " is invalid: ", reason.detail);
}

std::vector<Sentence> SentencesOf(const std::vector<RuledOut>& ruled_out) {
  std::vector<Sentence> sentences;
  for (const RuledOut& one : ruled_out) {
    std::string words = Words(one.reason);
    auto same = std::find_if(sentences.begin(), sentences.end(), [&](const Sentence& sentence) { return sentence.words == words; });
    if (same == sentences.end()) same = sentences.insert(same, {std::move(words), {}});
    same->devices.insert(same->devices.end(), one.devices.begin(), one.devices.end());
  }
  return sentences;
}

std::string ShortWords(const Reason& reason) {
  if (reason.kind == Kind::kTakenWhole) return "taken whole";
  if (reason.kind != Kind::kNotEnough) return Words(reason);
  const auto asked = MemoryIn(reason.name, reason.asked), free = MemoryIn(reason.name, reason.free);
  if (!asked || !free) return AmountWords(reason);
  if (reason.IsHeldByThisPod()) return StrCat(asked->ToString(), " asked, ", free->ToString(), " left beside its other requests");
  return reason.IsTooSmall() ? StrCat(asked->ToString(), " asked, more than it has")
                             : StrCat(asked->ToString(), " asked, ", (*asked - *free).ToString(), " short");
}

std::string Summary(const Reasons& reasons) {
  const std::string asked =
      reasons.all ? "all matching devices asked" : StrCat(reasons.asked, reasons.asked == 1 ? " device" : " devices", " asked");
  switch (reasons.kind) {
    case Reasons::Kind::kNone: return "";
    case Reasons::Kind::kNoDevices: return StrCat(asked, ", and the node has no devices");
    case Reasons::Kind::kTooMany:
      return StrCat(asked, ", but the claim would get more than the ", kMaxResults, " devices that one may have");
    case Reasons::Kind::kNotTogether:
      return StrCat(asked, ", ", reasons.fit_alone, " of ", reasons.devices, " fit alone, but not together with the rest");
    case Reasons::Kind::kNoneFits: break;
  }
  return reasons.devices == 1 ? StrCat(asked, ", and the only one does not fit")
                              : StrCat(asked, ", none of the ", reasons.devices, " fits");
}

std::string Words(const Reasons& reasons) {
  std::string text = StrCat("claim ", reasons.claim, ", request ", reasons.request, ": ", Summary(reasons), "\n");
  const std::vector<Sentence> all = SentencesOf(reasons.ruled_out);
  for (size_t i = 0; i < all.size() && i < kReasonsShown; ++i) {
    text += StrCat("  ", Shortened(all[i].devices), all[i].devices.empty() ? "" : ": ", all[i].words, "\n");
  }
  if (all.size() > kReasonsShown) {
    size_t devices = 0;
    for (size_t i = kReasonsShown; i < all.size(); ++i) devices += all[i].devices.size();
    text += StrCat("  and ", devices, " more devices for ", all.size() - kReasonsShown, " other reasons\n");
  }
  return text;
}

}  // namespace allot::alloc
