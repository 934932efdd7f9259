#include "cli/describe.h"

#include "base/strings.h"
#include "cli/apply/manifest.h"
#include "cli/describe/description.h"
#include "cli/get/get.h"
#include "cli/output.h"
#include "cli/session.h"

namespace allot::cli {
namespace {

using Describer = Status (*)(Session& session, const kube::Object& object, Description& description);

Status DescribeAny(Session&, const kube::Object& object, Description& description) {
  description.Head(object.json());
  description.Generic(0, object.json(), {"apiVersion", "kind", "metadata"});
  return Status();
}

Describer DescriberOf(const kube::ResourceType& type) {
  static const kube::ResourceType kSecrets{"", "v1", "secrets", "Secret"};
  const std::pair<const kube::ResourceType*, Describer> known[] = {
      {&kube::types::kPods, DescribePod},
      {&kube::types::kNodes, DescribeNode},
      {&kube::types::kResourceClaims, DescribeClaim},
      {&kube::types::kResourceClaimTemplates, DescribeTemplate},
      {&kube::types::kResourceSlices, DescribeSlice},
      {&kube::types::kDeviceClasses, DescribeClass},
      {&kube::types::kConfigMaps, DescribeConfigMap},
      {&kSecrets, DescribeSecret},
  };
  for (const auto& [kind, describer] : known) {
    if (kind->group == type.group && kind->plural == type.plural) return describer;
  }
  return DescribeAny;
}

// The objects to describe, and the errors of those that could not be read.
struct Found {
  std::vector<std::pair<kube::ObjectPtr, Describer>> objects;
  std::vector<Status> errors;
  bool namespaced = false;
};

// Adds the objects with the target's names, or all objects if it has no names. A name that does not exist is taken as a prefix.
void FindObjects(Session& session, const Target& target, const std::string& selector, Found& found) {
  const kube::ResourceType& type = target.resource->type;
  const std::string namespace_name = session.NamespaceOf(target);
  const Describer describer = DescriberOf(type);
  found.namespaced |= type.namespaced;
  // Adds the objects whose name begins with `prefix`.
  const auto list = [&](std::string_view prefix) -> Status {
    kube::ListOptions options;
    options.label_selector = selector;
    return session.client()
        .List(type, namespace_name, options,
              [&](const kube::ObjectPtr& object) {
                if (object->name().starts_with(prefix)) found.objects.emplace_back(ForPrinting(*object, type), describer);
              })
        .status();
  };
  if (target.names.empty()) {
    if (Status status = list(""); !status.ok()) found.errors.push_back(std::move(status));
  }
  for (const std::string& name : target.names) {
    const Result<kube::ObjectPtr> object = session.client().Get(type, namespace_name, name);
    if (object.ok()) {
      found.objects.emplace_back(ForPrinting(**object, type), describer);
      continue;
    }
    const size_t before = found.objects.size();
    Status status = object.status();
    if (kube::HasReason(status, "NotFound")) {
      if (Status listed = list(name); !listed.ok()) status = std::move(listed);
    }
    if (found.objects.size() == before) found.errors.push_back(std::move(status));
  }
}

Result<std::vector<Target>> TargetsOf(Session& session, const Arguments& arguments) {
  if (arguments.Has("filename")) {
    if (!arguments.operands().empty() || arguments.Has("selector")) return Invalid("give either files, or names and selectors, not both");
    return ManifestTargets(session, arguments.All("filename"), arguments.Bool("recursive"));
  }
  ASSIGN_OR_RETURN(std::vector<Target> targets, session.FindTargets(arguments.operands()));
  for (const Target& target : targets) {
    if (!target.names.empty() && arguments.Has("selector")) return Invalid("name cannot be provided when a selector is specified");
    if (!target.names.empty() && session.all_namespaces() && target.resource->type.namespaced) {
      return Invalid("a resource cannot be retrieved by name across all namespaces");
    }
  }
  return targets;
}

Status Run(const Verb& verb, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  ASSIGN_OR_RETURN(const std::vector<Target> targets, TargetsOf(*session, arguments));
  Found found;
  for (const Target& target : targets) FindObjects(*session, target, arguments.Get("selector"), found);
  const bool events = arguments.Bool("show-events", found.objects.size() == 1);
  bool first = true;
  for (const auto& [object, describer] : found.objects) {
    Description description;
    TRY(describer(*session, *object, description));
    if (events && describer != DescribeSecret) TRY(DescribeEvents(*session, *object, description));
    TRY(Print(StrCat(std::exchange(first, false) ? "" : "\n\n", description.Take())));
  }
  TRY(Flush());
  if (first && found.errors.empty()) {
    Note(found.namespaced && !session->all_namespaces() ? StrCat("No resources found in ", session->namespace_name(), " namespace.")
                                                        : "No resources found");
  }
  for (size_t i = 0; i + 1 < found.errors.size(); ++i) Note(ErrorText(found.errors[i]));
  return found.errors.empty() ? Status() : found.errors.back();
}

}  // namespace

Verb DescribeVerb() {
  Verb verb;
  verb.name = "describe";
  verb.summary = "Shows an object in detail: what it asks for, what it holds, and its events.";
  verb.usage = "TYPE NAME... | TYPE/NAME... | TYPE [-l SELECTOR] | -f FILE";
  verb.examples =
      "  # a claim: its requests, its devices with the amount of each, and its Pods\n"
      "  allot describe claim half\n"
      "  # a node: its devices, their free memory, and their holders\n"
      "  allot describe node lab-1\n"
      "  # the Pods with a label, in all namespaces\n"
      "  allot describe pods -l app=train -A\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "use this namespace instead of the context's"},
      {"all-namespaces", 'A', "", "look in all namespaces"},
      {"selector", 'l', "SELECTOR", "only objects with these labels: app=train"},
      {"filename", 'f', "FILE", "the objects of a file, a folder or standard input (-); may be repeated"},
      {"recursive", 'R', "", "read subfolders, too"},
      {"show-events", 0, "", "print events, too (default: if one object is described)"},
  };
  verb.operands = Operands::kTypes;
  verb.run = [](const Verb& self, const Arguments& arguments) { return Exit(Run(self, arguments)); };
  return verb;
}

}  // namespace allot::cli
