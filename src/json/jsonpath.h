#pragma once
// The part of kubectl's JSONPath that people use: {.a.b}, ['a'], [0], [-1], [*], [?(@.type=="Ready")], {$.a} and {@.a}, {"text\n"},
// {range .items[*]}...{end}, and plain text between them. A dot in a field is written "\.". What is not there gives nothing.
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
  // kInvalid names the place and what is expected there; slices, unions and ".." are kUnsupported.
  static Result<JsonPath> Parse(std::string_view text);
  // One path alone, as columns and --sort-by take it: ".a.b", "a.b", "{.a.b}".
  static Result<JsonPath> ParseRelaxed(std::string_view text);

  // Several values of a path stand with spaces between them; lists and objects are JSON.
  std::string Text(const Value& root) const;
  // The values of the first path.
  std::vector<Value> Find(const Value& root) const;

 private:
  friend class JsonPathReader;

  struct Step {
    enum class Kind { kField, kIndex, kAll, kFilter } kind = Kind::kField;
    std::string field;  // kField; of kFilter the value compared with, as OneValue writes it
    int64_t index = 0;
    std::vector<std::string> path;  // kFilter: below @
    bool equal = true;              // kFilter: == or !=
  };
  struct Node {
    enum class Kind { kText, kPath, kRange } kind = Kind::kText;
    std::string text;
    bool from_root = false;  // $
    std::vector<Step> steps;
    std::vector<Node> body;  // kRange
  };

  static void Walk(const Step& step, const Value& value, std::vector<Value>& found);
  static std::vector<Value> Evaluate(const Node& node, const Value& root, const Value& current);
  static void Write(const std::vector<Node>& nodes, const Value& root, const Value& current, std::string& text);

  std::vector<Node> nodes_;
};

// A value as it stands in text: strings as they are, all else as JSON with sorted keys.
std::string OneValue(const Value& value);

}  // namespace allot::json
