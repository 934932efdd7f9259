#include "cli/delete.h"

#include <chrono>
#include <optional>

#include "base/strings.h"
#include "cli/apply/manifest.h"
#include "cli/get/get.h"
#include "cli/output.h"
#include "cli/program/values.h"
#include "cli/session.h"

namespace allot::cli {
namespace {

struct Doomed {
  const kube::ApiResource* resource;
  std::string namespace_name, name;
};

struct Options {
  kube::DeleteOptions request;
  std::optional<std::chrono::milliseconds> timeout;  // of the wait for all of them
  bool wait = true, force = false, ignore_not_found = false, client_dry_run = false;
};

Result<Options> OptionsOf(const Arguments& arguments) {
  Options options;
  options.force = arguments.Bool("force");
  options.ignore_not_found = arguments.Bool("ignore-not-found") || arguments.Bool("all");
  options.client_dry_run = arguments.Get("dry-run") == "client";
  options.request.dry_run = arguments.Get("dry-run") == "server";
  options.wait = arguments.Bool("wait", !options.force) && !options.request.dry_run && !options.client_dry_run;
  const std::string cascade = arguments.Get("cascade", "background");
  options.request.propagation = cascade == "foreground" ? "Foreground" : cascade == "orphan" ? "Orphan" : "Background";
  if (arguments.Has("grace-period")) {
    ASSIGN_OR_RETURN(const int64_t seconds, ParseSeconds(arguments.Get("grace-period")));
    if (seconds >= 0) options.request.grace_seconds = seconds;
  }
  if (arguments.Bool("now")) {
    if (options.request.grace_seconds) return Invalid("--now and --grace-period cannot be specified together");
    options.request.grace_seconds = 1;
  }
  if (arguments.Has("timeout")) {
    ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout, ParseTime(arguments.Get("timeout")));
    if (timeout.count() > 0) options.timeout = timeout;
  }
  if (options.force) {
    if (options.request.grace_seconds.value_or(0) > 0)
      return Invalid("--force and --grace-period greater than 0 cannot be specified together");
    options.request.grace_seconds = 0;
  } else if (options.request.grace_seconds == 0) {
    options.request.grace_seconds = 1;  // as kubectl: 0 seconds only with --force
  }
  return options;
}

Result<std::vector<Doomed>> DoomedOf(Session& session, const Arguments& arguments) {
  std::vector<Doomed> doomed;
  const std::string selector = arguments.Get("selector");
  const bool all = arguments.Bool("all");
  if (all && !selector.empty()) return Invalid("setting 'all' parameter but found a non empty selector. ");
  if (arguments.Has("filename")) {
    if (!arguments.operands().empty()) return Invalid("give either files or names, not both");
    if (all || !selector.empty()) return Invalid("give either files, or --selector or --all, not both");
    ASSIGN_OR_RETURN(const auto manifests, ReadManifests(session, arguments.All("filename"), arguments.Bool("recursive")));
    for (const Manifest& manifest : manifests)
      doomed.push_back({manifest.resource, manifest.namespace_name, std::string(manifest.object->name())});
    return doomed;
  }
  ASSIGN_OR_RETURN(const std::vector<Target> targets, session.FindTargets(arguments.operands()));
  for (const Target& target : targets) {
    const std::string namespace_name = session.NamespaceOf(*target.resource);
    if (!target.names.empty() && (all || !selector.empty())) return Invalid("name cannot be provided when a selector is specified");
    if (!target.names.empty() && session.all_namespaces()) return Invalid("a resource cannot be retrieved by name across all namespaces");
    for (const std::string& name : target.names) doomed.push_back({target.resource, namespace_name, name});
    if (!target.names.empty()) continue;
    if (!all && selector.empty()) return Invalid("resource(s) were provided, but no name was specified");
    kube::ListOptions options;
    options.label_selector = selector;
    TRY(session.client()
            .List(target.resource->type, namespace_name, options,
                  [&](const kube::ObjectPtr& object) {
                    doomed.push_back({target.resource, std::string(object->namespace_name()), std::string(object->name())});
                  })
            .status());
  }
  return doomed;
}

// Deletes one object. Returns its uid while it still exists, because of finalizers or a grace period; empty if it is gone. The server
// answers with the object in the first case, and with a Status in the second.
Result<std::string> Delete(Session& session, const Doomed& one, const Options& options) {
  if (options.client_dry_run) {
    TRY(session.client().Get(one.resource->type, one.namespace_name, one.name).status());
    return std::string();
  }
  ASSIGN_OR_RETURN(const kube::ObjectPtr answer,
                   session.client().Delete(one.resource->type, one.namespace_name, one.name, options.request));
  return answer->kind() == "Status" ? std::string() : std::string(answer->uid());
}

Status AwaitEnd(Session& session, const Doomed& one, const std::string& uid, const Patience& patience) {
  const kube::ResourceType& type = one.resource->type;
  for (;;) {
    if (patience.deadline && std::chrono::steady_clock::now() > *patience.deadline) {
      return Unavailable("timed out waiting for the condition on ", type.plural, "/", one.name);
    }
    // A list, not a Get: a watch can start at the version of a list even if the object's own version is too old.
    kube::ListOptions list;
    list.field_selector = StrCat("metadata.name=", one.name);
    bool is_there = false;
    ASSIGN_OR_RETURN(const std::string version, session.client().List(type, one.namespace_name, list, [&](const kube::ObjectPtr& object) {
      is_there = is_there || object->uid() == uid;
    }));
    if (!is_there) return Status();
    kube::WatchOptions options;
    options.field_selector = list.field_selector;
    options.resource_version = version;
    const auto watch = session.client().StartWatch(type, one.namespace_name, options);
    if (!watch.ok() && !kube::IsExpired(watch.status())) return watch.status();
    while (watch.ok()) {
      const auto event = (*watch)->Next(patience);
      if (!event.ok() || !*event) break;  // list again
      const bool bookmark = (*event)->type == kube::WatchEvent::Type::kBookmark;
      if (!bookmark && ((*event)->type == kube::WatchEvent::Type::kDeleted || (*event)->object->uid() != uid)) return Status();
    }
  }
}

int DeleteAll(Session& session, const std::vector<Doomed>& doomed, const Options& options) {
  bool failed = false;
  std::vector<std::pair<const Doomed*, std::string>> waiting;
  if (options.force) {
    Note(
        "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may "
        "continue to run on the cluster indefinitely.");
  }
  for (const Doomed& one : doomed) {
    const Result<std::string> uid = Delete(session, one, options);
    if (!uid.ok()) {
      if (options.ignore_not_found && kube::HasReason(uid.status(), "NotFound")) continue;
      Note(ErrorText(uid.status()));
      failed = true;
      continue;
    }
    const std::string place = one.namespace_name.empty() ? "" : StrCat(" from ", one.namespace_name, " namespace");
    const std::string_view mark = options.client_dry_run ? " (dry run)" : options.request.dry_run ? " (server dry run)" : "";
    Status printed = Print(
        StrCat(KindName(one.resource->type), " ", Quoted(one.name, 400), options.force ? " force" : "", " deleted", place, mark, "\n"));
    if (printed.ok()) printed = Flush();
    if (!printed.ok()) return Exit(printed);
    if (options.wait && !uid->empty()) waiting.emplace_back(&one, *uid);
  }
  Patience patience;
  if (options.timeout) patience.deadline = std::chrono::steady_clock::now() + *options.timeout;
  for (const auto& [one, uid] : waiting) {
    if (const Status status = AwaitEnd(session, *one, uid, patience); !status.ok()) {
      Note(ErrorText(status));
      failed = true;
    }
  }
  return failed ? 1 : 0;
}

int Run(const Verb& verb, const Arguments& arguments) {
  const Result<Options> options = OptionsOf(arguments);
  if (!options.ok()) return BadUsage(options.status().message());
  const Result<std::unique_ptr<Session>> session = Session::Open(verb, arguments);
  if (!session.ok()) return Exit(session.status());
  const Result<std::vector<Doomed>> doomed = DoomedOf(**session, arguments);
  if (!doomed.ok()) return Exit(doomed.status());
  if (doomed->empty()) return Exit(Print("No resources found\n"));
  const int code = DeleteAll(**session, *doomed, *options);
  return code != 0 ? code : Exit(Status());
}

}  // namespace

