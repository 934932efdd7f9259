#include "cli/apply.h"

#include "base/strings.h"
#include "cli/get.h"
#include "cli/manifest.h"
#include "cli/output.h"
#include "cli/session.h"
#include "json/json.h"

namespace allot::cli {
namespace {

struct ApplyOptions {
  kube::PatchOptions patch;
  bool client_dry_run = false;
};

// The object without what every write changes.
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

bool SameContent(const kube::Object& a, const kube::Object& b) {
  json::Arena arena;
  return json::Equal(Content(a, arena), Content(b, arena));
}

// Who owns what of the fields that the manifest would change.
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
                  "\nLeave these fields out of the manifest, write the values that they have, or take them over with --force-conflicts.");
}

Status Apply(Session& session, const Manifest& manifest, const ApplyOptions& options) {
  const kube::ResourceType& type = manifest.resource->type;
  const Result<kube::ObjectPtr> before = session.client().Get(type, manifest.namespace_name, manifest.object->name());
  if (!before.ok() && !kube::HasReason(before.status(), "NotFound")) return before.status();
  std::string_view outcome = before.ok() ? "configured" : "created";
  if (!options.client_dry_run) {
    const Result<kube::ObjectPtr> after =
        session.client().Patch(type, manifest.namespace_name, manifest.object->name(), kube::PatchType::kApply,
                               json::Write(manifest.object->json()), "", options.patch);
    if (!after.ok()) {
      const kube::ApiError* const error = kube::ApiErrorOf(after.status());
      if (error != nullptr && error->reason == "Conflict" && !error->causes.empty()) return Conflicting(manifest, *error);
      return after.status();
    }
    if (before.ok()) {
      const bool same_version = (*before)->resource_version() == (*after)->resource_version();
      if (options.patch.dry_run ? SameContent(**before, **after) : same_version) outcome = "unchanged";
    }
  }
  const std::string_view mark = options.client_dry_run ? " (dry run)" : options.patch.dry_run ? " (server dry run)" : "";
  TRY(Print(StrCat(KindName(type), "/", manifest.object->name(), " ", outcome, mark, "\n")));
  return Flush();
}

// The server's words with the place in the file.
std::string FailureText(const Manifest& manifest, const Status& status) {
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  if (error == nullptr || error->message.empty()) return ErrorText(status);
  return StrCat("Error from server", error->reason.empty() ? "" : StrCat(" (", error->reason, ")"), ": error when applying ",
                Quoted(manifest.place, 400), ": ", error->message);
}

int Run(const Verb& verb, const Arguments& arguments) {
  if (!arguments.operands().empty()) return Exit(Invalid("apply takes files with -f, not ", Quoted(arguments.operands()[0])));
  if (!arguments.Has("filename")) return Exit(Invalid("must specify --filename: a file, a folder, or - for standard input"));
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
  for (const Manifest& manifest : *manifests) {
    const Status status = Apply(**session, manifest, options);
    if (status.ok()) continue;
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
  verb.summary = "Makes objects what files say; creates those that are missing.";
  verb.usage = "-f FILE|FOLDER|- ...";
  verb.examples =
      "  # everything in a folder, and what would happen first\n"
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
      {"recursive", 'R', "", "also the folders in a folder"},
      {"namespace", 'n', "NAME", "of objects that name none"},
      {"dry-run", 0, "none|server|client", "changes nothing: the server checks all of it, or only what is read is checked", "client"},
      {"force-conflicts", 0, "", "takes over fields that other managers own"},
      {"field-manager", 0, "NAME", "who owns what is applied (default allot)"},
      {"server-side", 0, "", "what apply always does here; taken for the sake of kubectl's users"},
  };
  verb.operands = Operands::kFiles;
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli
