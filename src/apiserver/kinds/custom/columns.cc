#include "apiserver/kinds/custom/columns.h"

#include <cmath>
#include <optional>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/numbers.h"
#include "json/jsonpath.h"
#include "kube/age.h"
#include "kube/timestamp.h"

namespace allot::apiserver {
namespace {

struct Cell {
  std::string type;
  std::optional<json::JsonPath> path;  // nullopt: invalid
};

// Returns what the table shows for a value; null if the value does not have the column's type.
Value Shown(json::Editor& edit, std::string_view type, const Value& value, WallTime now) {
  constexpr double kLargest = 9.2e18;
  if (type == "string") return value.IsNull() ? Value() : edit.String(json::OneValue(value));
  if (type == "boolean") return value.IsBool() ? value : Value();
  if (type == "integer" && value.IsNumber()) {
    if (value.AsInt64()) return value;
    const double number = value.AsDouble();
    return std::abs(number) < kLargest ? edit.Int(static_cast<int64_t>(number)) : Value();
  }
  if (type == "number") return value.IsNumber() ? value : Value();
  if (type == "date" && value.IsString()) {
    if (!kube::ParseTime(value.AsString())) return edit.Literal("<invalid>");
    return edit.String(kube::Age(value.AsString(), now));
  }
  return Value();
}

Column MakeColumn(std::string_view name, std::string_view type, std::string_view path) {
  Column column;
  column.name = name;
  column.type = type;
  column.json_path = path;
  return column;
}

Column ReadColumn(const Value& value) {
  Column column = MakeColumn(json::TextOf(value["name"]), json::TextOf(value["type"]), json::TextOf(value["jsonPath"]));
  column.format = json::TextOf(value["format"]);
  column.description = json::TextOf(value["description"]);
  if (column.description.empty()) column.description = StrCat("Custom resource definition column (in JSONPath format): ", column.json_path);
  if (value["priority"].IsNumber()) column.priority = static_cast<int>(value["priority"].AsInt64().value_or(0));
  return column;
}

}  // namespace

CustomColumns MakeCustomColumns(const Value& columns) {
  CustomColumns made;
  Column name = MakeColumn("Name", "string", "");
  name.format = "name";
  name.description = "The name of the object, unique among those of its kind in its namespace.";
  made.columns.push_back(std::move(name));
  for (const Value& column : json::ItemsOf(columns)) made.columns.push_back(ReadColumn(column));
  if (made.columns.size() == 1) {
    made.columns.push_back(MakeColumn("Age", "date", ".metadata.creationTimestamp"));
    made.columns.back().description = "When the object was created.";
  }

  std::vector<Cell> cells;
  for (size_t i = 1; i < made.columns.size(); ++i) {
    Cell cell{made.columns[i].type, std::nullopt};
    if (auto path = json::JsonPath::ParseRelaxed(made.columns[i].json_path); path.ok()) cell.path = *std::move(path);
    cells.push_back(std::move(cell));
  }
  made.row = [cells = std::move(cells)](json::Editor& edit, const Value& object, WallTime now) {
    std::vector<Value> row = {object["metadata"]["name"]};
    for (const Cell& cell : cells) {
      const std::vector<Value> found = cell.path ? cell.path->Find(object) : std::vector<Value>();
      row.push_back(found.empty() ? Value() : Shown(edit, cell.type, found[0], now));
    }
    return row;
  };
  return made;
}

}  // namespace allot::apiserver
