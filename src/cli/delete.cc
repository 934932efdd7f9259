#include "cli/delete.h"

#include <charconv>

#include "base/strings.h"
#include "cli/get.h"
#include "cli/manifest.h"
#include "cli/output.h"
#include "cli/session.h"

namespace allot::cli {
namespace {

struct Doomed {
  const kube::ApiResource* resource;
  std::string namespace_name, name;
};

struct Options {
  kube::DeleteOptions request;
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
    const std::string text = arguments.Get("grace-period");
    int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || seconds < -1) {
      return Invalid("--grace-period: ", Quoted(text), " is not a number of seconds");
    }
    if (seconds >= 0) options.request.grace_seconds = seconds;
  }
  if (options.force) {
    if (options.request.grace_seconds.value_or(0) > 0)
      return Invalid("--force and --grace-period greater than 0 cannot be specified together");
    options.request.grace_seconds = 0;
  } else if (options.request.grace_seconds == 0) {
    options.request.grace_seconds = 1;  // as kubectl: at once only with --force
  }
  return options;
}

Result<std::vector<Doomed>> DoomedOf(Session& session, const Arguments& arguments) {
  std::vector<Doomed> doomed;
  const std::string selector = arguments.Get("selector");
  const bool all = arguments.Bool("all");
  if (arguments.Has("filename")) {
    if (!arguments.operands().empty()) return Invalid("files and names cannot be given together");
    ASSIGN_OR_RETURN(const auto manifests, ReadManifests(session, arguments.All("filename"), arguments.Bool("recursive")));
    for (const Manifest& manifest : manifests)
      doomed.push_back({manifest.resource, manifest.namespace_name, std::string(manifest.object->name())});
    return doomed;
  }
  ASSIGN_OR_RETURN(const std::vector<Target> targets, session.FindTargets(arguments.operands()));
  for (const Target& target : targets) {
    const std::string namespace_name = session.NamespaceOf(*target.resource);
    if (!target.names.empty() && (all || !selector.empty())) return Invalid("a name cannot be given together with --selector or --all");
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

// Deletes; gives the uid of what is still there for a while, or nothing where it is gone.
Result<std::string> Delete(Session& session, const Doomed& one, const Options& options) {
  if (options.client_dry_run) {
    TRY(session.client().Get(one.resource->type, one.namespace_name, one.name).status());
    return std::string();
  }
  ASSIGN_OR_RETURN(const kube::ObjectPtr answer,
                   session.client().Delete(one.resource->type, one.namespace_name, one.name, options.request));
  if (answer->kind() != "Status") return std::string(answer->uid());
  return std::string(kube::Object::Text(answer->json()["details"]["uid"]));
}

Status AwaitEnd(Session& session, const Doomed& one, const std::string& uid) {
  const kube::ResourceType& type = one.resource->type;
  for (;;) {
    const Result<kube::ObjectPtr> object = session.client().Get(type, one.namespace_name, one.name);
    if (kube::HasReason(object.status(), "NotFound")) return Status();
    if (!object.ok()) return object.status();
    if ((*object)->uid() != uid) return Status();  // another of that name
    kube::WatchOptions options;
    options.field_selector = StrCat("metadata.name=", one.name);
    options.resource_version = (*object)->resource_version();
    const auto watch = session.client().StartWatch(type, one.namespace_name, options);
    if (!watch.ok() && !kube::IsExpired(watch.status())) return watch.status();
    while (watch.ok()) {
      const auto event = (*watch)->Next({});
      if (!event.ok() || !*event) break;  // looked at again
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
  for (const auto& [one, uid] : waiting) {
    if (const Status status = AwaitEnd(session, *one, uid); !status.ok()) {
      Note(ErrorText(status));
      failed = true;
    }
  }
  return failed ? 1 : 0;
}

int Run(const Verb& verb, const Arguments& arguments) {
  const Result<Options> options = OptionsOf(arguments);
  if (!options.ok()) return Exit(options.status());
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
      "  # a Pod, and the claim that it held\n"
      "  allot delete pod train\n"
      "  allot delete claim/half\n"
      "  # everything that a file created\n"
      "  allot delete -f manifests/ --ignore-not-found\n"
      "  # all Pods with a label, without waiting\n"
      "  allot delete pods -l app=train --wait=false\n";
  verb.flags = {
      {"namespace", 'n', "NAME", "instead of the context's"},
      {"all-namespaces", 'A', "", "of all namespaces, with --all or -l"},
      {"selector", 'l', "SELECTOR", "by labels: app=train"},
      {"all", 0, "", "all objects of the kind"},
      {"filename", 'f', "FILE", "what a file, a folder or standard input (-) names; may be repeated"},
      {"recursive", 'R', "", "also the folders in a folder"},
      {"grace-period", 0, "SECONDS", "that containers have to end (default: the Pod's own)"},
      {"force", 0, "", "without waiting for the node; a Pod may go on running there"},
      {"cascade", 0, "background|foreground|orphan", "what becomes of objects that it owns (default background)"},
      {"wait", 0, "", "--wait=false returns at once (default true)"},
      {"ignore-not-found", 0, "", "what is not there is no error"},
      {"dry-run", 0, "none|server|client", "deletes nothing", "client"},
  };
  verb.operands = Operands::kTypes;
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli
