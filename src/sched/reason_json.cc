#include "sched/reason_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "json/members.h"

namespace allot::sched {
namespace {

void Amount(std::string_view key, const model::Quantity& amount, json::Builder& b) { WriteText(key, amount.Canonical(), b); }

void WriteOneTaint(const alloc::Reason::Taint& taint, json::Builder& b) {
  if (taint.key.empty() && taint.effect.empty()) return;
  b.Key("taint"), b.StartObject();
  WriteTaint(taint, b);
  b.EndObject();
}

void WriteHolders(const std::vector<alloc::Holder>& holders, json::Builder& b) {
  if (holders.empty()) return;
  b.Key("holders"), b.StartArray();
  for (const alloc::Holder& holder : holders) {
    b.StartObject();
    WriteText("kind",
              holder.kind == alloc::Holder::Kind::kPod     ? "Pod"
              : holder.kind == alloc::Holder::Kind::kClaim ? "Claim"
                                                           : "ThisPod",
              b);
    WriteText("name", holder.name, b);
    b.EndObject();
  }
  b.EndArray();
}

void WriteFound(const cel::NotTrue& found, json::Builder& b) {
  if (!found.reads.empty()) {
    b.Key("found"), b.StartArray();
    for (const cel::NotTrue::Read& read : found.reads) {
      b.StartObject();
      WriteText("name", read.name, b);
      if (read.value) WriteText("value", *read.value, b);
      b.EndObject();
    }
    b.EndArray();
  }
  WriteText("term", found.term, b);
  WriteText("message", found.error, b);
}

void WriteGiven(const alloc::Reason::Given& given, json::Builder& b) {
  if (given.min) Amount("min", *given.min, b);
  if (given.max) Amount("max", *given.max, b);
  if (given.step) Amount("step", *given.step, b);
  std::vector<std::string> values;
  for (const model::Quantity& value : given.values) values.push_back(value.Canonical());
  WriteTextsUnlessEmpty("values", values, b);
}

// How many devices are asked for.
void WriteAsked(const alloc::Reasons& reasons, json::Builder& b) {
  WriteNumber("asked", reasons.asked, b);
  if (reasons.all) b.Key("all"), b.Bool(true);
}

void WritePools(const std::vector<alloc::RuledOut>& ruled_out, json::Builder& b) {
  const auto is_pool = [](const alloc::RuledOut& one) { return one.devices.empty(); };
  if (std::none_of(ruled_out.begin(), ruled_out.end(), is_pool)) return;
  b.Key("pools"), b.StartArray();
  for (const alloc::RuledOut& one : ruled_out) {
    if (!is_pool(one)) continue;
    b.StartObject();
    WriteReason(one.reason, b);
    b.EndObject();
  }
  b.EndArray();
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

std::string_view NameOf(alloc::Reasons::Kind kind) {
  using Kind = alloc::Reasons::Kind;
  switch (kind) {
    case Kind::kNone: return "None";
    case Kind::kNoDevices: return "NoDevices";
    case Kind::kNoneFits: return "NoneFits";
    case Kind::kNotTogether: return "NotTogether";
    case Kind::kTooMany: break;
  }
  return "TooMany";
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

void WriteTaint(const alloc::Reason::Taint& taint, json::Builder& b) {
  WriteText("key", taint.key, b);
  WriteText("value", taint.value, b);
  WriteText("effect", taint.effect, b);
}

void WriteReason(const alloc::Reason& reason, json::Builder& b) {
  using Kind = alloc::Reason::Kind;
  WriteText("kind", NameOf(reason.kind), b);
  b.Key("facts"), b.StartObject();
  WriteText("alternative", reason.alternative, b);
  WriteText(NameKey(reason.kind), reason.name, b);
  WriteText("counterSet", reason.counter_set, b);
  WriteText("driver", reason.driver, b);
  WriteText("class", reason.device_class, b);
  if (reason.selector > 0) WriteNumber("selector", static_cast<int64_t>(reason.selector), b);
  WriteFound(reason.found, b);
  WriteText("message", reason.detail, b);
  const bool is_short = reason.kind == Kind::kNotEnough || reason.kind == Kind::kCounterShort;
  if (is_short || reason.kind == Kind::kCapacityPolicy || reason.kind == Kind::kUnknownCapacity) Amount("asked", reason.asked, b);
  if (is_short) Amount("free", reason.free, b), Amount("whole", reason.whole, b);
  WriteGiven(reason.given, b);
  WriteTextsUnlessEmpty("has", reason.names, b);
  WriteHolders(reason.holders, b);
  WriteOneTaint(reason.taint, b);
  b.EndObject();
}

void WriteReason(const NodeReason& reason, json::Builder& b) {
  using Kind = NodeReason::Kind;
  WriteText("kind", NameOf(reason.kind), b);
  b.Key("facts"), b.StartObject();
  const bool is_amount = reason.kind == Kind::kResource;
  WriteText(is_amount || reason.kind == Kind::kNoResource ? "resource" : "label", reason.key, b);
  WriteText("value", reason.value, b);
  WriteText("wanted", reason.wanted, b);
  WriteText("operator", reason.op, b);
  WriteTextsUnlessEmpty("values", reason.values, b);
  WriteOneTaint(reason.taint, b);
  if (reason.port != 0) WriteNumber("port", reason.port, b);
  WriteText("protocol", reason.protocol, b);
  WriteText("pod", reason.pod, b);
  WriteText("claim", reason.devices.empty() ? reason.claim : reason.devices.claim, b);
  WriteText("request", reason.devices.request, b);
  WriteText("message", reason.detail, b);
  if (is_amount) WriteNumber("asked", reason.asked, b), WriteNumber("free", reason.free, b), WriteNumber("whole", reason.whole, b);
  if (reason.kind == Kind::kPodLimit) WriteNumber("pods", reason.count, b), WriteNumber("limit", reason.limit, b);
  if (reason.kind == Kind::kSpread) WriteNumber("skew", reason.count, b), WriteNumber("maxSkew", reason.limit, b);
  if (reason.kind == Kind::kNoDevices) WriteAsked(reason.devices, b);
  if (reason.kind == Kind::kDevices) {
    WriteText("problem", NameOf(reason.devices.kind), b);
    WriteAsked(reason.devices, b);
    WriteNumber("devices", static_cast<int64_t>(reason.devices.devices), b);
    WriteNumber("fit", static_cast<int64_t>(reason.devices.fit_alone), b);
  }
  if (reason.kind == Kind::kSeveralDevices) {
    WriteNumber("asked", reason.asked, b);
    WriteText("each", reason.differ ? "GPU" : "Share", b);
    WriteNumber("devices", static_cast<int64_t>(reason.devices.devices), b);
    WriteNumber("fit", static_cast<int64_t>(reason.fit_alone), b);
  }
  b.EndObject();
  WritePools(reason.devices.ruled_out, b);
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
  WriteTextsUnlessEmpty("gates", obstacle.gates, b);
  WriteText("podClaim", obstacle.entry, b);
  WriteText("template", obstacle.source, b);
  WriteText("resource", obstacle.resource, b);
  WriteText("claim", obstacle.claim, b);
  if (obstacle.users > 0) WriteNumber("users", static_cast<int64_t>(obstacle.users), b);
  WriteText("volume", obstacle.volume.name, b);
  WriteText("volumeClaim", obstacle.volume.claim, b);
}

}  // namespace allot::sched
