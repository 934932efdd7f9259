#include "apiserver/rest/openapi_paths.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "apiserver/json_names.h"
#include "base/strings.h"

namespace allot::apiserver {

namespace {

using Members = std::vector<json::Member>;

struct Parameter {
  std::string_view name, type, description;
};

constexpr Parameter kListParameters[] = {
    {"allowWatchBookmarks", "boolean", "For a watch: send bookmarks periodically."},
    {"continue", "string", "Continues a list that reached its limit."},
    {"fieldSelector", "string", "Selects objects by the values of fields."},
    {"labelSelector", "string", "Selects objects by their labels."},
    {"limit", "integer", "The maximal number of objects in the response."},
    {"resourceVersion", "string", "How old the response may be, or where a watch begins."},
    {"resourceVersionMatch", "string", "How resourceVersion applies: Exact or NotOlderThan."},
    {"sendInitialEvents", "boolean", "For a watch: begin with all existing objects."},
    {"timeoutSeconds", "integer", "The seconds after which the request ends."},
    {"watch", "boolean", "Send changes as they happen instead of a list."},
};
constexpr Parameter kWriteParameters[] = {
    {"dryRun", "string", "With All, the server processes the request but stores nothing."},
    {"fieldManager", "string", "The manager that owns the written fields."},
    {"fieldValidation", "string", "How to treat unknown and repeated fields: Ignore, Warn or Strict."},
    {"force", "boolean", "For an apply: take over fields that other managers own."},  // the last one is only for patches
};
constexpr Parameter kDeleteParameters[] = {
    {"dryRun", "string", "With All, the server processes the request but deletes nothing."},
    {"gracePeriodSeconds", "integer", "The seconds that the object has to terminate."},
    {"orphanDependents", "boolean", "Older form of propagationPolicy."},
    {"propagationPolicy", "string", "What happens to dependents: Orphan, Background or Foreground."},
};

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kPatchTypes[] = {"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json",
                                            "application/strategic-merge-patch+json"};  // the last one is not for custom kinds

// One operation at a path.
struct Operation {
  std::string_view method, action;  // "get", "list"
  std::span<const Parameter> parameters;
  std::span<const std::string_view> body_types;  // empty: no body
  Value body, answer;
};

// The kind that an operation works with.
struct Subject {
  std::string_view group, version, kind;
};

// The prefix of operation names in generated clients: "CoreV1", "ResourceV1".
std::string Prefix(const kube::ResourceType& type) {
  const auto capital = [](std::string_view word) {
    std::string result(word);
    if (!result.empty() && result[0] >= 'a' && result[0] <= 'z') result[0] = static_cast<char>(result[0] - 'a' + 'A');
    return result;
  };
  std::string prefix;
  const std::string_view group =
      type.group.ends_with(".k8s.io") ? std::string_view(type.group).substr(0, type.group.find('.')) : type.group;
  for (const std::string_view label : Split(group.empty() ? "core" : group, '.')) prefix += capital(label);
  return prefix + capital(type.version);
}

class PathWriter {
 public:
  PathWriter(SchemaSet& schemas, const Kind& kind) : schemas_(schemas), edit_(schemas.edit()), kind_(kind) {}

  void AddAll(OpenApiPaths& paths);

 private:
  bool v3() const { return schemas_.version() == OpenApiVersion::kV3; }
  Subject Self() const { return {kind_.type.group, kind_.type.version, kind_.type.kind}; }
  Value Text(std::string_view text) { return edit_.Literal(text); }

  std::vector<Operation> OnCollection();
  std::vector<Operation> OnObject();
  std::vector<Operation> OnSubresource(const Subresource& sub, const Value& ref);
  Operation Patch(const Value& answer);
  Operation Write(std::string_view method, std::string_view action, const Value& ref);

  Value Path(std::span<const Operation> operations, const Subject& subject, bool namespaced, bool named, std::string_view suffix);
  Value Describe(const Operation& operation, const Subject& subject, std::string_view suffix);
  Value DescribeParameter(const Parameter& parameter, bool in_path);
  Value Content(std::span<const std::string_view> types, const Value& schema);