Verb DeleteVerb() {
  Verb verb;
  verb.name = "delete";
  verb.summary = "Deletes objects, and waits until they are gone.";
  verb.usage = "TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR | TYPE --all | -f FILE";
  verb.examples =
      "  # a Pod, and its claim\n"
      "  allot delete pod train\n"
      "  allot delete claim/half\n"
      "  # everything that a file created\n"
      "  allot delete -f manifests/ --ignore-not-found\n"
      "  # all Pods with a label, without waiting\n"
      "  allot delete pods -l app=train --wait=false\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "use this namespace instead of the context's"},
      {"all-namespaces", 'A', "", "look in all namespaces, with --all or -l"},
      {"selector", 'l', "SELECTOR", "only objects with these labels: app=train"},
      {"all", 0, "", "delete all objects of the kind"},
      {"filename", 'f', "FILE", "the objects of a file, a folder or standard input (-); may be repeated"},
      {"recursive", 'R', "", "read subfolders, too"},
      {"grace-period", 0, "SECONDS", "give containers this long to end (default: the Pod's own grace period)"},
      {"now", 0, "", "give containers one second to end"},
      {"force", 0, "", "do not wait for the node; a Pod may keep running there"},
      {"cascade", 0, "background|foreground|orphan", "delete the objects that it owns later, first, or not at all (default background)"},
      {"wait", 0, "", "wait until the objects are gone; --wait=false returns at once (default true)"},
      {"timeout", 0, "TIME", "wait at most this long for all objects; 0: no limit (default 0)"},
      {"ignore-not-found", 0, "", "do not fail if an object does not exist"},
      {"dry-run", 0, "none|server|client", "delete nothing, only print what would be deleted", "client"},
  };
  verb.operands = Operands::kTypes;
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli
