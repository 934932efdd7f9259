#include "cli/apply/apply.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/strings.h"
#include "cli/apply/manifest.h"
#include "cli/apply/versions.h"
#include "cli/get/get.h"
#include "cli/output.h"
#include "cli/session.h"
#include "json/json.h"

namespace allot::cli {
namespace {

constexpr std::chrono::seconds kDefinitionTime(30);  // until a new kind is served

struct ApplyOptions {
  kube::PatchOptions patch;
  bool client_dry_run = false;
};

// The object without the metadata that every write changes.
json::Value Content(const kube::Object& object, json::Arena& arena) {
  json::Builder b(arena);
  b.StartObject();
  for (const json::Member& member : object.json().Members()) {
    b.Key(member.key);
    if (member.key != "metadata") {
      b.Add(member.value);
      continue;
    }
    b.StartObject();
    for (const json::Member& one : member.value.Members()) {
      if (one.key != "managedFields" && one.key != "resourceVersion" && one.key != "generation") b.Key(one.key), b.Add(one.value);
    }
    b.EndObject();
  }
  b.EndObject();
  return b.Finish();
}

// Whether `live` has every field of `wanted`. Fields that the server added (defaults, metadata) are ignored.
bool Includes(const json::Value& live, const json::Value& wanted) {
  if (wanted.IsObject() && live.IsObject()) {
    return std::all_of(wanted.Members().begin(), wanted.Members().end(),
                       [&](const json::Member& member) { return Includes(live[member.key], member.value); });
  }
  if (wanted.IsArray() && live.IsArray() && wanted.Items().size() == live.Items().size()) {
    for (size_t i = 0; i < wanted.Items().size(); ++i) {
      if (!Includes(live.Items()[i], wanted.Items()[i])) return false;
    }
    return true;
  }
  return json::Equal(live, wanted);
}

bool SameContent(const kube::Object& a, const kube::Object& b) {
  json::Arena arena;
  return json::Equal(Content(a, arena), Content(b, arena));
}

// The error that names the managers of the fields in conflict.
Status Conflicting(const Manifest& manifest, const kube::ApiError& error) {
  std::string owners;
  for (const kube::ApiError::Cause& cause : error.causes) {
    // conflict with "manager" using v1
    const size_t open = cause.message.find('"');
    const size_t close = cause.message.rfind('"');
    const bool named = open != std::string::npos && open < close;
    owners += StrCat("\n  ", named ? cause.message.substr(open + 1, close - open - 1) : cause.message, ": ", cause.field);
  }
  return Conflict(KindName(manifest.resource->type), "/", manifest.object->name(), " (", manifest.place,
                  "): other managers own fields that this would change:", owners,
                  "\nRemove these fields from the manifest, set them to their current values, or take them over with --force-conflicts.");
}

// Whether the API server does not have the path, because it does not serve the kind's definition yet.
bool IsNotServed(const Status& status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  // `namespaces "x" not found` and the like are about objects.
  return error != nullptr && error->http_status == 404 && error->message.find("\" not found") == std::string::npos;
}

Result<kube::ObjectPtr> Send(Session& session, const Manifest& manifest, const kube::PatchOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() + kDefinitionTime;
  for (;;) {
    Result<kube::ObjectPtr> after = session.client().Patch(manifest.resource->type, manifest.namespace_name, manifest.object->name(),
                                                           kube::PatchType::kApply, json::Write(manifest.object->json()), "", options);
    if (after.ok()) return after;
    if (manifest.awaits_definition && IsNotServed(after.status())) {
      if (std::chrono::steady_clock::now() > deadline) {
        return NotFound(manifest.place, ": the server still does not serve ", manifest.resource->type.FullName(), " ",
                        kDefinitionTime.count(), " s after its definition was applied; `allot describe crd ",
                        manifest.resource->type.FullName(), "` may say why");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    const kube::ApiError* const error = kube::ApiErrorOf(after.status());
    if (error != nullptr && error->reason == "Conflict" && !error->causes.empty()) return Conflicting(manifest, *error);
    return after;
  }
}

std::string_view Outcome(bool existed, bool same) { return !existed ? "created" : same ? "unchanged" : "configured"; }

// Applies for real; compares versions.
Result<std::string_view> ApplyOne(Session& session, const Manifest& manifest, const ApplyOptions& options, Versions& versions) {
  std::optional<std::string> before;
  if (!manifest.awaits_definition) {
    ASSIGN_OR_RETURN(before, versions.Of(manifest));
  }
  ASSIGN_OR_RETURN(const kube::ObjectPtr after, Send(session, manifest, options.patch));
  versions.Set(manifest, std::string(after->resource_version()));
  return Outcome(before.has_value(), before && *before == after->resource_version());
}

// Changes nothing; compares contents.
Result<std::string_view> TryOne(Session& session, const Manifest& manifest, const ApplyOptions& options) {
  if (manifest.awaits_definition) return std::string_view("created (not checked: its definition does not exist yet)");
  const Result<kube::ObjectPtr> before = session.client().Get(manifest.resource->type, manifest.namespace_name, manifest.object->name());
  if (!before.ok() && !kube::HasReason(before.status(), "NotFound")) return before.status();
  if (options.client_dry_run) {
    return Outcome(before.ok(), before.ok() && Includes((*before)->json(), manifest.object->json()));
  }
  ASSIGN_OR_RETURN(const kube::ObjectPtr after, Send(session, manifest, options.patch));
  return Outcome(before.ok(), before.ok() && SameContent(**before, *after));
}

Status Apply(Session& session, const Manifest& manifest, const ApplyOptions& options, Versions& versions) {
  const bool dry = options.client_dry_run || options.patch.dry_run;
  ASSIGN_OR_RETURN(const std::string_view outcome,
                   dry ? TryOne(session, manifest, options) : ApplyOne(session, manifest, options, versions));
  const std::string_view mark = options.client_dry_run ? " (dry run)" : options.patch.dry_run ? " (server dry run)" : "";
  TRY(Print(StrCat(KindName(manifest.resource->type), "/", manifest.object->name(), " ", outcome, mark, "\n")));
  return Flush();
}

// The server's message with the place in the file.
std::string FailureText(const Manifest& manifest, const Status& status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  if (error == nullptr || error->message.empty()) return ErrorText(status);
  // The causes name the field; for a field that the schema does not have, only the message does.
  std::string field = error->causes.empty() ? std::string() : error->causes[0].field;
  constexpr std::string_view kUnknown = ": field not declared in schema";
  if (const size_t end = error->message.find(kUnknown); field.empty() && end != std::string::npos) {
    field = error->message.substr(error->message.rfind(' ', end) + 1, end - error->message.rfind(' ', end) - 1);
  }
  const size_t line = field.empty() || manifest.text == nullptr ? 0 : LineOfField(*manifest.text, field);
  const std::string place = line == 0 ? manifest.place : StrCat(manifest.place, ", line ", line);
  return StrCat("Error from server", error->reason.empty() ? "" : StrCat(" (", error->reason, ")"), ": error when applying ",
                Quoted(place, 400), ": ", error->message);
}

int Run(const Verb& verb, const Arguments& arguments) {
  if (!arguments.operands().empty()) return BadUsage(StrCat("apply takes files with -f, not ", Quoted(arguments.operands()[0])));
  if (!arguments.Has("filename")) return BadUsage("must specify --filename: a file, a folder, or - for standard input");
  const Result<std::unique_ptr<Session>> session = Session::Open(verb, arguments);
  if (!session.ok()) return Exit(session.status());
  const Result<std::vector<Manifest>> manifests = ReadManifests(**session, arguments.All("filename"), arguments.Bool("recursive"));
  if (!manifests.ok()) return Exit(manifests.status());
  ApplyOptions options;
  options.patch.field_manager = arguments.Get("field-manager", "allot");
  options.patch.field_validation = "Strict";
  options.patch.force = arguments.Bool("force-conflicts");
  options.patch.dry_run = arguments.Get("dry-run") == "server";
  options.client_dry_run = arguments.Get("dry-run") == "client";
  bool failed = false;
  Versions versions(**session, *manifests);
  for (const Manifest& manifest : *manifests) {
    const Status status = Apply(**session, manifest, options, versions);
    if (status.ok()) continue;
    if (OutputFailed()) return Exit(status);
    Note(FailureText(manifest, status));
    failed = true;
  }
  const int code = Exit(Status());
  return failed ? 1 : code;
}

}  // namespace

Verb ApplyVerb() {
  Verb verb;
  verb.name = "apply";
  verb.summary = "Creates and updates objects from files.";
  verb.usage = "-f FILE|FOLDER|- ...";
  verb.examples =
      "  # everything in a folder, after a dry run\n"
      "  allot apply -f manifests/ --dry-run=server\n"
      "  allot apply -f manifests/\n"
      "  # a claim for 6Gi of a GPU, from standard input\n"
      "  allot apply -n lab -f - <<EOF\n"
      "  apiVersion: resource.k8s.io/v1\n"
      "  kind: ResourceClaim\n"
      "  metadata: {name: half}\n"
      "  spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, capacity: {requests: {memory: 6Gi}}}}]}}\n"
      "  EOF\n";
  verb.flags = {
      {"filename", 'f', "FILE", "a file, a folder, or - for standard input; may be repeated"},
      {"recursive", 'R', "", "read subfolders, too"},
      {"namespace", 'n', "NAMESPACE", "the namespace of objects that name none"},
      {"dry-run", 0, "none|server|client", "change nothing: server validates on the server, client only compares with the stored objects",
       "client"},
      {"force-conflicts", 0, "", "take over fields that other managers own"},
      {"field-manager", 0, "NAME", "own the applied fields under this name (default allot)"},
      {"server-side", 0, "", "accepted for compatibility with kubectl; apply is always server-side"},
  };
  verb.operands = Operands::kFiles;
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli
