// Details and notes of an explanation as JSON.

#include "cli/explain/names.h"
#include "cli/explain/words.h"
#include "json/members.h"
#include "sched/reason_json.h"

namespace allot::cli {
namespace {

using view::Detail;

// The key of Detail::name, which holds another thing for each kind.
std::string_view NameKey(Detail::Kind kind) {
  switch (kind) {
    case Detail::Kind::kContainerWaits: return "container";
    case Detail::Kind::kSchedulerSaid:
    case Detail::Kind::kNotLookedAt: return "scheduler";
    case Detail::Kind::kKeeperStarts: return "pod";
    case Detail::Kind::kDeviceGone: return "device";
    default: return "place";
  }
}

std::string_view NameOf(view::Note::List list) {
  switch (list) {
    case view::Note::List::kClaims: return "claims";
    case view::Note::List::kSlices: return "slices";
    case view::Note::List::kClasses: return "classes";
    case view::Note::List::kNodes: return "nodes";
    case view::Note::List::kPods: return "pods";
    case view::Note::List::kEvents: break;
  }
  return "events";
}

}  // namespace

std::string_view NameOf(Detail::Kind kind) {
  switch (kind) {
    case Detail::Kind::kContainerWaits: return "ContainerWaits";
    case Detail::Kind::kWarning: return "Warning";
    case Detail::Kind::kMessage: return "Message";
    case Detail::Kind::kSchedulerSaid: return "SchedulerSaid";
    case Detail::Kind::kNotLookedAt: return "NotLookedAt";
    case Detail::Kind::kOthersStartFirst: return "OthersStartFirst";
    case Detail::Kind::kKeeperStarts: return "KeeperStarts";
    case Detail::Kind::kTurn: return "Turn";
    case Detail::Kind::kNodeGone: return "NodeGone";
    case Detail::Kind::kClaimNotAllocated: return "ClaimNotAllocated";
    case Detail::Kind::kDeviceGone: return "DeviceGone";
    case Detail::Kind::kOptionsUnknown: return "OptionsUnknown";
    case Detail::Kind::kNowhereToday: return "NowhereToday";
    case Detail::Kind::kHereToday: return "HereToday";
    case Detail::Kind::kElsewhereToday: break;
  }
  return "ElsewhereToday";
}

std::string_view NameOf(view::Note::Kind kind) {
  switch (kind) {
    case view::Note::Kind::kSomePods: return "SomePods";
    case view::Note::Kind::kSomeClaims: return "SomeClaims";
    case view::Note::Kind::kNotAllowed: return "NotAllowed";
    case view::Note::Kind::kNotServed: return "NotServed";
    case view::Note::Kind::kLeftOut: return "LeftOut";
    case view::Note::Kind::kTemplate: break;
  }
  return "Template";
}

void WriteDetail(const Detail& detail, json::Builder& b) {
  b.StartObject();
  WriteText("kind", NameOf(detail.kind), b);
  b.Key("facts"), b.StartObject();
  WriteText(NameKey(detail.kind), detail.name, b);
  WriteText("reason", detail.reason, b);
  WriteText("message", detail.message, b);
  WriteText("node", detail.node, b);
  WriteText("claim", detail.claim, b);
  WriteTextsUnlessEmpty("pods", detail.pods, b);
  if (detail.ahead) b.Key("ahead"), b.Bool(true);
  WriteNumber("leftMiB", detail.left, b);
  if (detail.fits > 0) WriteNumber("fit", static_cast<int64_t>(detail.fits), b);
  if (!detail.obstacle.empty()) {
    b.Key("obstacle"), b.StartObject();
    WriteText("kind", sched::NameOf(detail.obstacle.kind), b);
    b.Key("facts"), b.StartObject();
    sched::WriteFacts(detail.obstacle, b);
    b.EndObject();
    b.EndObject();
  }
  b.EndObject();
  WriteText("text", Words(detail), b);
  b.EndObject();
}

void WriteNote(const view::Note& note, std::string_view text, json::Builder& b) {
  b.StartObject();
  WriteText("kind", NameOf(note.kind), b);
  b.Key("facts"), b.StartObject();
  if (note.kind == view::Note::Kind::kNotAllowed || note.kind == view::Note::Kind::kNotServed) WriteText("list", NameOf(note.list), b);
  WriteTextsUnlessEmpty("namespaces", note.namespaces, b);
  WriteText("object", note.left_out.kind, b);
  WriteText("name", note.kind == view::Note::Kind::kLeftOut ? note.left_out.key : note.name, b);
  WriteText("message", note.kind == view::Note::Kind::kLeftOut ? note.left_out.why : note.message, b);
  b.EndObject();
  WriteText("text", text, b);
  b.EndObject();
}

}  // namespace allot::cli
