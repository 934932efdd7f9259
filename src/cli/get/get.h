#pragma once
// `allot get`: objects as tables, JSON, YAML or names.

#include <optional>
#include <string>
#include <vector>

#include "cli/get/table.h"
#include "cli/program/args.h"
#include "cli/session.h"
#include "json/jsonpath.h"
#include "kube/object.h"

namespace allot::cli {

Verb GetVerb();

// Of -o custom-columns=NAME:.metadata.name,...
struct CustomColumn {
  std::string header;
  json::JsonPath path;
};
Result<std::vector<CustomColumn>> ParseColumns(std::string_view text);
// Lines for SetTabs.
std::string ColumnsHeader(const std::vector<CustomColumn>& columns);
std::string ColumnsRow(const std::vector<CustomColumn>& columns, const json::Value& object);

// The flags of get and get --watch.
struct GetRequest {
  std::string label_selector, field_selector;
  std::string output;                  // empty, "wide", "json", "yaml", "name", "jsonpath" or "custom-columns"
  std::optional<json::JsonPath> path;  // of -o jsonpath
  std::vector<CustomColumn> columns;   // of -o custom-columns
  std::optional<json::JsonPath> sort_by;
  std::vector<std::string> label_columns;
  bool show_labels = false;
  bool headers = true;
  bool ignore_not_found = false;

  bool IsTable() const { return output.empty() || output == "wide"; }
  TableOptions Options() const;
};

// SortKeyOf returns the value that an object is sorted by, empty if it has none. IsSortedBefore compares two keys; numbers and quantities
// compare by value.
std::string SortKeyOf(const json::JsonPath& path, const json::Value& object);
bool IsSortedBefore(const std::string& a, const std::string& b);

// Fetches the table of a target's collection, all pages; or of one object if `name` is not empty. kNotFound if that does not exist.
Result<Table> FetchTable(Session& session, const Target& target, const std::string& name, const GetRequest& request);

// Prints the objects in an output that is not a table. Report prints all errors except the last, and returns that one.
Status PrintObjects(Session& session, const std::vector<Target>& targets, const GetRequest& request);
Status Report(const std::vector<Status>& errors);

// The object as kubectl prints it: without managedFields, and with apiVersion and kind, which items of a list lack.
kube::ObjectPtr ForPrinting(const kube::Object& object, const kube::ResourceType& type);

// "pod", "resourceclaim.resource.k8s.io"
std::string KindName(const kube::ResourceType& type);

// Prints the objects and then every change, until the program ends. Returns only with an error.
Status WatchObjects(Session& session, const Target& target, const GetRequest& request);

}  // namespace allot::cli
