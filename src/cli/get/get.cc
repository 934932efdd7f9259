#include "cli/get/get.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/apply/manifest.h"
#include "cli/get/tabs.h"
#include "cli/output.h"
#include "json/builder.h"
#include "json/json.h"

namespace allot::cli {
namespace {

// Rows below one header.
struct Group {
  const kube::ApiResource* resource;
  Table table;
};

std::string NothingFound(const Session& session, const std::vector<Target>& targets) {
  const bool namespaced =
      std::any_of(targets.begin(), targets.end(), [](const Target& target) { return target.resource->type.namespaced; });
  if (!namespaced || session.all_namespaces()) return "No resources found";
  return StrCat("No resources found in ", session.namespace_name(), " namespace.");
}

Status PrintTables(Session& session, const std::vector<Target>& targets, const GetRequest& request) {
  std::vector<Group> groups;
  std::vector<Status> errors;
  for (const Target& target : targets) {
    std::vector<std::string> names = target.names;
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) {
      Result<Table> table = FetchTable(session, target, name, request);
      if (!table.ok()) {
        const bool ignored = request.ignore_not_found && kube::HasReason(table.status(), "NotFound");
        if (!ignored) errors.push_back(table.status());
      } else if (!groups.empty() && groups.back().resource == target.resource) {
        for (Row& row : table->rows) groups.back().table.rows.push_back(std::move(row));
      } else if (!table->rows.empty()) {
        groups.push_back({target.resource, *std::move(table)});
      }
    }
  }
  if (request.sort_by) {
    for (Group& group : groups) {
      std::stable_sort(group.table.rows.begin(), group.table.rows.end(),
                       [](const Row& a, const Row& b) { return IsSortedBefore(a.sort_key, b.sort_key); });
    }
  }
  const bool several = std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return t.resource != targets[0].resource; });
  for (const Group& group : groups) {
    TableOptions options = request.Options();
    options.namespaces = session.all_namespaces() && group.resource->type.namespaced;
    if (several) options.kind = KindName(group.resource->type);
    std::string text = request.headers ? HeaderLine(group.table, options) : "";
    for (const Row& row : group.table.rows) text += RowLine(group.table, row, options);
    if (&group != &groups[0] && request.headers) TRY(Print("\n"));
    TRY(Print(SetTabs(text, kTableTabs)));
  }
  if (groups.empty() && errors.empty() && !request.ignore_not_found) Note(NothingFound(session, targets));
  TRY(Flush());
  return Report(errors);
}

Result<GetRequest> RequestOf(const Arguments& arguments) {
  GetRequest request;
  request.label_selector = arguments.Get("selector");
  request.field_selector = arguments.Get("field-selector");
  const std::string output = arguments.Get("output");
  const size_t equals = output.find('=');
  request.output = output.substr(0, equals);
  if (request.output == "jsonpath") {
    ASSIGN_OR_RETURN(request.path, json::JsonPath::Parse(output.substr(equals + 1)).Context("-o"));
  } else if (request.output == "custom-columns") {
    ASSIGN_OR_RETURN(request.columns, ParseColumns(output.substr(equals + 1)).Context("-o"));
  }
  if (arguments.Has("sort-by")) {
    ASSIGN_OR_RETURN(request.sort_by, json::JsonPath::ParseRelaxed(arguments.Get("sort-by")).Context("--sort-by"));
  }
  for (const std::string& labels : arguments.All("label-columns")) {
    for (const std::string_view label : Split(labels, ',')) request.label_columns.emplace_back(label);
  }
  request.show_labels = arguments.Bool("show-labels");
  request.headers = !arguments.Bool("no-headers");
  request.ignore_not_found = arguments.Bool("ignore-not-found");
  return request;
}

Result<std::vector<Target>> TargetsOf(Session& session, const Arguments& arguments) {
  const bool selects = arguments.Has("selector") || arguments.Has("field-selector");
  if (arguments.Has("filename")) {
    if (!arguments.operands().empty() || selects) return Invalid("give either files, or names and selectors, not both");
    return ManifestTargets(session, arguments.All("filename"), arguments.Bool("recursive"));
  }
  ASSIGN_OR_RETURN(std::vector<Target> targets, session.FindTargets(arguments.operands()));
  for (const Target& target : targets) {
    if (target.names.empty()) continue;
    if (selects) return Invalid("name cannot be provided when a selector is specified");
    if (session.all_namespaces() && target.resource->type.namespaced) {
      return Invalid("a resource cannot be retrieved by name across all namespaces");
    }
  }
  return targets;
}

Status Run(const Verb& verb, const Arguments& arguments, const GetRequest& request) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  ASSIGN_OR_RETURN(const std::vector<Target> targets, TargetsOf(*session, arguments));
  if (arguments.Bool("watch")) {
    if (targets.size() != 1 || targets[0].names.size() > 1) return Invalid("--watch takes one kind, and at most one name");
    if (request.sort_by) Note("warning: --watch requested, --sort-by will be ignored");
    return WatchObjects(*session, targets[0], request);
  }
  return request.IsTable() ? PrintTables(*session, targets, request) : PrintObjects(*session, targets, request);
}

}  // namespace

TableOptions GetRequest::Options() const {
  TableOptions options;
  options.wide = output == "wide";
  options.label_columns = label_columns;
  options.show_labels = show_labels;
  return options;
}