  SchemaSet& schemas_;
  json::Editor& edit_;
  const Kind& kind_;
};

Operation PathWriter::Patch(const Value& answer) {
  const auto types = std::span(kPatchTypes).first(kind_.custom ? 3 : 4);
  return {"patch", "patch", kWriteParameters, types, edit_.Object({{"type", Text("object")}}), answer};
}

Operation PathWriter::Write(std::string_view method, std::string_view action, const Value& ref) {
  return {method, action, std::span(kWriteParameters).first(3), std::span(&kJson, 1), ref, ref};
}

std::vector<Operation> PathWriter::OnCollection() {
  const Value list = schemas_.RefToList(kind_);
  std::vector<Operation> operations{{"get", "list", kListParameters, {}, {}, list}};
  if (kind_.empty) return operations;
  const Value options = schemas_.RefTo("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  const Value status = schemas_.RefTo("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  operations.push_back({"delete", "deletecollection", kDeleteParameters, std::span(&kJson, 1), options, status});
  operations.push_back(Write("post", "post", schemas_.RefToKind(kind_)));
  return operations;
}

std::vector<Operation> PathWriter::OnObject() {
  const Value self = schemas_.RefToKind(kind_);
  std::vector<Operation> operations{{"get", "get", {}, {}, {}, self}};
  if (kind_.empty) return operations;
  const Value options = schemas_.RefTo("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  const Value answer = kind_.delete_answer == DeleteAnswer::kObject ? self : schemas_.RefTo("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  operations.push_back({"delete", "delete", kDeleteParameters, std::span(&kJson, 1), options, answer});
  operations.push_back(Patch(self));
  operations.push_back(Write("put", "put", self));
  return operations;
}

std::vector<Operation> PathWriter::OnSubresource(const Subresource& sub, const Value& ref) {
  std::vector<Operation> operations;
  const auto has = [&](std::string_view verb) { return std::ranges::find(sub.verbs, verb) != sub.verbs.end(); };
  if (has("get")) operations.push_back({"get", "get", {}, {}, {}, ref});
  if (has("patch")) operations.push_back(Patch(ref));
  if (has("create")) operations.push_back(Write("post", "post", ref));
  if (has("update")) operations.push_back(Write("put", "put", ref));
  return operations;
}

Value PathWriter::DescribeParameter(const Parameter& parameter, bool in_path) {
  Members members{{"description", Text(parameter.description)}, {"in", Text(in_path ? "path" : "query")}, {"name", Text(parameter.name)}};
  if (in_path) members.push_back({"required", edit_.Bool(true)});
  const Members type{{"type", Text(parameter.type)}, {"uniqueItems", edit_.Bool(true)}};
  if (v3()) {
    members.push_back({"schema", edit_.Object(type)});
  } else {
    members.insert(members.end(), type.begin(), type.end());
  }
  return edit_.Object(members);
}

Value PathWriter::Content(std::span<const std::string_view> types, const Value& schema) {
  Members members;
  for (const std::string_view type : types) members.push_back({type, edit_.Object({{"schema", schema}})});
  return edit_.Object({{"content", edit_.Object(members)}});
}

Value PathWriter::Describe(const Operation& operation, const Subject& subject, std::string_view suffix) {
  std::vector<Value> parameters;
  for (const Parameter& parameter : operation.parameters) parameters.push_back(DescribeParameter(parameter, false));
  Value answer = edit_.Object({{"description", Text("OK")}});
  Members members{{"operationId", edit_.String(StrCat(operation.action, Prefix(kind_.type), suffix))}};
  if (v3()) {
    if (!operation.body_types.empty()) members.push_back({"requestBody", Content(operation.body_types, operation.body)});
    answer = edit_.Set(answer, "content", Content(std::span(&kJson, 1), operation.answer)["content"]);
  } else {
    if (!operation.body_types.empty()) {
      std::vector<Value> types;
      for (const std::string_view type : operation.body_types) types.push_back(Text(type));
      members.push_back({"consumes", edit_.Array(types)});
      parameters.push_back(edit_.Object({{"in", Text("body")}, {"name", Text("body")}, {"schema", operation.body}}));
    }
    members.push_back({"produces", edit_.Array({Text(kJson)})});
    answer = edit_.Set(answer, "schema", operation.answer);
  }
  if (!parameters.empty()) members.push_back({"parameters", edit_.Array(parameters)});
  members.push_back({"responses", edit_.Object({{"200", answer}})});
  members.push_back({"x-kubernetes-action", Text(operation.action)});
  members.push_back({"x-kubernetes-group-version-kind", GroupVersionKind(edit_, subject.group, subject.version, subject.kind)});
  return edit_.Object(members);
}

Value PathWriter::Path(std::span<const Operation> operations, const Subject& subject, bool namespaced, bool named,
                       std::string_view suffix) {
  Members members;
  for (const Operation& operation : operations) members.push_back({operation.method, Describe(operation, subject, suffix)});
  std::vector<Value> parameters;
  if (named) parameters.push_back(DescribeParameter({"name", "string", "The object's name."}, true));
  if (namespaced) parameters.push_back(DescribeParameter({"namespace", "string", "The object's namespace."}, true));
  if (!parameters.empty()) members.push_back({"parameters", edit_.Array(parameters)});
  return edit_.Object(members);
}

void PathWriter::AddAll(OpenApiPaths& paths) {
  const kube::ResourceType& type = kind_.type;
  const bool scoped = type.namespaced;
  const std::string prefix = StrCat(type.group.empty() ? "/api/" : "/apis/", type.ApiVersion(), "/");
  const std::string collection = StrCat(prefix, scoped ? "namespaces/{namespace}/" : "", type.plural);
  const std::string name = StrCat(scoped ? "Namespaced" : "", type.kind);
  const auto on_collection = OnCollection();
  paths[collection] = Path(on_collection, Self(), scoped, false, name);
  paths[collection + "/{name}"] = Path(OnObject(), Self(), scoped, true, name);
  if (scoped) {
    paths[prefix + type.plural] = Path(std::span(on_collection).first(1), Self(), false, false, StrCat(type.kind, "ForAllNamespaces"));
  }
  for (const Subresource& sub : kind_.subresources) {
    const bool other = !sub.kind.empty();
    const Subject subject = other ? Subject{sub.group, sub.version, sub.kind} : Self();
    const Type* found = other ? Schema::BuiltIn().FindKind(sub.group, sub.version, sub.kind) : nullptr;
    const Value unknown = edit_.Object({{"type", Text("object")}});
    const Value ref = !other ? schemas_.RefToKind(kind_) : found == nullptr ? unknown : schemas_.RefTo(*found);
    std::string suffix = sub.name;
    if (!suffix.empty()) suffix[0] = static_cast<char>(suffix[0] & ~0x20);
    paths[StrCat(collection, "/{name}/", sub.name)] = Path(OnSubresource(sub, ref), subject, scoped, true, StrCat(name, suffix));
  }
}

}  // namespace

void AddPaths(SchemaSet& schemas, const Kind& kind, OpenApiPaths& paths) { PathWriter(schemas, kind).AddAll(paths); }

}  // namespace allot::apiserver
