// What `allot explain` says to programs.

#include <memory>

#include "cli/explain/names.h"
#include "cli/explain/text.h"
#include "cli/explain/words.h"
#include "json/members.h"
#include "sched/reason_json.h"
#include "sched/words.h"

namespace allot::cli {
namespace {

using State = view::Answer::State;
using view::DeviceRow;

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
      WriteText("holder", Words(part), b);
      WriteText("claim", part.claim, b);
      WriteTexts("pods", part.pods, b);
      WriteNumber("memoryMiB", part.mib, b);
      if (part.own) b.Key("own"), b.Bool(true);
      b.EndObject();
    }
    b.EndArray();
    WriteText("why", Words(row), b);
    if (row.reason) sched::WriteReason(*row.reason, b);
    b.EndObject();
  }
  b.EndArray();
}

void WriteWaiting(const view::Answer& answer, json::Builder& b) {
  if (answer.waiting > 0) {
    b.Key("place"), b.Int(static_cast<int64_t>(answer.place));
    b.Key("waiting"), b.Int(static_cast<int64_t>(answer.waiting));
  }
  b.Key("reasons"), b.StartArray();
  for (const view::NodeGroup& group : answer.groups) {
    b.StartObject();
    WriteTexts("nodes", group.nodes, b);
    WriteText("text", Words(group), b);
    sched::WriteReason(group.reason, b);
    WriteDevices(group.devices, b);
    b.EndObject();
  }
  b.EndArray();
  b.Key("remedies"), b.StartArray();
  for (const sched::Remedy& remedy : answer.remedies) {
    b.StartObject();
    WriteText("text", StrCat(sched::Words(remedy), CaveatWords(answer, remedy)), b);
    sched::WriteRemedy(remedy, b);
    if (remedy.kind() != sched::Remedy::Kind::kNode) WriteText("node", remedy.node, b);
    b.EndObject();
  }
  b.EndArray();
  b.Key("fixes"), b.StartArray();
  for (const view::Fix& fix : answer.fixes) {
    b.StartObject();
    WriteText("kind", NameOf(fix.kind), b);
    WriteText("text", Words(fix), b);
    WriteText("command", CommandOf(fix), b);
    b.EndObject();
  }
  b.EndArray();
}

void WritePlaced(const view::Answer& answer, json::Builder& b) {
  WriteDevices(answer.devices, b);
  b.Key("today"), b.StartArray();
  for (const view::Option& option : answer.options) {
    b.StartObject();
    WriteText("place", option.Place(), b);
    b.Key("fits"), b.Bool(option.fits);
    WriteNumber("leftMiB", option.left, b);
    WriteText("why", Words(option), b);
    if (option.reason) {
      sched::WriteReason(*option.reason, b);
    } else if (option.node_reason) {
      sched::WriteReason(*option.node_reason, b);
    }
    if (option.here) b.Key("here"), b.Bool(true);
    b.EndObject();
  }
  b.EndArray();
}

}  // namespace

json::Document ExplainJson(const std::vector<view::Answer>& answers, const std::vector<view::Note>& notes) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartObject();
  b.Key("pods"), b.StartArray();
  for (const view::Answer& answer : answers) {
    b.StartObject();
    const size_t slash = answer.pod.find('/');
    WriteText("namespace", answer.pod.substr(0, slash), b);
    WriteText("pod", answer.pod.substr(slash + 1), b);
    WriteText("state", NameOf(answer.state), b);
    WriteText("headline", Words(answer.headline), b);
    WriteHeadline(answer.headline, b);
    b.Key("details"), b.StartArray();
    for (const view::Detail& detail : answer.details) WriteDetail(detail, b);
    b.EndArray();
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
  b.Key("notSeen"), b.StartArray();
  for (const view::Note& note : notes) WriteNote(note, Words(note), b);
  b.EndArray();
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

}  // namespace allot::cli
