#include "cli/get/table.h"

#include "base/strings.h"
#include "cli/age.h"
#include "json/json.h"
#include "kube/object.h"

namespace allot::cli {
namespace {

using kube::Object;

std::string StringOf(const json::Value& value) { return std::string(Object::Text(value)); }

// A cell as kubectl prints it: text up to its first line end, nothing for null.
std::string CellText(const json::Value& cell) {
  if (cell.IsNull()) return "";
  if (!cell.IsString()) return json::Write(cell);
  const std::string_view text = cell.AsString();
  const size_t end = text.find_first_of("\f\n\r");
  std::string shown;
  for (const char c : text.substr(0, end)) {
    if (c == '\x1B') {
      shown += "^[";  // text of an object must not control the terminal
    } else {
      shown += c == '\t' ? ' ' : c;
    }
  }
  return end == text.npos ? shown : shown + "...";
}

void SetIdentity(Row& row, const json::Value& object, const json::JsonPath* sort_by) {
  const json::Value& metadata = object["metadata"];
  row.name = StringOf(metadata["name"]);
  row.namespace_name = StringOf(metadata["namespace"]);
  row.uid = StringOf(metadata["uid"]);
  row.resource_version = StringOf(metadata["resourceVersion"]);
  if (metadata["labels"].IsObject()) {
    for (const json::Member& label : metadata["labels"].Members()) row.labels[std::string(label.key)] = CellText(label.value);
  }
  if (sort_by != nullptr) {
    const std::vector<json::Value> values = sort_by->Find(object);
    if (!values.empty()) row.sort_key = json::OneValue(values[0]);
  }
}

// The columns of labels, each after a tab.
std::string LabelCells(const Row& row, const TableOptions& options) {
  std::string cells;
  for (const std::string& key : options.label_columns) {
    const auto label = row.labels.find(key);
    cells += StrCat("\t", label == row.labels.end() ? "" : label->second);
  }
  if (!options.show_labels) return cells;
  std::string all;
  for (const auto& [key, value] : row.labels) all += StrCat(all.empty() ? "" : ",", key, "=", value);
  return StrCat(cells, "\t", all.empty() ? "<none>" : all);
}

Row RowOf(const json::Value& object, WallTime now, const json::JsonPath* sort_by) {
  Row row;
  SetIdentity(row, object, sort_by);
  row.cells = {row.name, Age(Object::Text(object["metadata"]["creationTimestamp"]), now)};
  return row;
}

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c & ~0x20);
  }
  return upper;
}

}  // namespace

Result<Table> ReadTable(const json::Value& root, WallTime now, const json::JsonPath* sort_by) {
  Table table;
  table.resource_version = StringOf(root["metadata"]["resourceVersion"]);
  table.continue_token = StringOf(root["metadata"]["continue"]);
  const std::string_view kind = Object::Text(root["kind"]);
  if (kind == "Table") {
    if (root["columnDefinitions"].IsArray()) {
      for (const json::Value& column : root["columnDefinitions"].Items()) {
        const bool wide = column["priority"].IsNumber() && column["priority"].AsInt64().value_or(0) != 0;
        table.columns.push_back({StringOf(column["name"]), wide, Object::Text(column["format"]) == "name"});
      }
    }
    if (!root["rows"].IsArray()) return table;
    for (const json::Value& item : root["rows"].Items()) {
      Row row;
      SetIdentity(row, item["object"], sort_by);
      if (item["cells"].IsArray()) {
        for (const json::Value& cell : item["cells"].Items()) row.cells.push_back(CellText(cell));
      }
      table.rows.push_back(std::move(row));
    }
    return table;
  }
  table.columns = {{"Name", false, true}, {"Age", false, false}};
  if (root["items"].IsArray()) {
    for (const json::Value& item : root["items"].Items()) table.rows.push_back(RowOf(item, now, sort_by));
  } else if (root["metadata"].IsObject() && !kind.ends_with("List")) {
    table.rows.push_back(RowOf(root, now, sort_by));
  } else if (!kind.ends_with("List")) {
    return Unavailable("expected a table or objects, not ", kind.empty() ? json::KindName(root.kind()) : kind);
  }
  return table;
}

std::string HeaderLine(const Table& table, const TableOptions& options) {
  std::string line = options.namespaces ? "NAMESPACE\t" : "";
  bool first = true;
  for (const Column& column : table.columns) {
    if (column.wide && !options.wide) continue;
    if (!std::exchange(first, false)) line += '\t';
    line += Upper(column.name);
  }
  for (const std::string& key : options.label_columns) line += StrCat("\t", Upper(std::string_view(key).substr(key.rfind('/') + 1)));
  if (options.show_labels) line += "\tLABELS";
  return line + "\n";
}

std::string RowLine(const Table& table, const Row& row, const TableOptions& options) {
  std::string line = options.namespaces ? StrCat(row.namespace_name, "\t") : "";
  bool first = true;
  for (size_t i = 0; i < table.columns.size() && i < row.cells.size(); ++i) {
    if (table.columns[i].wide && !options.wide) continue;
    if (!std::exchange(first, false)) line += '\t';
    if (table.columns[i].is_name && !options.kind.empty()) line += StrCat(options.kind, "/");
    line += row.cells[i];
  }
  return line + LabelCells(row, options) + "\n";
}

}  // namespace allot::cli
