#pragma once
// The API server's tables, and how to print them.

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

// The Accept header that asks a server for tables, or for objects if it has no tables.
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

// Reads a Table; an object or a list of objects becomes a table of names and ages. kUnavailable for anything else. If `sort_by` is given,
// rows get its value as their sort_key; the server must have sent whole objects.
Result<Table> ReadTable(const json::Value& root, WallTime now, const json::JsonPath* sort_by = nullptr);

struct TableOptions {
  bool wide = false;
  bool namespaces = false;                   // print a first column NAMESPACE
  std::string kind;                          // the prefix of names, before a slash; empty: none
  std::vector<std::string> label_columns{};  // print a column for each of these labels
  bool show_labels = false;
};

// Lines of cells with tabs between them, for SetTabs.
std::string HeaderLine(const Table& table, const TableOptions& options);
std::string RowLine(const Table& table, const Row& row, const TableOptions& options);

}  // namespace allot::cli
