#include "cli/get.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/output.h"
#include "cli/tabs.h"
#include "cli/yaml.h"
#include "json/builder.h"
#include "json/json.h"

namespace allot::cli {
namespace {

// Objects that were asked for, and the errors of those that could not be had.
struct Found {
  std::vector<kube::ObjectPtr> objects;
  std::vector<Status> errors;
};

Found FetchObjects(Session& session, const std::vector<Target>& targets, const GetRequest& request) {
  Found found;
  for (const Target& target : targets) {
    const kube::ResourceType& type = target.resource->type;
    const std::string namespace_name = session.NamespaceOf(*target.resource);
    for (const std::string& name : target.names) {
      const Result<kube::ObjectPtr> object = session.client().Get(type, namespace_name, name);
      if (object.ok()) {
        found.objects.push_back(ForPrinting(**object, type));
      } else {
        found.errors.push_back(object.status());
      }
    }
    if (!target.names.empty()) continue;
    kube::ListOptions options;
    options.label_selector = request.label_selector;
    options.field_selector = request.field_selector;
    const Result<std::string> version = session.client().List(
        type, namespace_name, options, [&](const kube::ObjectPtr& object) { found.objects.push_back(ForPrinting(*object, type)); });
    if (!version.ok()) found.errors.push_back(version.status());
  }
  return found;
}

// All objects in one, as kubectl shapes it.
json::Value ListOf(const std::vector<kube::ObjectPtr>& objects, json::Arena& arena) {
  json::Builder b(arena);
  b.StartObject();
  b.Key("apiVersion"), b.String("v1");
  b.Key("items"), b.StartArray();
  for (const kube::ObjectPtr& object : objects) b.Add(object->json());
  b.EndArray();
  b.Key("kind"), b.String("List");
  b.Key("metadata"), b.StartObject(), b.Key("resourceVersion"), b.String(""), b.EndObject();
  b.EndObject();
  return b.Finish();
}

Status Report(const std::vector<Status>& errors) {
  for (size_t i = 0; i + 1 < errors.size(); ++i) Note(ErrorText(errors[i]));
  return errors.empty() ? Status() : errors.back();
}

Status PrintObjects(Session& session, const std::vector<Target>& targets, const GetRequest& request) {
  const Found found = FetchObjects(session, targets, request);
  if (request.output == "name") {
    for (const kube::ObjectPtr& object : found.objects) {
      const std::string_view version = object->api_version();
      const size_t slash = version.find('/');
      const kube::ResourceType type{slash == version.npos ? "" : std::string(version.substr(0, slash)), "", "",
                                    std::string(object->kind())};
      TRY(Print(StrCat(KindName(type), "/", object->name(), "\n")));
    }
    return Report(found.errors);
  }
  const bool single = targets.size() == 1 && targets[0].names.size() == 1;
  if (!single || !found.objects.empty()) {
    if (!single && found.objects.empty() && !found.errors.empty()) return Report(found.errors);
    json::Arena arena;
    const json::Value value = single ? found.objects[0]->json() : ListOf(found.objects, arena);
    TRY(Print(request.output == "json" ? WriteSortedJson(value) : WriteYaml(value)));
  }
  return Report(found.errors);
}

// Rows that stand below one header.
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
      Result<Table> table = FetchTable(session, *target.resource, name, request);
      if (!table.ok()) {
        errors.push_back(table.status());
      } else if (!groups.empty() && groups.back().resource == target.resource) {
        for (Row& row : table->rows) groups.back().table.rows.push_back(std::move(row));
      } else if (!table->rows.empty()) {
        groups.push_back({target.resource, *std::move(table)});
      }
    }
  }
  const bool several = std::any_of(targets.begin(), targets.end(), [&](const Target& t) { return t.resource != targets[0].resource; });
  for (const Group& group : groups) {
    TableOptions options;
    options.wide = request.output == "wide";
    options.namespaces = session.all_namespaces() && group.resource->type.namespaced;
    if (several) options.kind = KindName(group.resource->type);
    std::string text = request.headers ? HeaderLine(group.table, options) : "";
    for (const Row& row : group.table.rows) text += RowLine(group.table, row, options);
    if (&group != &groups[0] && request.headers) TRY(Print("\n"));
    TRY(Print(SetTabs(text, kTableTabs)));
  }
  if (groups.empty() && errors.empty()) Note(NothingFound(session, targets));
  TRY(Flush());
  return Report(errors);
}

