// get with an output that needs whole objects: names, JSON, YAML, JSONPath, custom columns.

#include <algorithm>

#include "base/strings.h"
#include "cli/describe/description.h"
#include "cli/get/get.h"
#include "cli/get/tabs.h"
#include "cli/output.h"
#include "json/builder.h"
#include "json/json.h"
#include "json/yaml_write.h"
#include "model/quantity.h"

namespace allot::cli {
namespace {

// The objects, and the errors of those that could not be read.
struct Found {
  std::vector<kube::ObjectPtr> objects;
  std::vector<Status> errors;
};

Found FetchObjects(Session& session, const std::vector<Target>& targets, const GetRequest& request) {
  Found found;
  for (const Target& target : targets) {
    const kube::ResourceType& type = target.resource->type;
    const std::string namespace_name = session.NamespaceOf(target);
    for (const std::string& name : target.names) {
      const Result<kube::ObjectPtr> object = session.client().Get(type, namespace_name, name);
      if (object.ok()) {
        found.objects.push_back(ForPrinting(**object, type));
      } else if (!request.ignore_not_found || !kube::HasReason(object.status(), "NotFound")) {
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
  if (request.sort_by) {
    std::stable_sort(found.objects.begin(), found.objects.end(), [&](const kube::ObjectPtr& a, const kube::ObjectPtr& b) {
      return IsSortedBefore(SortKeyOf(*request.sort_by, a->json()), SortKeyOf(*request.sort_by, b->json()));
    });
  }
  return found;
}

// All objects as one List, as kubectl prints it.
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

std::string NameText(const kube::Object& object) {
  const std::string_view version = object.api_version();
  const size_t slash = version.find('/');
  const kube::ResourceType type{slash == version.npos ? "" : std::string(version.substr(0, slash)), "", "", std::string(object.kind())};
  return StrCat(KindName(type), "/", object.name(), "\n");
}

}  // namespace

std::string SortKeyOf(const json::JsonPath& path, const json::Value& object) {
  const std::vector<json::Value> values = path.Find(object);
  return values.empty() ? "" : json::OneValue(values[0]);
}

bool IsSortedBefore(const std::string& a, const std::string& b) {
  const Result<model::Quantity> first = model::Quantity::Parse(a), second = model::Quantity::Parse(b);
  return first.ok() && second.ok() ? *first < *second : a < b;
}

Result<std::vector<CustomColumn>> ParseColumns(std::string_view text) {
  std::vector<CustomColumn> columns;
  for (const std::string_view column : Split(text, ',')) {
    const size_t colon = column.find(':');
    if (colon == column.npos || colon == 0 || colon + 1 == column.size()) {
      return Invalid("custom-columns: expected HEADER:PATH, not ", Quoted(column), "; for example NAME:.metadata.name");
    }
    ASSIGN_OR_RETURN(json::JsonPath path, json::JsonPath::ParseRelaxed(column.substr(colon + 1)));
    columns.push_back({std::string(column.substr(0, colon)), std::move(path)});
  }
  return columns;
}

std::string ColumnsHeader(const std::vector<CustomColumn>& columns) {
  std::string line;
  for (const CustomColumn& column : columns) line += StrCat(line.empty() ? "" : "\t", column.header);
  return line + "\n";
}

std::string ColumnsRow(const std::vector<CustomColumn>& columns, const json::Value& object) {
  std::string line;
  for (const CustomColumn& column : columns) {
    std::string cell;
    for (const json::Value& value : column.path.Find(object)) {
      // As kubectl, which prints Go values here, not JSON.
      cell += StrCat(cell.empty() ? "" : ",", OneLine(value));
    }
    line += StrCat(&column == &columns[0] ? "" : "\t", cell.empty() ? "<none>" : cell);
  }
  std::string plain;
  for (const char c : line) plain += c == '\x1B' ? "^[" : std::string(1, c);
  return plain + "\n";
}

Status PrintObjects(Session& session, const std::vector<Target>& targets, const GetRequest& request) {
  const Found found = FetchObjects(session, targets, request);
  if (request.output == "name") {
    for (const kube::ObjectPtr& object : found.objects) TRY(Print(NameText(*object)));
    return Report(found.errors);
  }
  const bool single = targets.size() == 1 && targets[0].names.size() == 1;
  if (single && found.objects.empty()) return Report(found.errors);
  if (found.objects.empty() && !found.errors.empty()) return Report(found.errors);
  json::Arena arena;
  if (!request.columns.empty()) {
    std::string text = request.headers ? ColumnsHeader(request.columns) : "";
    for (const kube::ObjectPtr& object : found.objects) text += ColumnsRow(request.columns, object->json());
    TRY(Print(SetTabs(text, kTableTabs)));
    return Report(found.errors);
  }
  const json::Value value = single ? found.objects[0]->json() : ListOf(found.objects, arena);
  if (request.path) {
    TRY(Print(request.path->Text(value)));
  } else {
    TRY(Print(request.output == "json" ? json::WriteSortedJson(value) : json::WriteYaml(value)));
  }
  return Report(found.errors);
}

Status Report(const std::vector<Status>& errors) {
  for (size_t i = 0; i + 1 < errors.size(); ++i) Note(ErrorText(errors[i]));
  return errors.empty() ? Status() : errors.back();
}

}  // namespace allot::cli
