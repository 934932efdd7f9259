#pragma once
// Tables as the API server makes them for people, and how they are printed.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "json/jsonpath.h"
#include "json/value.h"

namespace allot::cli {

// What asks a server for tables, and for objects where it has none.
inline constexpr char kAcceptTable[] =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

struct Column {
  std::string name;
  bool wide = false;     // only with -o wide
  bool is_name = false;  // holds the object's name
};

struct Row {
  std::vector<std::string> cells;
  std::string namespace_name, name, uid, resource_version;
  std::map<std::string, std::string> labels;
  std::string sort_key;  // see ReadTable
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string resource_version, continue_token;
};

// Of a Table, or, where the server answered with an object or a list of them, a table of names and ages.
// kUnavailable for anything else. `sort_by`, where given, is what rows get as their sort_key; the server must have sent whole objects.
Result<Table> ReadTable(const json::Value& root, WallTime now, const json::JsonPath* sort_by = nullptr);

struct TableOptions {
  bool wide = false;
  bool namespaces = false;                   // a column NAMESPACE in front
  std::string kind;                          // in front of names, with a slash; empty: none
  std::vector<std::string> label_columns{};  // a column for each of these, then one for all of them
  bool show_labels = false;
};

// Lines of cells with tabs between them, for SetTabs.
std::string HeaderLine(const Table& table, const TableOptions& options);
std::string RowLine(const Table& table, const Row& row, const TableOptions& options);

}  // namespace allot::cli
