#pragma once
// The commonly used part of kubectl's JSONPath: {.a.b}, ['a'], [0], [-1], [*], [?(@.type=="Ready")], {$.a} and {@.a}, {"text\n"}, {range
// .items[*]}...{end}, and plain text between them. A dot in a field is written "\.". A missing field gives no value.
//
//   ASSIGN_OR_RETURN(const JsonPath path, JsonPath::Parse("{range .items[*]}{.metadata.name}{\"\\n\"}{end}"));
//   path.Text(list)                       "a\nb\n"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "json/value.h"

namespace allot::json {

class JsonPath {
 public:
  // Returns kInvalid with the place and what is expected there. Slices, unions and ".." are kUnsupported.
  static Result<JsonPath> Parse(std::string_view text);
  // Parses a single path as columns and --sort-by write it: ".a.b", "a.b", "{.a.b}".
  static Result<JsonPath> ParseRelaxed(std::string_view text);

  // Renders the template. Several values of one path are separated by spaces; lists and objects are JSON.
  std::string Text(const Value& root) const;
  // Returns the values of the first path.
  std::vector<Value> Find(const Value& root) const;

 private:
  friend class JsonPathReader;

  struct Step {
    enum class Kind { kField, kIndex, kAll, kFilter } kind = Kind::kField;
    std::string field;  // kField: the name; kFilter: the value to compare with, as OneValue writes it
    int64_t index = 0;
    std::vector<std::string> path;  // kFilter: the path below @
    bool equal = true;              // kFilter: == (true) or != (false)
  };
  struct Node {
    enum class Kind { kText, kPath, kRange } kind = Kind::kText;
    std::string text;
    bool from_root = false;  // the path starts with $
    std::vector<Step> steps;
    std::vector<Node> body;  // kRange
  };

  static void Walk(const Step& step, const Value& value, std::vector<Value>& found);
  static std::vector<Value> Evaluate(const Node& node, const Value& root, const Value& current);
  static void Write(const std::vector<Node>& nodes, const Value& root, const Value& current, std::string& text);

  std::vector<Node> nodes_;
};

// Writes one value: strings as they are, everything else as JSON with sorted keys.
std::string OneValue(const Value& value);

}  // namespace allot::json
