#include "sched/reason_json.h"

#include <string>
#include <vector>

namespace allot::sched {
namespace {

void Text(std::string_view key, std::string_view text, json::Builder& b) {
  if (!text.empty()) b.Key(key), b.String(text);
}

void Texts(std::string_view key, const std::vector<std::string>& texts, json::Builder& b) {
  if (texts.empty()) return;
  b.Key(key), b.StartArray();
  for (const std::string& text : texts) b.String(text);
  b.EndArray();
}

void Number(std::string_view key, int64_t number, json::Builder& b) { b.Key(key), b.Int(number); }

void Amount(std::string_view key, const model::Quantity& amount, json::Builder& b) { Text(key, amount.Canonical(), b); }

void WriteTaint(const alloc::Reason::Taint& taint, json::Builder& b) {
  if (taint.key.empty() && taint.effect.empty()) return;
  b.Key("taint"), b.StartObject();
  Text("key", taint.key, b);
  Text("value", taint.value, b);
  Text("effect", taint.effect, b);
  b.EndObject();
}

void WriteHolders(const std::vector<alloc::Holder>& holders, json::Builder& b) {
  if (holders.empty()) return;
  b.Key("holders"), b.StartArray();
  for (const alloc::Holder& holder : holders) {
    b.StartObject();
    Text("kind", holder.kind == alloc::Holder::Kind::kPod ? "Pod" : holder.kind == alloc::Holder::Kind::kClaim ? "Claim" : "ThisPod", b);
    Text("name", holder.name, b);
    b.EndObject();
  }
  b.EndArray();
}

void WriteFound(const cel::NotTrue& found, json::Builder& b) {
  if (!found.reads.empty()) {
    b.Key("found"), b.StartArray();
    for (const cel::NotTrue::Read& read : found.reads) {
      b.StartObject();
      Text("name", read.name, b);
      if (read.value) Text("value", *read.value, b);
      b.EndObject();
    }
    b.EndArray();
  }
  Text("term", found.term, b);
  Text("message", found.error, b);
}

void WriteGiven(const alloc::Reason::Given& given, json::Builder& b) {
  if (given.min) Amount("min", *given.min, b);
  if (given.max) Amount("max", *given.max, b);
  if (given.step) Amount("step", *given.step, b);
  std::vector<std::string> values;
  for (const model::Quantity& value : given.values) values.push_back(value.Canonical());
  Texts("values", values, b);
}

// What Reason::name is the name of.
std::string_view NameKey(alloc::Reason::Kind kind) {
  using Kind = alloc::Reason::Kind;
  switch (kind) {
    case Kind::kCounterShort: return "counter";
    case Kind::kAttributeMissing:
    case Kind::kAttributeDiffers:
    case Kind::kAttributeSame: return "attribute";
    case Kind::kPoolIncomplete:
    case Kind::kPoolInvalid: return "pool";
    default: return "capacity";
  }
}

}  // namespace

std::string_view NameOf(alloc::Reason::Kind kind) {
  using Kind = alloc::Reason::Kind;
  switch (kind) {
    case Kind::kSelectorFalse: return "SelectorFalse";
    case Kind::kSelectorError: return "SelectorError";
    case Kind::kBindingConditions: return "BindingConditions";
    case Kind::kNotOnNode: return "NotOnNode";
    case Kind::kTakenWhole: return "TakenWhole";
    case Kind::kUnknownCapacity: return "UnknownCapacity";
    case Kind::kCapacityPolicy: return "CapacityPolicy";
    case Kind::kNotEnough: return "NotEnough";
    case Kind::kCountersOff: return "CountersOff";
    case Kind::kCounterShort: return "CounterShort";
    case Kind::kCounterOverdrawn: return "CounterOverdrawn";
    case Kind::kTainted: return "Tainted";
    case Kind::kAttributeMissing: return "AttributeMissing";
    case Kind::kAttributeDiffers: return "AttributeDiffers";
    case Kind::kAttributeSame: return "AttributeSame";
    case Kind::kAlreadyPicked: return "AlreadyPicked";
    case Kind::kNotTogether: return "NotTogether";
    case Kind::kPoolIncomplete: return "PoolIncomplete";
    case Kind::kPoolInvalid: break;
  }
  return "PoolInvalid";
}

std::string_view NameOf(NodeReason::Kind kind) {
  using Kind = NodeReason::Kind;
  switch (kind) {
    case Kind::kNone: return "None";
    case Kind::kNamesOtherNode: return "NamesOtherNode";
    case Kind::kCordoned: return "Cordoned";
    case Kind::kTainted: return "Tainted";
    case Kind::kLabelMissing: return "LabelMissing";
    case Kind::kLabelDiffers: return "LabelDiffers";
    case Kind::kNodeAffinity: return "NodeAffinity";
    case Kind::kHostPort: return "HostPort";
    case Kind::kPodLimit: return "PodLimit";
    case Kind::kNoResource: return "NoResource";
    case Kind::kResource: return "Resource";
    case Kind::kClaimElsewhere: return "ClaimElsewhere";
    case Kind::kDevicesUnknown: return "DevicesUnknown";
    case Kind::kTooManyCombinations: return "TooManyCombinations";
    case Kind::kNoDevices: return "NoDevices";
    case Kind::kDevices: return "Devices";
    case Kind::kSeveralDevices: return "SeveralDevices";
    case Kind::kSpreadLabelMissing: return "SpreadLabelMissing";
    case Kind::kSpread: return "Spread";
    case Kind::kAntiAffinity: return "AntiAffinity";
    case Kind::kAffinityLabelMissing: return "AffinityLabelMissing";
    case Kind::kAffinity: return "Affinity";
    case Kind::kUnwanted: return "Unwanted";
    case Kind::kKept: break;
  }
  return "Kept";
}

void WriteReason(const alloc::Reason& reason, json::Builder& b) {
  using Kind = alloc::Reason::Kind;
  Text("kind", NameOf(reason.kind), b);
  b.Key("facts"), b.StartObject();
  Text("alternative", reason.alternative, b);
  Text(NameKey(reason.kind), reason.name, b);
  Text("counterSet", reason.counter_set, b);
  Text("driver", reason.driver, b);
  Text("class", reason.device_class, b);
  if (reason.selector > 0) Number("selector", static_cast<int64_t>(reason.selector), b);
  WriteFound(reason.found, b);
  Text("message", reason.detail, b);
  const bool is_short = reason.kind == Kind::kNotEnough || reason.kind == Kind::kCounterShort;
  if (is_short || reason.kind == Kind::kCapacityPolicy || reason.kind == Kind::kUnknownCapacity) Amount("asked", reason.asked, b);
  if (is_short) Amount("free", reason.free, b), Amount("whole", reason.whole, b);
  WriteGiven(reason.given, b);
  Texts("has", reason.names, b);
  WriteHolders(reason.holders, b);
  WriteTaint(reason.taint, b);
  b.EndObject();
}

void WriteReason(const NodeReason& refusal, json::Builder& b) {
  using Kind = NodeReason::Kind;
  Text("kind", NameOf(refusal.kind), b);
  b.Key("facts"), b.StartObject();
  const bool is_amount = refusal.kind == Kind::kResource;
  Text(is_amount || refusal.kind == Kind::kNoResource ? "resource" : "label", refusal.key, b);
  Text("value", refusal.value, b);
  Text("wanted", refusal.wanted, b);
  Text("operator", refusal.op, b);
  Texts("values", refusal.values, b);
  WriteTaint(refusal.taint, b);
  if (refusal.port != 0) Number("port", refusal.port, b);
  Text("protocol", refusal.protocol, b);
  Text("pod", refusal.pod, b);
  Text("claim", refusal.kind == Kind::kDevices ? refusal.devices.claim : refusal.claim, b);
  Text("request", refusal.devices.request, b);
  Text("message", refusal.detail, b);
  if (is_amount) Number("asked", refusal.asked, b), Number("free", refusal.free, b), Number("whole", refusal.whole, b);
  if (refusal.kind == Kind::kPodLimit) Number("pods", refusal.asked, b), Number("limit", refusal.whole, b);
  if (refusal.kind == Kind::kSpread) Number("skew", refusal.asked, b), Number("maxSkew", refusal.whole, b);
  const bool is_several = refusal.kind == Kind::kSeveralDevices;
  if (is_several || refusal.kind == Kind::kDevices) {
    Number("asked", is_several ? refusal.asked : refusal.devices.asked, b);
    Number("devices", static_cast<int64_t>(refusal.devices.devices), b);
    Number("fit", static_cast<int64_t>(is_several ? refusal.would_do : refusal.devices.would_do), b);
  }
  b.EndObject();
}

std::string_view NameOf(Obstacle::Kind kind) {
  using Kind = Obstacle::Kind;
  switch (kind) {
    case Kind::kNone: return "None";
    case Kind::kGates: return "SchedulingGates";
    case Kind::kClaimNotMade: return "ClaimNotMade";
    case Kind::kResourceNotMade: return "ResourceNotMade";
    case Kind::kClaimMissing: return "ClaimMissing";
    case Kind::kClaimOfOther: return "ClaimOfOther";
    case Kind::kClaimDeleting: return "ClaimDeleting";
    case Kind::kClaimFull: return "ClaimFull";
    case Kind::kVolume: break;
  }
  return "Volume";
}

void WriteFacts(const Obstacle& obstacle, json::Builder& b) {
  Texts("gates", obstacle.gates, b);
  Text("podClaim", obstacle.entry, b);
  Text("template", obstacle.source, b);
  Text("resource", obstacle.resource, b);
  Text("claim", obstacle.claim, b);
  if (obstacle.users > 0) Number("users", static_cast<int64_t>(obstacle.users), b);
  Text("volume", obstacle.volume, b);
}

}  // namespace allot::sched
