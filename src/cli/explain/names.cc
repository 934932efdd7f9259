#include "cli/explain/names.h"

#include "json/members.h"
#include "sched/reason_json.h"

namespace allot::cli {
namespace {

using view::Headline;
using Kind = Headline::Kind;

void Count(std::string_view key, size_t count, json::Builder& b) { b.Key(key), b.Int(static_cast<int64_t>(count)); }

void WriteSeveral(const Headline& headline, json::Builder& b) {
  b.Key("asked"), b.Int(headline.several.count);
  if (headline.several.mib > 0) b.Key("askedMiB"), b.Int(headline.several.mib);
  WriteText("each", headline.several.differ ? "GPU" : "Share", b);
  Count("fit", headline.fit, b);
}

std::string_view NameOf(Headline::Among among) {
  switch (among) {
    case Headline::Among::kAll: return "";
    case Headline::Among::kMatching: return "Matching";
    case Headline::Among::kUntainted: return "Untainted";
    case Headline::Among::kSuitable: break;
  }
  return "Suitable";
}

}  // namespace

std::string_view NameOf(view::Answer::State state) {
  using State = view::Answer::State;
  switch (state) {
    case State::kWaits: return "Waits";
    case State::kNever: return "NeverFits";
    case State::kBlocked: return "Blocked";
    case State::kUndecided: return "Undecided";
    case State::kFits: return "Fits";
    case State::kPlaced: return "Placed";
    case State::kEnded: break;
  }
  return "Ended";
}

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kNoNodes: return "NoNodes";
    case Kind::kNoNodeFits: return "NoNodeFits";
    case Kind::kNode: return "Node";
    case Kind::kTooLarge: return "TooLarge";
    case Kind::kTooFew: return "TooFew";
    case Kind::kNeverEnough: return "NeverEnough";
    case Kind::kNotTogether: return "NotTogether";
    case Kind::kNoMatch: return "NoMatch";
    case Kind::kAllTaken: return "AllTaken";
    case Kind::kAllTainted: return "AllTainted";
    case Kind::kTooLittle: return "TooLittle";
    case Kind::kNoDeviceFits: return "NoDeviceFits";
    case Kind::kObstacle: return "Obstacle";
    case Kind::kTemplateMissing: return "TemplateMissing";
    case Kind::kClaimNotMade: return "ClaimNotMade";
    case Kind::kUnreadable: return "Unreadable";
    case Kind::kClaimsNotSeen: return "ClaimsNotSeen";
    case Kind::kClassesNotSeen: return "ClassesNotSeen";
    case Kind::kTwoKindsOfNodes: return "TwoKindsOfNodes";
    case Kind::kError: return "Error";
    case Kind::kClassMissing: return "ClassMissing";
    case Kind::kFits: return "Fits";
    case Kind::kPlaced: return "Placed";
    case Kind::kEnded: return "Ended";
    case Kind::kDeleted: break;
  }
  return "Deleted";
}

std::string_view NameOf(view::Fix::Kind kind) {
  using view::Fix;
  switch (kind) {
    case Fix::Kind::kRemoveGates: return "RemoveGates";
    case Fix::Kind::kAwaitClaim: return "AwaitClaim";
    case Fix::Kind::kAwaitResource: return "AwaitResource";
    case Fix::Kind::kMakeTemplate: return "MakeTemplate";
    case Fix::Kind::kMakeClaim: return "MakeClaim";
    case Fix::Kind::kAwaitDeletion: return "AwaitDeletion";
    case Fix::Kind::kRecreatePod: return "RecreatePod";
    case Fix::Kind::kShareLess: return "ShareLess";
    case Fix::Kind::kInstallClass: return "InstallClass";
    case Fix::Kind::kLowerLimits: return "LowerLimits";
    case Fix::Kind::kReplaceClaim: return "ReplaceClaim";
    case Fix::Kind::kAskByClaim: return "AskByClaim";
    case Fix::Kind::kNoPluginHere: break;
  }
  return "NoPluginHere";
}

void WriteHeadline(const Headline& headline, json::Builder& b) {
  const bool is_obstacle = headline.kind == Kind::kObstacle;
  WriteText("kind", is_obstacle ? sched::NameOf(headline.obstacle.kind) : NameOf(headline.kind), b);
  b.Key("facts"), b.StartObject();
  if (headline.kind == Kind::kNoNodeFits) Count("nodes", headline.count, b);
  if (headline.kind == Kind::kTooFew || headline.kind == Kind::kNeverEnough) WriteSeveral(headline, b);
  if (headline.asked) b.Key("askedMiB"), b.Int(*headline.asked), b.Key("mostMiB"), b.Int(headline.most);
  WriteText("among", NameOf(headline.among), b);
  if (headline.some_nodes) b.Key("someNodes"), b.Bool(true);
  WriteTextsUnlessEmpty(headline.kind == Kind::kFits ? "devices" : "nodes", headline.names, b);
  if (headline.reason) {
    b.Key("reason"), b.StartObject();
    sched::WriteReason(*headline.reason, b);
    b.EndObject();
  }
  if (!headline.obstacle.empty()) sched::WriteFacts(headline.obstacle, b);
  WriteText("nearest", headline.nearest, b);
  WriteText("node", headline.node, b);
  WriteText("resource", headline.resource, b);
  WriteText("class", headline.device_class, b);
  WriteText("request", headline.request, b);
  WriteText("claim", headline.claim, b);
  WriteText("phase", headline.phase, b);
  WriteText("message", headline.error, b);
  b.EndObject();
}

}  // namespace allot::cli
