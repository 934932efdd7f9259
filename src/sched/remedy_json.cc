// Remedies as JSON.

#include "json/members.h"
#include "sched/reason_json.h"

namespace allot::sched {
namespace {

using Change = Remedy::Change;

void WriteAmounts(const Remedy& remedy, json::Builder& b) {
  if (remedy.change == Change::kLessMemory || remedy.change == Change::kPartOfGpu) {
    if (remedy.change == Change::kLessMemory) WriteNumber("askedMiB", remedy.memory_asked.count(), b);
    WriteNumber("enoughMiB", remedy.memory_enough.count(), b);
  } else {
    WriteNumber("asked", remedy.asked, b);
    WriteNumber("enough", remedy.enough, b);
  }
  if (remedy.each != Remedy::Each::kNone) WriteText("each", remedy.each == Remedy::Each::kGpu ? "GPU" : "Share", b);
  WriteText("resource", remedy.resource, b);
}

void WriteTaints(const std::vector<Remedy::Taint>& taints, json::Builder& b) {
  if (taints.empty()) return;
  b.Key("taints"), b.StartArray();
  for (const Remedy::Taint& one : taints) {
    b.StartObject();
    WriteTaint(one.taint, b);
    WriteText("device", one.device, b);
    b.EndObject();
  }
  b.EndArray();
}

}  // namespace

std::string_view NameOf(Remedy::Kind kind) {
  switch (kind) {
    case Remedy::Kind::kLess: return "Less";
    case Remedy::Kind::kAllow: return "Allow";
    case Remedy::Kind::kEnding: return "Ending";
    case Remedy::Kind::kNode: break;
  }
  return "Node";
}

std::string_view NameOf(Remedy::Change change) {
  switch (change) {
    case Change::kLessMemory: return "LessMemory";
    case Change::kPartOfGpu: return "PartOfGpu";
    case Change::kFewerDevices: return "FewerDevices";
    case Change::kLessOfNode: return "LessOfNode";
    case Change::kUncordon: return "Uncordon";
    case Change::kNodeReady: return "NodeReady";
    case Change::kTaintGone: return "TaintGone";
    case Change::kToleration: return "Toleration";
    case Change::kLabel: return "Label";
    case Change::kNoSelectors: return "NoSelectors";
    case Change::kNoConstraints: return "NoConstraints";
    case Change::kDeviceTaints: return "DeviceTaints";
    case Change::kNoNodeAffinity: return "NoNodeAffinity";
    case Change::kNoPodAffinity: return "NoPodAffinity";
    case Change::kNoAntiAffinity: return "NoAntiAffinity";
    case Change::kNoSpread: return "NoSpread";
    case Change::kNoHostPorts: return "NoHostPorts";
    case Change::kPodsEnd: return "PodsEnd";
    case Change::kPodStopsWaiting: return "PodStopsWaiting";
    case Change::kMoreNodes: break;
  }
  return "MoreNodes";
}

void WriteRemedy(const Remedy& remedy, json::Builder& b) {
  WriteText("kind", NameOf(remedy.kind()), b);
  WriteText("change", NameOf(remedy.change), b);
  b.Key("facts"), b.StartObject();
  if (remedy.kind() == Remedy::Kind::kLess) WriteAmounts(remedy, b);
  WriteText("target", remedy.target, b);
  WriteText("claim", remedy.claim, b);
  WriteText("request", remedy.request, b);
  WriteText("alternative", remedy.alternative, b);
  WriteText("label", remedy.label, b);
  WriteText("value", remedy.value, b);
  WriteTaints(remedy.taints, b);
  if (!remedy.pods.empty()) {
    b.Key("pods"), b.StartArray();
    for (const std::string& pod : remedy.pods) b.String(pod);
    b.EndArray();
  }
  if (!remedy.gpus.empty()) {
    b.Key("gpusMiB"), b.StartArray();
    for (const model::MiB size : remedy.gpus) b.Int(size.count());
    b.EndArray();
  }
  if (remedy.delays_no_pod) b.Key("delaysNoPod"), b.Bool(true);
  b.EndObject();
}

}  // namespace allot::sched
