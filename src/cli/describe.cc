#include "cli/describe.h"

#include "base/strings.h"
#include "cli/description.h"
#include "cli/get.h"
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
  const std::pair<const kube::ResourceType*, Describer> known[] = {
      {&kube::types::kPods, DescribePod},
      {&kube::types::kNodes, DescribeNode},
      {&kube::types::kResourceClaims, DescribeClaim},
      {&kube::types::kResourceClaimTemplates, DescribeTemplate},
      {&kube::types::kResourceSlices, DescribeSlice},
      {&kube::types::kDeviceClasses, DescribeClass},
  };
  for (const auto& [kind, describer] : known) {
    if (kind->group == type.group && kind->plural == type.plural) return describer;
  }
  return DescribeAny;
}

// Those that are named, by a prefix where there is none of that name, or all.
Result<std::vector<kube::ObjectPtr>> FindObjects(Session& session, const Target& target, const std::string& selector) {
  const kube::ResourceType& type = target.resource->type;
  const std::string namespace_name = session.NamespaceOf(*target.resource);
  std::vector<kube::ObjectPtr> all;
  const auto list = [&]() -> Status {
    kube::ListOptions options;
    options.label_selector = selector;
    return session.client()
        .List(type, namespace_name, options, [&](const kube::ObjectPtr& object) { all.push_back(ForPrinting(*object, type)); })
        .status();
  };
  if (target.names.empty()) {
    TRY(list());
    return all;
  }
  std::vector<kube::ObjectPtr> found;
  for (const std::string& name : target.names) {
    const Result<kube::ObjectPtr> object = session.client().Get(type, namespace_name, name);
    if (object.ok()) {
      found.push_back(ForPrinting(**object, type));
      continue;
    }
    if (!kube::HasReason(object.status(), "NotFound")) return object.status();
    all.clear();
    TRY(list());
    const size_t before = found.size();
    for (const kube::ObjectPtr& one : all) {
      if (one->name().starts_with(name)) found.push_back(one);
    }
    if (found.size() == before) return object.status();
  }
  return found;
}

Status Run(const Verb& verb, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  ASSIGN_OR_RETURN(const std::vector<Target> targets, session->FindTargets(arguments.operands()));
  std::vector<std::pair<kube::ObjectPtr, Describer>> all;
  bool namespaced = false;
  for (const Target& target : targets) {
    namespaced |= target.resource->type.namespaced;
    if (!target.names.empty() && arguments.Has("selector")) return Invalid("a name cannot be given together with --selector");
    if (!target.names.empty() && session->all_namespaces() && target.resource->type.namespaced) {
      return Invalid("a resource cannot be retrieved by name across all namespaces");
    }
    ASSIGN_OR_RETURN(const std::vector<kube::ObjectPtr> objects, FindObjects(*session, target, arguments.Get("selector")));
    for (const kube::ObjectPtr& object : objects) all.emplace_back(object, DescriberOf(target.resource->type));
  }
  const bool events = arguments.Bool("show-events", all.size() == 1);
  bool first = true;
  for (const auto& [object, describer] : all) {
    Description description;
    TRY(describer(*session, *object, description));
    if (events) TRY(DescribeEvents(*session, *object, description));
    TRY(Print(StrCat(std::exchange(first, false) ? "" : "\n\n", description.Take())));
  }
  if (first) {
    Note(namespaced && !session->all_namespaces() ? StrCat("No resources found in ", session->namespace_name(), " namespace.")
                                                  : "No resources found");
  }
  return Status();
}

}  // namespace

Verb DescribeVerb() {
  Verb verb;
  verb.name = "describe";
  verb.summary = "Explains an object: what it asks for, what it holds, what happened to it.";
  verb.usage = "TYPE NAME... | TYPE/NAME... | TYPE [-l SELECTOR]";
  verb.examples =
      "  # a claim: what it asks for, which device and how much of it, and for which Pods\n"
      "  allot describe claim half\n"
      "  # a node: its devices, what is free of them, who holds the rest\n"
      "  allot describe node lab-1\n"
      "  # the Pods with a label, in all namespaces\n"
      "  allot describe pods -l app=train -A\n";
  verb.flags = {
      {"namespace", 'n', "NAME", "instead of the context's"},
      {"all-namespaces", 'A', "", "of all namespaces"},
      {"selector", 'l', "SELECTOR", "by labels: app=train"},
      {"show-events", 0, "", "what happened to it (default: where one object is described)"},
  };
  verb.operands = Operands::kTypes;
  verb.run = [](const Verb& self, const Arguments& arguments) { return Exit(Run(self, arguments)); };
  return verb;
}

}  // namespace allot::cli
