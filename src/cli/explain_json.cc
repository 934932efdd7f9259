// What `allot explain` says to programs.

#include <memory>

#include "cli/explain_answer.h"
#include "json/builder.h"

namespace allot::cli {
namespace {

using State = ExplainAnswer::State;

std::string_view StateText(State state) {
  switch (state) {
    case State::kWaits: return "Waits";
    case State::kNever: return "NeverFits";
    case State::kHeld: return "Held";
    case State::kUndecided: return "Undecided";
    case State::kFits: return "Fits";
    case State::kPlaced: return "Placed";
    case State::kEnded: break;
  }
  return "Ended";
}

std::string_view KindText(sched::Remedy::Kind kind) {
  switch (kind) {
    case sched::Remedy::Kind::kLess: return "Less";
    case sched::Remedy::Kind::kAllow: return "Allow";
    case sched::Remedy::Kind::kEnding: return "Ending";
    case sched::Remedy::Kind::kNode: break;
  }
  return "Node";
}

void WriteText(std::string_view key, std::string_view text, json::Builder& b) {
  if (!text.empty()) b.Key(key), b.String(text);
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, json::Builder& b) {
  b.Key(key), b.StartArray();
  for (const std::string& text : texts) b.String(text);
  b.EndArray();
}

void WriteNumber(std::string_view key, std::optional<int64_t> number, json::Builder& b) {
  if (number) b.Key(key), b.Int(*number);
}

void WriteDevices(const std::vector<DeviceRow>& rows, json::Builder& b) {
  b.Key("devices"), b.StartArray();
  for (const DeviceRow& row : rows) {
    b.StartObject();
    WriteText("device", row.name, b);
    WriteText("model", row.model, b);
    WriteNumber("memoryMiB", row.mib, b);
    WriteNumber("freeMiB", row.free, b);
    b.Key("heldBy"), b.StartArray();
    for (const DeviceRow::Part& part : row.held) {
      b.StartObject();
      WriteText("holder", part.who, b);
      WriteNumber("memoryMiB", part.mib, b);
      if (part.own) b.Key("own"), b.Bool(true);
      b.EndObject();
    }
    b.EndArray();
    WriteText("why", row.why, b);
    b.EndObject();
  }
  b.EndArray();
}

void WriteWaiting(const ExplainAnswer& answer, json::Builder& b) {
  if (answer.waiting > 0) {
    b.Key("place"), b.Int(static_cast<int64_t>(answer.place));
    b.Key("waiting"), b.Int(static_cast<int64_t>(answer.waiting));
  }
  b.Key("reasons"), b.StartArray();
  for (const NodeReason& reason : answer.reasons) {
    b.StartObject();
    WriteTexts("nodes", reason.nodes, b);
    WriteText("text", reason.text, b);
    WriteDevices(reason.devices, b);
    b.EndObject();
  }
  b.EndArray();
  b.Key("remedies"), b.StartArray();
  for (const sched::Remedy& remedy : answer.remedies) {
    b.StartObject();
    WriteText("kind", KindText(remedy.kind), b);
    WriteText("text", StrCat(remedy.text, CaveatOf(answer, remedy)), b);
    if (remedy.kind != sched::Remedy::Kind::kNode) WriteText("node", remedy.node, b);
    b.EndObject();
  }
  b.EndArray();
  b.Key("fixes"), b.StartArray();
  for (const Fix& fix : answer.fixes) {
    b.StartObject();
    WriteText("text", fix.text, b);
    WriteText("command", fix.command, b);
    b.EndObject();
  }
  b.EndArray();
}

void WritePlaced(const ExplainAnswer& answer, json::Builder& b) {
  WriteDevices(answer.devices, b);
  b.Key("today"), b.StartArray();
  for (const Option& option : answer.options) {
    b.StartObject();
    WriteText("place", option.place, b);
    b.Key("fits"), b.Bool(option.why_not.empty());
    WriteNumber("leftMiB", option.left, b);
    WriteText("why", option.why_not, b);
    if (option.here) b.Key("here"), b.Bool(true);
    b.EndObject();
  }
  b.EndArray();
}

}  // namespace

std::string_view CaveatOf(const ExplainAnswer& answer, const sched::Remedy& remedy) {
  // Only less, and others ending, are asked of everybody who waits.
  const bool contested = answer.place > 1 && (remedy.kind == sched::Remedy::Kind::kAllow || remedy.kind == sched::Remedy::Kind::kNode);
  return contested ? ", unless somebody ahead of it takes it" : "";
}

json::Document ExplainJson(const std::vector<ExplainAnswer>& answers, const std::vector<std::string>& notes) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartObject();
  b.Key("pods"), b.StartArray();
  for (const ExplainAnswer& answer : answers) {
    b.StartObject();
    const size_t slash = answer.pod.find('/');
    WriteText("namespace", answer.pod.substr(0, slash), b);
    WriteText("pod", answer.pod.substr(slash + 1), b);
    WriteText("state", StateText(answer.state), b);
    WriteText("headline", answer.headline, b);
    WriteTexts("details", answer.details, b);
    WriteText("node", answer.node, b);
    WriteText("phase", answer.phase, b);
    WriteText("since", answer.since, b);
    if (answer.state == State::kPlaced) {
      WritePlaced(answer, b);
    } else if (answer.state != State::kEnded) {
      WriteWaiting(answer, b);
    }
    b.EndObject();
  }
  b.EndArray();
  WriteTexts("notSeen", notes, b);
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

}  // namespace allot::cli