Result<Table> FetchTable(Session& session, const Target& of, const std::string& name, const GetRequest& request) {
  const kube::ApiResource& resource = *of.resource;
  const std::string namespace_name = session.NamespaceOf(of);
  const std::string whole = request.sort_by ? "Object" : "";  // by default rows have only metadata
  Table all;
  std::string limit = "500";
  for (;;) {
    std::string target;
    if (!name.empty()) {
      target = resource.type.ObjectPath(namespace_name, name) + kube::WriteQuery({{"includeObject", whole}});
    } else {
      target = resource.type.CollectionPath(namespace_name) + kube::WriteQuery({{"labelSelector", request.label_selector},
                                                                                {"fieldSelector", request.field_selector},
                                                                                {"includeObject", whole},
                                                                                {"limit", limit},
                                                                                {"continue", all.continue_token}});
    }
    const std::string what = StrCat("get ", resource.type.FullName());
    const Result<http::Response> response = session.client().Raw({"GET", target, {{"Accept", kAcceptTable}}, ""}, what);
    if (!response.ok()) {
      if (!kube::IsExpired(response.status()) || all.continue_token.empty()) return response.status();
      all = Table();  // the continue token has expired: fetch all at once, as kubectl does
      limit = "";
      continue;
    }
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(response->body).Context(what, ": the answer"));
    ASSIGN_OR_RETURN(
        Table page, ReadTable(document.root(), session.Now(), request.sort_by ? &*request.sort_by : nullptr).Context(what, ": the answer"));
    if (all.columns.empty()) all.columns = std::move(page.columns);
    for (Row& row : page.rows) all.rows.push_back(std::move(row));
    all.resource_version = std::move(page.resource_version);
    all.continue_token = std::move(page.continue_token);
    if (all.continue_token.empty()) return all;
  }
}

kube::ObjectPtr ForPrinting(const kube::Object& object, const kube::ResourceType& type) {
  json::Document document;
  json::Builder b(document.arena());
  b.StartObject();
  if (object.api_version().empty()) b.Key("apiVersion"), b.String(type.ApiVersion());
  if (object.kind().empty()) b.Key("kind"), b.String(type.kind);
  for (const json::Member& member : object.json().Members()) b.Key(member.key), b.Add(member.value);
  b.EndObject();
  return kube::CopyObject(b.Finish(), "managedFields");
}

std::string KindName(const kube::ResourceType& type) {
  std::string name = type.kind;
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return type.group.empty() ? name : StrCat(name, ".", type.group);
}

Verb GetVerb() {
  Verb verb;
  verb.name = "get";
  verb.summary = "Shows objects of any kind that the cluster has.";
  verb.usage = "TYPE[,TYPE...] [NAME...] | TYPE/NAME... | -f FILE";
  verb.examples =
      "  # the Pods and claims of the namespace\n"
      "  allot get pods,claims\n"
      "  # all claims of the cluster, and every change\n"
      "  allot get claims -A -w\n"
      "  # the devices that drivers publish, and one slice in full\n"
      "  allot get slices\n"
      "  allot get slice/lab-1-gpu -o yaml\n"
      "  # only names, or any field, for scripts\n"
      "  allot get pods -l app=train -o name\n"
      "  allot get pods -o jsonpath='{range .items[*]}{.metadata.name}{\"\\t\"}{.spec.nodeName}{\"\\n\"}{end}'\n"
      "\n"
      "short names for the kinds of GPU sharing:\n"
      "  claims     resourceclaims.resource.k8s.io: what Pods ask for, and the devices allocated to them\n"
      "  templates  resourceclaimtemplates.resource.k8s.io: templates of claims that are created for each Pod\n"
      "  slices     resourceslices.resource.k8s.io: the devices that drivers publish\n"
      "  classes    deviceclasses.resource.k8s.io: the kinds of devices that claims name\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "use this namespace instead of the context's"},
      {"all-namespaces", 'A', "", "look in all namespaces"},
      {"selector", 'l', "SELECTOR", "only objects with these labels: app=train,stage!=test"},
      {"field-selector", 0, "SELECTOR", "only objects with these fields: spec.nodeName=lab-1"},
      {"output", 'o', "json|yaml|wide|name|jsonpath=TEMPLATE|custom-columns=HEADER:PATH,...", "print in this format"},
      {"show-labels", 0, "", "add a column with all labels"},
      {"label-columns", 'L', "KEYS", "add a column for each of these labels: app,stage"},
      {"sort-by", 0, "PATH", "sort the rows by a field: .metadata.creationTimestamp"},
      {"filename", 'f', "FILE", "the objects of a file, a folder or standard input (-); may be repeated"},
      {"recursive", 'R', "", "read subfolders, too"},
      {"ignore-not-found", 0, "", "do not fail if an object does not exist"},
      {"watch", 'w', "", "then print every change, until Ctrl-C"},
      {"no-headers", 0, "", "do not print the names of the columns"},
  };
  verb.operands = Operands::kTypes;
  verb.run = [](const Verb& self, const Arguments& arguments) {
    const Result<GetRequest> request = RequestOf(arguments);
    return request.ok() ? Exit(Run(self, arguments, *request)) : BadUsage(request.status().message());
  };
  return verb;
}

}  // namespace allot::cli