Status Run(const Verb& verb, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  ASSIGN_OR_RETURN(const std::vector<Target> targets, session->FindTargets(arguments.operands()));
  GetRequest request;
  request.label_selector = arguments.Get("selector");
  request.field_selector = arguments.Get("field-selector");
  request.output = arguments.Get("output");
  request.headers = !arguments.Bool("no-headers");
  const bool named = std::any_of(targets.begin(), targets.end(), [](const Target& target) { return !target.names.empty(); });
  if (named && !request.label_selector.empty()) return Invalid("a name cannot be given together with --selector");
  for (const Target& target : targets) {
    if (!target.names.empty() && session->all_namespaces() && target.resource->type.namespaced) {
      return Invalid("a resource cannot be retrieved by name across all namespaces");
    }
  }
  if (arguments.Bool("watch")) {
    if (targets.size() != 1 || targets[0].names.size() > 1) return Invalid("--watch takes one kind, and one name of it or none");
    return WatchObjects(*session, targets[0], request);
  }
  return request.IsTable() ? PrintTables(*session, targets, request) : PrintObjects(*session, targets, request);
}

}  // namespace

Result<Table> FetchTable(Session& session, const kube::ApiResource& resource, const std::string& name, const GetRequest& request) {
  const std::string namespace_name = session.NamespaceOf(resource);
  Table all;
  std::string limit = "500";
  for (;;) {
    std::string target;
    if (!name.empty()) {
      target = resource.type.ObjectPath(namespace_name, name);
    } else {
      target = resource.type.CollectionPath(namespace_name) + kube::WriteQuery({{"labelSelector", request.label_selector},
                                                                                {"fieldSelector", request.field_selector},
                                                                                {"limit", limit},
                                                                                {"continue", all.continue_token}});
    }
    const std::string what = StrCat("get ", resource.type.FullName());
    const Result<http::Response> response = session.client().Raw({"GET", target, {{"Accept", kAcceptTable}}, ""}, what);
    if (!response.ok()) {
      if (!kube::IsExpired(response.status()) || all.continue_token.empty()) return response.status();
      all = Table();  // the server has forgotten where we were: all at once then, as kubectl does
      limit = "";
      continue;
    }
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(response->body).Context(what, ": the answer"));
    ASSIGN_OR_RETURN(Table page, ReadTable(document.root(), session.Now()).Context(what, ": the answer"));
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
  verb.usage = "TYPE[,TYPE...] [NAME...] | TYPE/NAME...";
  verb.examples =
      "  # the Pods of the namespace, and the claims that they hold\n"
      "  allot get pods,claims\n"
      "  # all claims of the cluster, and how they change\n"
      "  allot get claims -A -w\n"
      "  # what the drivers publish, one slice in full\n"
      "  allot get slices\n"
      "  allot get slice/lab-1-gpu -o yaml\n"
      "  # names alone, for scripts\n"
      "  allot get pods -l app=train -o name\n";
  verb.flags = {
      {"namespace", 'n', "NAME", "instead of the context's"},
      {"all-namespaces", 'A', "", "of all namespaces"},
      {"selector", 'l', "SELECTOR", "by labels: app=train,stage!=test"},
      {"field-selector", 0, "SELECTOR", "by fields: spec.nodeName=lab-1"},
      {"output", 'o', "json|yaml|wide|name", "how it is written"},
      {"watch", 'w', "", "goes on with what changes, until Ctrl-C"},
      {"no-headers", 0, "", "without the names of the columns"},
  };
  verb.operands = Operands::kTypes;
  verb.run = [](const Verb& self, const Arguments& arguments) { return Exit(Run(self, arguments)); };
  return verb;
}

}  // namespace allot::cli
